package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/topic"
)

// records reads records of topics as the service does, for verbs that otherwise need no Kafka.
type records struct {
	options topic.Options
	reader  *document.Reader
	buffer  []byte
}

func addEmbeddedFlag(cmd *cobra.Command) {
	cmd.Flags().String("dir", embeddedDir, "the directory of a service on an embedded broker; used if no configuration is given")
}

// newRecords reaches the cluster of the configuration, or else the embedded broker that runs in --dir.
func newRecords(cmd *cobra.Command, c config.Config) (*records, error) {
	address, err := embeddedAddress(cmd.Flag("dir").Value.String())
	if err != nil {
		return nil, err
	}
	configured := cmd.Flag("config").Changed || configPath(nil) != "" || len(c.Kafka.Brokers) > 0
	switch {
	case address != "" && (cmd.Flag("dir").Changed || !configured):
		c.Kafka = broker.DefaultParams()
		c.Kafka.Brokers = []string{address}
	case len(c.Kafka.Brokers) == 0:
		return nil, exit.Usage(fmt.Errorf("no cluster to read from: name the service's configuration by --config, or its brokers by --set kafka.brokers=localhost:9092"))
	}
	r := &records{}
	if r.options, err = kafkaOf(cmd, c); err != nil {
		return nil, err
	}
	r.reader, err = document.New(c.Document)
	return r, err
}

// read takes the document out of a record. Its slices live until the next one.
func (r *records) read(ctx context.Context, record *topic.Record) (document.Document, *document.Rejection, error) {
	in := document.Input{Key: record.Key, Value: record.Value, Partition: record.Partition}
	for _, h := range record.Headers {
		in.Headers = append(in.Headers, document.Header(h))
	}
	read, bad, err := r.reader.Read(ctx, in, r.buffer)
	if err == nil && bad == nil {
		r.buffer = read.Buffer
		if read.Empty {
			bad = r.reader.EmptyRejection()
		}
	}
	return read, bad, err
}

// coordinatesOf writes TOPIC/PARTITION/OFFSET.
func coordinatesOf(r *topic.Record) string {
	return fmt.Sprintf("%s/%d/%d", r.Topic, r.Partition, r.Offset)
}

// coordinates reads TOPIC/PARTITION/OFFSET, as far as a topic may be called so.
func coordinates(arg string) (name string, partition int32, offset int64, ok bool) {
	parts := strings.Split(arg, "/")
	if len(parts) != 3 || parts[0] == "" || slices.ContainsFunc([]rune(parts[0]), noTopicRune) {
		return "", 0, 0, false
	}
	number, err := strconv.ParseUint(parts[1], 10, 31)
	if err != nil {
		return "", 0, 0, false
	}
	at, err := strconv.ParseUint(parts[2], 10, 63)
	return parts[0], int32(number), int64(at), err == nil
}

// noTopicRune says that no topic's name holds a character.
func noTopicRune(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	return !letter && (r < '0' || r > '9') && !strings.ContainsRune("._-", r)
}
