// Package measure counts what the sessions of a process have committed, and how long it took.
//
// A session counts a batch apart from the others, and adds it to the Counters when its transaction is committed: what was
// aborted is in no count but that of the time it took. Labels come from closed sets, and the number of topics that are
// counted apart is bounded. Package ops renders the counts as metrics; rates and warnings are for package api.
package measure

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/sink"
)

// Counters count over all sessions that a process has, at the same time and one after the other.
type Counters struct {
	Commits, Rebuilds, Deleted atomic.Uint64
	Skipped                    atomic.Uint64 // offsets that somebody else's commits left out
	Outages                    atomic.Uint64 // of the journal, in which a session passed documents on unchecked
	Recorded                   atomic.Uint64 // documents that were passed on, and brought to the journal since
	Passing                    atomic.Int64  // sessions that pass documents on now
	Partitions                 atomic.Int64
	reemitted, byBytes         atomic.Uint64
	met                        [maxReasons]atomic.Bool
	sign, judge, forward       Distribution
	similarity, delay          Distribution

	mu                  sync.RWMutex
	topics              []string // of the source
	verdicts            []*topicCounters
	rejected, unchecked [maxReasons]tally
}

// mostTopics bounds how many topics of the source are counted apart, and with that what a collector keeps of a process.
// Topics that come after so many are counted as otherTopics.
const mostTopics = 1000

// otherTopics stands for the topics that are not counted apart. No topic has that name.
const otherTopics = "(others)"

// maxReasons is more than there are reasons to reject a document, or to leave it unchecked.
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
	UncheckedBy       map[sink.UncheckedReason]uint64
	ByBytes           uint64 // compared by their bytes, because too much of them cannot be read
	Rejected          map[sink.Reason]uint64
	LastRejected      map[sink.Reason][]Example // the newest first; a reason that no document had is not there
	LastUnchecked     map[sink.UncheckedReason][]Example
	Topics            []Verdicts // those that the configuration names in its order, and then others as they came

	Similarity Histogram // of matches; those that came through as unique, too
	Delay      Histogram // seconds from a document's timestamp to its commit
}

// NewCounters counts for these topics of the source.
func NewCounters(topics []string) *Counters {
	c := &Counters{}
	for _, topic := range topics {
		c.Count(topic)
	}
	return c
}

// Count has a topic counted from now on, and returns its number.
func (c *Counters) Count(topic string) int {
	c.mu.RLock()
	at := slices.Index(c.topics, topic)
	c.mu.RUnlock()
	if at >= 0 {
		return at
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.topics) >= mostTopics {
		topic = otherTopics
	}
	if at := slices.Index(c.topics, topic); at >= 0 {
		return at
	}
	c.topics, c.verdicts = append(c.topics, topic), append(c.verdicts, &topicCounters{})
	return len(c.topics) - 1
}

// Output reads what was committed.
func (c *Counters) Output() Output {
	o := Output{
		Reemitted: c.reemitted.Load(), ByBytes: c.byBytes.Load(),
		Rejected: map[sink.Reason]uint64{}, UncheckedBy: map[sink.UncheckedReason]uint64{},
		LastRejected: map[sink.Reason][]Example{}, LastUnchecked: map[sink.UncheckedReason][]Example{},
		Similarity: c.similarity.Read(similarities()), Delay: c.delay.Read(delays()),
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	for i, topic := range c.topics {
		v := c.verdicts[i]
		t := Verdicts{Topic: topic, Unique: v.unique.Load(), Duplicate: v.duplicate.Load(), Rejected: v.rejected.Load()}
		t.Unchecked = v.unchecked.Load()
		o.Unique, o.Duplicate, o.Topics = o.Unique+t.Unique, o.Duplicate+t.Duplicate, append(o.Topics, t)
		o.Unchecked += t.Unchecked
	}
	for i, r := range sink.Reasons() {
		if o.Rejected[r] = c.rejected[i].count; o.Rejected[r] > 0 {
			o.LastRejected[r] = c.rejected[i].newest()
		}
	}
	for i, r := range sink.UncheckedReasons() {
		if o.UncheckedBy[r] = c.unchecked[i].count; o.UncheckedBy[r] > 0 {
			o.LastUnchecked[r] = c.unchecked[i].newest()
		}
	}
	return o
}

// Latency reads the histograms.
func (c *Counters) Latency() Latency {
	s := latencies()
	return Latency{Sign: c.sign.Read(s), Judge: c.judge.Read(s), Forward: c.forward.Read(s)}
}

// Took adds how long the stages of a batch took.
func (c *Counters) Took(sign, judge, forward time.Duration) {
	s := latencies()
	c.sign.Observe(s, int64(sign))
	c.judge.Observe(s, int64(judge))
	c.forward.Observe(s, int64(forward))
}

// Meets says that a reason is met for the first time.
func (c *Counters) Meets(reason sink.Reason) bool {
	return !c.met[slices.Index(sink.Reasons(), reason)].Swap(true)
}

// Batch says how many documents of a batch went where. It serves again and again. The zero value is ready.
type Batch struct {
	topics            []Verdicts // as Counters has them
	reemitted         uint64
	byBytes           uint64
	rejected          [maxReasons]tally
	unchecked         [maxReasons]tally
	similarity, delay sample
}

// Reset begins anew.
func (b *Batch) Reset() { *b = Batch{topics: b.topics[:0]} }

// Rejected counts a document of the topic with that number.
func (b *Batch) Rejected(topic int, reason sink.Reason, e Example) {
	b.rejected[slices.Index(sink.Reasons(), reason)].add(e)
	b.of(topic).Rejected++
}

// Unchecked counts a document that was not judged.
func (b *Batch) Unchecked(topic int, reason sink.UncheckedReason, e Example) {
	b.unchecked[slices.Index(sink.UncheckedReasons(), reason)].add(e)
	b.of(topic).Unchecked++
}

// Judged counts a document by its verdict. ByBytes says that it was compared by its bytes.
func (b *Batch) Judged(topic int, v *index.Verdict, byBytes bool) {
	if byBytes {
		b.byBytes++
	}
	if v.Matched() {
		s := similarities()
		s.count(&b.similarity, int64(v.Match.Similarity.TenThousandths()))
	}
	if v.Unique() {
		b.of(topic).Unique++
	} else {
		b.of(topic).Duplicate++
	}
	if v.Reemitted {
		b.reemitted++
	}
}

// Delay counts how long ago a document was written (ms since 1970), when it is committed. A document without a
// timestamp is not counted, and one from the future took no time.
func (b *Batch) Delay(written, now int64) {
	if written >= 0 {
		s := delays()
		s.count(&b.delay, max(0, now-written))
	}
}

func (b *Batch) of(number int) *Verdicts {
	for len(b.topics) <= number {
		b.topics = append(b.topics, Verdicts{})
	}
	return &b.topics[number]
}

// Committed adds a batch that was committed.
func (c *Counters) Committed(o *Batch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range o.topics {
		c.verdicts[i].unique.Add(o.topics[i].Unique)
		c.verdicts[i].duplicate.Add(o.topics[i].Duplicate)
		c.verdicts[i].rejected.Add(o.topics[i].Rejected)
		c.verdicts[i].unchecked.Add(o.topics[i].Unchecked)
	}
	for i := range maxReasons {
		c.rejected[i].merge(&o.rejected[i])
		c.unchecked[i].merge(&o.unchecked[i])
	}
	c.reemitted.Add(o.reemitted)
	c.byBytes.Add(o.byBytes)
	c.similarity.add(&o.similarity)
	c.delay.add(&o.delay)
	c.Commits.Add(1)
}
