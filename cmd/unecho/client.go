package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/broker"
)

// addClientFlags adds what the verbs need that talk to a running service's Kafka.
func addClientFlags(cmd *cobra.Command) {
	addSetFlag(cmd)
	flags := cmd.Flags()
	flags.StringP("config", "c", "", "the service's configuration file (default "+defaultFile+", if it is there)")
	flags.String("dir", embeddedDir, "the directory of a service on an embedded broker; used if no configuration is given")
	flags.String("topic", "", "the source topic (default the first of source.topics)")
}

// clientConfig is the configuration of the service whose topics are meant: the file's, or that of an embedded broker which
// runs in --dir.
func clientConfig(cmd *cobra.Command) (c config.Config, source string, err error) {
	dir := cmd.Flag("dir").Value.String()
	named := cmd.Flag("config").Value.String() != ""
	address, err := embeddedAddress(dir)
	if err != nil {
		return c, "", err
	}
	useEmbedded := address != "" && !named && (cmd.Flag("dir").Changed || configPath(nil) == "")
	if c, err = serviceConfig(cmd, useEmbedded, dir); err != nil {
		if address == "" && !named && configPath(nil) == "" {
			return c, "", fmt.Errorf("no service to talk to: give its configuration with --config, or start one with `unecho run --embedded --dir %s`", dir)
		}
		return c, "", err
	}
	if useEmbedded {
		c.Kafka = broker.DefaultParams()
		c.Kafka.Brokers = []string{address}
	}
	source = c.Source.Topics[0]
	if name := cmd.Flag("topic").Value.String(); name != "" {
		source = name
	}
	return c, source, nil
}

// embeddedAddress is where the embedded broker of a directory listens, or "" if none runs there.
func embeddedAddress(dir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, broker.AddressFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("find embedded broker: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

func clientLogger(cmd *cobra.Command, c config.Config) (zerolog.Logger, error) {
	if !cmd.Flag(logLevelFlag).Changed {
		c.Log.Level = "error"
	}
	return newLogger(cmd.ErrOrStderr(), c.Log)
}
