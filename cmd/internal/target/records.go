package target

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/topic"
)

// AddEmbeddedFlag adds the flag that names a service on an embedded broker, to verbs that otherwise need no Kafka.
func AddEmbeddedFlag(cmd *cobra.Command) {
	cmdline.Add(cmd, cmdline.Service, func(f cmdline.Flags) {
		f.Text("dir", "dir", Dir,
			"the directory of a service on an embedded broker; used if no configuration is given")
	})
}

// Records reaches the cluster of the configuration, or else the embedded broker that runs in --dir, for verbs that
// otherwise need no Kafka. The reader reads records as the service does.
func Records(cmd *cobra.Command, c config.Config) (opts topic.Options, reader *corpus.TopicReader, err error) {
	address, err := Address(cmdline.Text(cmd, "dir"))
	if err != nil {
		return opts, nil, err
	}
	configured := cmd.Flag("config").Changed || cmdline.ConfigPath(nil) != "" || len(c.Kafka.Brokers) > 0
	switch {
	case address != "" && (cmd.Flag("dir").Changed || !configured):
		PointAt(&c, address)
	case len(c.Kafka.Brokers) == 0:
		return opts, nil, exit.Usage(fmt.Errorf("no cluster to read from: name the service's configuration by --config, or " +
			"its brokers by --set kafka.brokers=localhost:9092"))
	}
	if opts, err = kafka(cmd, c); err != nil {
		return opts, nil, err
	}
	reader, err = corpus.NewTopicReader(c.Readings())
	return opts, reader, err
}
