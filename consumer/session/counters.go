package session

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/unecho/unecho/sink"
)

// Counters count over all sessions that a process has, at the same time and one after the other.
type Counters struct {
	Commits, Rebuilds, Deleted atomic.Uint64
	Outages                    atomic.Uint64 // of the journal, in which a session passed documents on unchecked
	Recorded                   atomic.Uint64 // documents that were passed on, and brought to the journal since
	Passing                    atomic.Int64  // sessions that pass documents on now
	Partitions                 atomic.Int64
	reemitted                  atomic.Uint64
	rejected                   [maxReasons]atomic.Uint64
	sign, judge, forward       histogram
	similarity, delay          distribution
	topics                     []string // of the source
	verdicts                   []topicCounters
}

// maxReasons is more than there are reasons.
const maxReasons = 16

type topicCounters struct{ unique, duplicate, rejected, unchecked atomic.Uint64 }

// Verdicts say how many documents of a source topic were committed.
type Verdicts struct {
	Topic                       string
	Unique, Duplicate, Rejected uint64
	Unchecked                   uint64 // forwarded as unique without being judged; not counted as unique
}

// Output says what was committed.
type Output struct {
	Unique, Duplicate uint64
	Reemitted         uint64 // of the unique ones, copies that were emitted again
	Unchecked         uint64 // forwarded as unique without being judged; not counted as unique
	Rejected          map[sink.Reason]uint64
	Topics            []Verdicts // in the order in which the configuration names them

	Similarity Histogram // of matches; those that came through as unique, too
	Delay      Histogram // seconds from a document's timestamp to its commit
}

// NewCounters counts for these topics of the source.
func NewCounters(topics []string) *Counters {
	return &Counters{topics: topics, verdicts: make([]topicCounters, len(topics))}
}

// Output reads what was committed.
func (c *Counters) Output() Output {
	o := Output{
		Reemitted: c.reemitted.Load(), Rejected: map[sink.Reason]uint64{},
		Similarity: c.similarity.read(similarities()), Delay: c.delay.read(delays()),
	}
	for i, topic := range c.topics {
		v := &c.verdicts[i]
		t := Verdicts{Topic: topic, Unique: v.unique.Load(), Duplicate: v.duplicate.Load(), Rejected: v.rejected.Load()}
		t.Unchecked = v.unchecked.Load()
		o.Unique, o.Duplicate, o.Topics = o.Unique+t.Unique, o.Duplicate+t.Duplicate, append(o.Topics, t)
		o.Unchecked += t.Unchecked
	}
	for i, r := range sink.Reasons() {
		o.Rejected[r] = c.rejected[i].Load()
	}
	return o
}

// Latency reads the histograms.
func (c *Counters) Latency() Latency {
	return Latency{Sign: c.sign.read(), Judge: c.judge.read(), Forward: c.forward.read()}
}

func (c *Counters) latency(sign, judge, forward time.Duration) {
	c.sign.observe(sign)
	c.judge.observe(judge)
	c.forward.observe(forward)
}

// outputs says how many documents of a batch went where. A session uses its own again and again.
type outputs struct {
	topics            []Verdicts // as Counters has them
	reemitted         uint64
	rejected          [maxReasons]uint64
	similarity, delay sample
}

// count counts a batch by what was produced. A commit forgets what outputs have refused of it.
func (o *outputs) count(b *batch, c *Counters) {
	*o = outputs{topics: append(o.topics[:0], make([]Verdicts, len(c.topics))...)}
	scale := similarities()
	for i := range b.groups {
		g := &b.groups[i]
		v := &o.topics[slices.Index(c.topics, g.Topic)]
		for k := range g.items {
			it := &g.items[k]
			if g.Aside(&it.Document) {
				reason, _ := it.reason()
				o.rejected[reasonNumber(reason)]++
				v.Rejected++
				continue
			}
			if !it.Judged {
				v.Unchecked++
				continue
			}
			if it.Verdict.Matched() {
				scale.count(&o.similarity, int64(it.Verdict.Match.Similarity.TenThousandths()))
			}
			if it.Verdict.Unique() {
				v.Unique++
			} else {
				v.Duplicate++
			}
			if it.Verdict.Reemitted {
				o.reemitted++
			}
		}
	}
}

// delays counts how long ago the documents of a batch were written, when it is committed. A document without a
// timestamp is not counted, and one from the future took no time.
func (o *outputs) delays(b *batch, now int64) {
	scale := delays()
	for i := range b.groups {
		items := b.groups[i].items
		for k := range items {
			if written := items[k].record.Timestamp.UnixMilli(); written >= 0 {
				scale.count(&o.delay, max(0, now-written))
			}
		}
	}
}

// committed adds a batch that was committed.
func (c *Counters) committed(o *outputs) {
	for i := range o.topics {
		c.verdicts[i].unique.Add(o.topics[i].Unique)
		c.verdicts[i].duplicate.Add(o.topics[i].Duplicate)
		c.verdicts[i].rejected.Add(o.topics[i].Rejected)
		c.verdicts[i].unchecked.Add(o.topics[i].Unchecked)
	}
	for i, n := range o.rejected {
		c.rejected[i].Add(n)
	}
	c.reemitted.Add(o.reemitted)
	c.similarity.add(&o.similarity)
	c.delay.add(&o.delay)
	c.Commits.Add(1)
}

func reasonNumber(reason sink.Reason) int {
	for i, r := range sink.Reasons() {
		if r == reason {
			return i
		}
	}
	return len(sink.Reasons())
}
