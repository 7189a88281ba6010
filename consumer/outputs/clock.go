package outputs

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/sink"
)

// Clock tells the present, and what outputs would refuse at that time.
type Clock struct {
	*Times
	Mode    protocol.Mode
	Log     *journal.Log
	Replica *member.Follower // nil: there is none yet
	Client  *kgo.Client      // for requests about topics
	Logger  zerolog.Logger
}

// Untimely says why no output would take a document, whatever its verdict.
func (c *Clock) Untimely(r *kgo.Record) (detail string, is bool) {
	now := c.brokers()
	if at, fixed := c.Mode.Fixed(); fixed {
		now = time.UnixMilli(at)
	}
	detail, untimely := c.untimely(r, now)
	return detail, untimely && c.foresees()
}

// foresees says that the present is known well enough to reject by it what no broker has refused. Who foresaw by an old
// comparison of clocks that all documents are untimely would append none, and so never compare again.
func (c *Clock) foresees() bool {
	_, fixed := c.Mode.Fixed()
	return fixed || c.Log.Compared(time.Now(), comparisonLasts)
}

// comparisonLasts is how long a comparison of clocks counts. A clock that was set by less since then is not noticed.
const comparisonLasts = time.Minute

// Check lets the batch deal with documents whose verdict leads to an output that would refuse their time.
func (c *Clock) Check(b *protocol.Batch) {
	now, foresees := c.brokers().UnixMilli(), c.foresees()
	b.CheckTimes(c.Log.Header(), func(a *protocol.Assignment, d *protocol.Document) bool {
		of, known := c.get(a.Topic)
		output := of.unique
		if !d.Verdict.Unique() {
			output = of.duplicate
		}
		takes := sink.Writable(d.Entry.Time) && (!known || !foresees || output.Take(d.Entry.Time, now, -clockMargin))
		return !takes && !c.sink.DryRun
	})
}

// Presence is the present for the records of a batch.
func (c *Clock) Presence() Presence { return c.presence(c.brokers()) }

// Rejected returns the timestamp that a document gets in rejected, anyway or if that topic would refuse its own. It is
// zero if the document may keep its own.
func (c *Clock) Rejected(r *kgo.Record, anyway bool, present Presence) (at time.Time) {
	of, known := c.get(r.Topic)
	ms := r.Timestamp.UnixMilli()
	if anyway || !sink.Writable(ms) || known && !of.rejected.Take(ms, c.brokers().UnixMilli(), clockMargin) {
		_, _, rejected := c.sink.Topics(r.Topic)
		return present.In(rejected)
	}
	return at
}

// brokers is the present time, as far as it is known by the clock of the journal's broker: this machine's may be off, and
// what outputs take is decided by brokers.
func (c *Clock) brokers() time.Time {
	ahead, _ := c.Log.Ahead()
	applied := int64(0)
	if c.Replica != nil {
		applied = c.Replica.Reading().AppendTime
	}
	return corrected(time.Now(), ahead, applied)
}

// corrected returns a time by this machine's clock, which is ahead of the broker's by so much, as the broker's. It is not
// before what the broker has said (ms since 1970).
func corrected(now time.Time, ahead time.Duration, said int64) time.Time {
	now = now.Add(-ahead)
	if said > now.UnixMilli() {
		return time.UnixMilli(said)
	}
	return now
}

// Refused looks again what decides which times are foreseen as refused, because an output of a source has refused one.
// While a backlog of such documents is refused one by one, and perhaps the journal does not answer either, it is not done
// for each of them.
func (c *Clock) Refused(ctx context.Context, source string) {
	if c.mayReadAgain(time.Now()) {
		_ = c.read(ctx, broker.NewTopics(c.Client, c.Logger), source) // else by what is known
		c.compare(ctx)
	}
}

// compare appends a mark where the clocks were not compared lately: where no document is judged, nothing else is
// appended. It does not wait for a journal that is away.
func (c *Clock) compare(ctx context.Context) {
	if c.foresees() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	mark := journal.Append(nil, &index.Mark{Header: c.Log.Header(), Number: rand.Uint64()})
	if _, err := c.Log.Put(ctx, mark); err != nil {
		c.Logger.Warn().Err(err).Msg("an output refused a timestamp, and the clocks could not be compared by the journal")
	}
}

// RefusedPresent notes that a topic has refused a record's time. It says whether that was the present: then another try,
// without a time, may succeed.
func (c *Clock) RefusedPresent(topic string, present Presence, cause error) bool {
	if present.In(topic).UnixMilli() == broker.Untimed {
		return false
	}
	if c.refuse(topic, time.Now()) {
		c.Logger.Error().Err(cause).Dur("for_ms", mistrust).
			Msg("a topic refuses the present time: records that would have it are written without a time, compare the clocks " +
				"of this machine and the brokers")
	}
	return true
}
