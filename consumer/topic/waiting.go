package topic

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
)

// waiting are records of a partition, in their order, behind one whose transaction has not ended for the reader.
//
// A broker names the aborted transactions to a reader of committed records, but not always all of them. Kafka up to
// 4.3.1 writes a wrong last stable offset into its index where a follower appends at once the end of a transaction,
// another transaction of the same producer and the beginning of one of another producer
// (ProducerStateManager.findNextIncompleteTxn). When that follower leads, it leaves the second transaction out of some
// answers. The marker at the end of a transaction always tells.
type waiting struct {
	records []awaited
	room    *int // bytes that may still wait, of all partitions; where there is none the broker's word counts
}

type awaited struct {
	*kgo.Record
	open, aborted bool
}

// mostWaiting is how many bytes of records wait, of all partitions that are read at a time.
const mostWaiting = 32 << 20

// take takes the next record of the partition, and hands out those that wait for nothing any more.
func (w *waiting) take(r *kgo.Record, fn func(*kgo.Record) error) error {
	if r.Attrs.IsControl() {
		for i := range w.records {
			if of := &w.records[i]; of.open && of.ProducerID == r.ProducerID {
				of.open, of.aborted = false, aborts(r)
			}
		}
	} else {
		w.records = append(w.records, awaited{Record: r, open: r.Attrs.IsTransactional()})
		*w.room -= size(r)
	}
	open := slices.IndexFunc(w.records, func(of awaited) bool { return of.open })
	if open < 0 || *w.room < 0 {
		open = len(w.records)
	}
	return w.release(open, fn)
}

// release hands out the first n records, but for the aborted ones.
func (w *waiting) release(n int, fn func(*kgo.Record) error) error {
	for _, of := range w.records[:n] {
		*w.room += size(of.Record)
		if of.aborted {
			continue
		}
		if err := fn(of.Record); err != nil {
			return err
		}
	}
	w.records = slices.Delete(w.records, 0, n)
	return nil
}

// size is roughly the memory of a record.
func size(r *kgo.Record) int { return len(r.Key) + len(r.Value) + 200 }

// aborts says whether a control record is the marker of an abort: its key is a version and a type, of two bytes each.
func aborts(r *kgo.Record) bool { return len(r.Key) >= 4 && r.Key[2] == 0 && r.Key[3] == 0 }
