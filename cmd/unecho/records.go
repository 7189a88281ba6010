package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/internal/corpus"
)

// records reads records of topics as the service does, for verbs that otherwise need no Kafka.
type records struct {
	options topic.Options
	reader  *corpus.TopicReader
}

func addEmbeddedFlag(cmd *cobra.Command) {
	cmdline.Add(cmd, cmdline.Service, func(f cmdline.Flags) {
		f.Text("dir", "dir", embeddedDir, "the directory of a service on an embedded broker; used if no configuration is given")
	})
}

// newRecords reaches the cluster of the configuration, or else the embedded broker that runs in --dir.
func newRecords(cmd *cobra.Command, c config.Config) (*records, error) {
	address, err := embeddedAddress(cmd.Flag("dir").Value.String())
	if err != nil {
		return nil, err
	}
	configured := cmd.Flag("config").Changed || cmdline.ConfigPath(nil) != "" || len(c.Kafka.Brokers) > 0
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
	r.reader, err = corpus.NewTopicReader(c.Document)
	return r, err
}
