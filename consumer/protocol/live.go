package protocol

import (
	"math"

	"github.com/unecho/unecho/index"
)

// live is the mode of a group that forwards what comes. What it took over from another group it forwards from there on.
type live struct{}

// First is where sources.start says for a partition that the topic had when the journal first heard of it. One that was
// added since begins at its earliest offset. Who took over begins there.
func (live) First(f *Findings) int64 {
	if from, known := at(f.Duty.From, f.Source); known {
		return max(f.Begin, from)
	}
	if f.Latest && f.Source.Partition < f.Among {
		return f.End
	}
	return f.Begin
}

func (live) Adjust(_ *Findings, d Decision) Decision { return d }

// Metadata says from where on the journal has not heard, where documents were passed on.
func (live) Metadata(a *Assignment) string {
	if a.Bypasses || a.HasUnjournaled() {
		return BypassedMetadata(a.Epoch, a.Start, a.Journaled())
	}
	return marked(Metadata(a.Epoch, a.Start), a.New)
}

func (live) Finite() bool { return false }

func (live) Fixed() (at int64, ok bool) { return 0, false }

func (live) Reads(*TopicPartition) (bool, error) { return true, nil }

func (live) Partitions(_ string, now int) int { return now }

func (live) Fed() bool { return false }

func (live) MayBypass() bool { return true }

func (live) Reach(*Assignment, *index.Replica) int64 { return math.MaxInt64 }

func (live) Lead(_, _ int) int { return 1 }

func (live) Worth(*Assignment, int64, int) bool { return true }

func (live) Due(*Assignment, int) bool { return false }

func (live) Overtaken(a *Assignment, begin int64) bool { return begin > a.Base }
