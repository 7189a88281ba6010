package session

import (
	"sync/atomic"
	"time"

	"github.com/unecho/unecho/sink"
)

// Counters count over all sessions that a process has, at the same time and one after the other.
type Counters struct {
	Unique, Reemitted, Duplicate atomic.Uint64
	Commits, Rebuilds, Deleted   atomic.Uint64
	Partitions                   atomic.Int64
	rejected                     [16]atomic.Uint64
	sign, judge, forward         histogram
}

// Rejected counts by reason.
func (c *Counters) Rejected() map[sink.Reason]uint64 {
	n := map[sink.Reason]uint64{}
	for i, r := range sink.Reasons() {
		n[r] = c.rejected[i].Load()
	}
	return n
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

// outputs says how many documents of a batch went where.
type outputs struct {
	unique, reemitted, duplicate uint64
	rejected                     map[sink.Reason]uint64
}

// outputs counts a batch by what was produced. A commit forgets what outputs have refused of it.
func (b *batch) outputs() outputs {
	o := outputs{rejected: map[sink.Reason]uint64{}}
	for i := range b.groups {
		g := &b.groups[i]
		for k := range g.items {
			it := &g.items[k]
			switch {
			case g.Aside(&it.Document):
				reason, _ := it.reason()
				o.rejected[reason]++
			case it.Verdict.Reemitted:
				o.unique++
				o.reemitted++
			case it.Verdict.Unique():
				o.unique++
			default:
				o.duplicate++
			}
		}
	}
	return o
}

// committed adds a batch that was committed.
func (c *Counters) committed(o outputs) {
	for reason, n := range o.rejected {
		c.rejected[reasonNumber(reason)].Add(n)
	}
	c.Unique.Add(o.unique)
	c.Reemitted.Add(o.reemitted)
	c.Duplicate.Add(o.duplicate)
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
