package backfills

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/unecho/unecho/consumer/backfill"
)

// settleTold is how long a job waits for its outputs before it says so.
const settleTold = time.Second

// settle waits until who reads the outputs sees all that the job forwarded: Kafka acknowledges a commit a moment before
// its marker stands in the outputs. A transaction of somebody else may be open there for as long as it likes; the job
// waits for as long as one of its own could be.
func (v *process) settle(ctx context.Context) {
	topics := v.outputs()
	if len(topics) == 0 {
		return
	}
	told := time.AfterFunc(settleTold, func() {
		v.say("all is judged; a transaction is open in the outputs, and whoever reads them does not see all of it yet")
	})
	defer told.Stop()
	ctx, cancel := context.WithTimeout(ctx, 2*v.config.Consumer.TransactionTimeout)
	defer cancel()
	switch err := backfill.Settled(ctx, v.job.Kafka, topics...); {
	case errors.Is(err, context.DeadlineExceeded):
		v.say("somebody else's transaction is still open in the outputs: whoever reads them sees all when it ends; unecho " +
			"doctor names it")
	case err != nil:
		v.logger.Warn().Err(err).Msg("whether the outputs can be read to their ends could not be asked")
	}
}

// outputs are the topics that the job forwards to.
func (v *process) outputs() (topics []string) {
	if v.config.Sink.DryRun {
		return nil
	}
	for _, source := range v.config.Source.Topics {
		unique, duplicate, rejected := v.config.Sink.Topics(source)
		topics = append(topics, unique, duplicate, rejected)
	}
	slices.Sort(topics)
	return slices.Compact(topics)
}
