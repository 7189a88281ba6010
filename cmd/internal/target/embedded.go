package target

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/document"
)

// Dir is where a service on an embedded broker keeps everything, if nothing else is said.
const Dir = "unecho-data"

// Topic is the source topic where nothing else is configured.
const Topic = "documents"

// Group is the consumer group where nothing else is configured.
const Group = "unecho"

// Defaults returns c with what a service on the embedded broker of a directory needs.
func Defaults(c config.Config, dir string) config.Config {
	c.Kafka.Brokers = []string{"127.0.0.1:1"} // the real one is known when it listens
	c.Sources = AnySource()
	c.Consumer.Group = Group
	c.Snapshot.Directory.Path = filepath.Join(dir, "snapshots")
	return c
}

// AnySource is the source where nothing else is configured.
func AnySource() []document.Source {
	s := document.DefaultSource()
	s.Topics = []string{Topic}
	return []document.Source{s}
}

// PointAt makes the broker at an address the one of the configuration.
func PointAt(c *config.Config, address string) {
	c.Kafka = broker.DefaultParams()
	c.Kafka.Brokers = []string{address}
}

// Address returns the address of the embedded broker of a directory, or "" if none runs there.
func Address(dir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, broker.AddressFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("find embedded broker: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// Runs says whether the configuration's broker is the one that runs in a directory: it stamps no time.
func Runs(dir string, c config.Config) (bool, error) {
	address, err := Address(dir)
	return address != "" && len(c.Kafka.Brokers) == 1 && c.Kafka.Brokers[0] == address, err
}
