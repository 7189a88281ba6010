package consumer

import (
	"cmp"
	"slices"
	"time"

	"github.com/unecho/unecho/consumer/session"
)

// sourceAt is a partition of the source.
type sourceAt struct {
	topic     string
	partition int32
}

// PartitionLag is how far the group is behind in a partition that this process reads.
type PartitionLag struct {
	Topic     string
	Partition int32
	Documents int64
	Seconds   float64 // age of the oldest document that is not committed, or a little more; -1 when unknown
}

// mostPartitions bounds how many partitions have a lag of their own, and with that what a collector keeps of a process.
const mostPartitions = 1000

// lagTimes tells for how long partitions have lagged.
type lagTimes struct {
	caughtUp map[sourceAt]time.Time // when a partition was last read to its end
}

// ours returns the lags of the partitions that this process reads, in order. of is the lag of each partition of the
// source that is known.
func (l *lagTimes) ours(of map[sourceAt]int64, reaches []session.Reach, now time.Time) (all []PartitionLag) {
	caughtUp := make(map[sourceAt]time.Time, len(of))
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
		at := sourceAt{r.Topic, r.Partition}
		if lag, known := of[at]; known {
			all = append(all, PartitionLag{
				Topic: r.Topic, Partition: r.Partition, Documents: lag, Seconds: waited(lag, r.Written, caughtUp[at], now),
			})
		}
	}
	sortLags(all)
	return all[:min(len(all), mostPartitions)]
}

// everyLag returns the lags of all partitions, in order.
func everyLag(of map[sourceAt]int64, ours []PartitionLag) []PartitionLag {
	seconds := make(map[sourceAt]float64, len(ours))
	for _, l := range ours {
		seconds[sourceAt{l.Topic, l.Partition}] = l.Seconds
	}
	all := make([]PartitionLag, 0, len(of))
	for at, lag := range of {
		s, known := seconds[at]
		if !known {
			s = -1
		}
		all = append(all, PartitionLag{Topic: at.topic, Partition: at.partition, Documents: lag, Seconds: s})
	}
	sortLags(all)
	return all[:min(len(all), mostPartitions)]
}

func sortLags(all []PartitionLag) {
	slices.SortFunc(all, func(a, b PartitionLag) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
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
