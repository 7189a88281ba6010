package backfills

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/document"
)

// outputsWaitShown is how long a job waits for its outputs before it says so.
const outputsWaitShown = time.Second

// awaitOutputs waits until who reads the outputs sees all that the job forwarded: Kafka acknowledges a commit a moment
// before its marker stands in the outputs. A transaction of somebody else may be open there for as long as it likes;
// the job waits for as long as one of its own could be, and not beyond an interruption.
func (v *process) awaitOutputs(ctx context.Context) {
	topics := v.outputs()
	if len(topics) == 0 {
		return
	}
	err := v.awaitCommitted(ctx, outputsWaitShown, topics)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		if errors.Is(err, broker.ErrOpen) {
			v.report("all is judged; a transaction is open in the outputs, and their readers do not see everything yet")
		}
		err = v.awaitCommitted(ctx, 2*v.config.Consumer.TransactionTimeout, topics)
	}
	switch {
	case err == nil, ctx.Err() != nil:
	case errors.Is(err, broker.ErrOpen):
		v.report("a transaction is still open in the outputs: their readers see everything when it ends; unecho doctor names it")
	default:
		v.logger.Warn().Err(err).Msg("Kafka did not say whether the outputs can be read to their ends")
	}
}

// awaitCommitted waits no longer than that.
func (v *process) awaitCommitted(ctx context.Context, most time.Duration, topics []string) error {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	return backfill.AwaitCommitted(ctx, v.job.Kafka, topics...)
}

// outputs are the topics that the job forwards to.
func (v *process) outputs() (topics []string) {
	if v.config.Sink.DryRun {
		return nil
	}
	for _, source := range document.Named(v.config.Sources) {
		topics = append(topics, v.config.Sink.All(source)...)
	}
	slices.Sort(topics)
	return slices.Compact(topics)
}
