package target

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/topic"
)

// Records reaches the cluster of the configuration, for verbs that otherwise need no Kafka. The reader reads records as
// the service does.
func Records(cmd *cobra.Command, c config.Config) (opts topic.Options, reader *corpus.TopicReader, err error) {
	if len(c.Kafka.Brokers) == 0 {
		return opts, nil, exit.Usage(errors.New("no cluster to read from: name the service's configuration by --config, or " +
			"its brokers by --set kafka.brokers=localhost:9092"))
	}
	if opts, err = kafka(cmd, c); err != nil {
		return opts, nil, err
	}
	reader, err = corpus.NewTopicReader(c.Readings())
	return opts, reader, err
}
