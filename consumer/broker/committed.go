package broker

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/unecho/unecho/consumer/retry"
)

// ErrOpen says that a transaction was still open when the time was up.
var ErrOpen = errors.New("a transaction is open")

// committedPoll is how often the ends of topics are looked at.
const committedPoll = 20 * time.Millisecond

// AwaitCommittedEnds waits until no transaction is open in topics, and returns their ends. Kafka answers that a
// transaction is committed a moment before it writes that into the topics, and a reader that asks for the ends in
// between sees them too early. A partition without a leader and a topic that there is not are waited for as well,
// until ctx ends.
func AwaitCommittedEnds(ctx context.Context, admin *kadm.Client, topics ...string) (kadm.ListedOffsets, error) {
	return awaitCommitted(ctx, admin, false, topics)
}

// AwaitCommitted waits until all that stands in topics now can be read by who reads committed records only, but for what was
// aborted. Transactions that begin meanwhile are not waited for. When ctx ends, the error is its cause beside
// ErrOpen, or beside what kept the brokers from answering.
func AwaitCommitted(ctx context.Context, admin *kadm.Client, topics ...string) error {
	_, err := awaitCommitted(ctx, admin, true, topics)
	return err
}

// awaitCommitted waits until no transaction is open below the ends of topics. These are the ends at its beginning, or
// at last.
func awaitCommitted(ctx context.Context, admin *kadm.Client, atFirst bool, topics []string) (kadm.ListedOffsets, error) {
	var ends kadm.ListedOffsets
	for last := ErrOpen; ; {
		var err error
		if ends == nil || !atFirst {
			ends, err = AllOffsets(ctx, admin.ListEndOffsets, topics...)
		}
		var stable kadm.ListedOffsets
		if err == nil {
			stable, err = AllOffsets(ctx, admin.ListCommittedOffsets, topics...)
		} else {
			ends = nil
		}
		if err != nil && !Transient(err) {
			return nil, err
		}
		switch {
		case err == nil && reach(stable, ends):
			return stable, nil
		case err == nil:
			last = ErrOpen
		case ctx.Err() == nil:
			last = err
		}
		if err := retry.Pause(ctx, committedPoll); err != nil {
			return nil, errors.Join(err, last)
		}
	}
}

// reach says whether each offset is at its end at least.
func reach(offsets, ends kadm.ListedOffsets) bool {
	all := true
	ends.Each(func(end kadm.ListedOffset) {
		at, ok := offsets.Lookup(end.Topic, end.Partition)
		all = all && ok && at.Offset >= end.Offset
	})
	return all
}
