package consumer

import (
	"slices"
	"time"

	"github.com/unecho/unecho/consumer/standing"
	"github.com/unecho/unecho/index/entry"
)

// PartitionLag is how far the group is behind in a partition that this process reads.
type PartitionLag struct {
	entry.PartitionName
	Documents int64
	Seconds   float64 // age of the oldest document that is not committed, or a little more; -1 when unknown
}

// mostPartitions bounds how many partitions have a lag of their own, and with that what a collector keeps of a process.
const mostPartitions = 1000

// lagTimes tells for how long partitions have lagged.
type lagTimes struct {
	caughtUp map[entry.PartitionName]time.Time // when a partition was last read to its end
}

// ours returns the lags of the partitions that this process reads, in order. of is the lag of each partition of the
// source that is known.
func (l *lagTimes) ours(of map[entry.PartitionName]int64, reaches []standing.Reach, now time.Time) (all []PartitionLag) {
	caughtUp := make(map[entry.PartitionName]time.Time, len(of))
	for at, lag := range of {
		if last, ok := l.caughtUp[at]; ok {
			caughtUp[at] = last
		}
		if lag == 0 {
			caughtUp[at] = now
		}
	}
	l.caughtUp = caughtUp
	for _, r := range reaches {
		if lag, known := of[r.PartitionName]; known {
			all = append(all, PartitionLag{
				PartitionName: r.PartitionName, Documents: lag, Seconds: waited(lag, r.Written, caughtUp[r.PartitionName], now),
			})
		}
	}
	sortLags(all)
	return all[:min(len(all), mostPartitions)]
}

// everyLag returns the lags of all partitions, in order.
func everyLag(of map[entry.PartitionName]int64, ours []PartitionLag) []PartitionLag {
	seconds := make(map[entry.PartitionName]float64, len(ours))
	for _, l := range ours {
		seconds[l.PartitionName] = l.Seconds
	}
	all := make([]PartitionLag, 0, len(of))
	for at, lag := range of {
		s, known := seconds[at]
		if !known {
			s = -1
		}
		all = append(all, PartitionLag{PartitionName: at, Documents: lag, Seconds: s})
	}
	sortLags(all)
	return all[:min(len(all), mostPartitions)]
}

func sortLags(all []PartitionLag) {
	slices.SortFunc(all, func(a, b PartitionLag) int { return a.Compare(b.PartitionName) })
}

// waited returns for how many seconds the oldest document that is not committed has waited. It came after the last one
// that was committed, and after the partition was last read to its end; the later of both is the better bound. It
// returns -1 if neither is known.
func waited(lag int64, written, caughtUp, now time.Time) float64 {
	since := written
	if caughtUp.After(since) {
		since = caughtUp
	}
	switch {
	case lag == 0:
		return 0
	case since.IsZero():
		return -1
	}
	return max(0, now.Sub(since).Seconds())
}
