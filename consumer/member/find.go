package member

import (
	"context"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// Bounds of a search for a document.
const (
	seekStep   = 2048 // documents looked at while the journal waits: some 100 us
	seekAtOnce = 2
)

// Whereabouts is what the replica knows of a document, by its coordinates.
type Whereabouts struct {
	Known *index.Known // nil: the index does not remember it
	// Verdict is that of a document that is not known to be committed. Held says that there is one.
	Verdict index.Verdict
	Source  entry.Source // set if Held
	Held    bool
	// Reached is the offset below which everything of the partition is judged; Partition says that the journal knows the
	// partition.
	Reached   int64
	Partition bool

	Stats index.Stats // of the moment
}

// Find looks for a document by its coordinates. The index is searched in steps, and the journal is applied in
// between. It returns ErrBusy if others search, ErrNoReplica after the replica's time, and the cause of ctx.
func (f *Follower) Find(ctx context.Context, topic string, partition int32, offset int64) (w Whereabouts, err error) {
	select {
	case f.seeks <- struct{}{}:
		defer func() { <-f.seeks }()
	default:
		return w, ErrBusy
	}
	s := index.Search{Topic: topic, Partition: partition, Offset: offset}
	for done := false; !done; {
		select {
		case <-ctx.Done():
			return w, context.Cause(ctx)
		case <-f.ended:
			return w, ErrNoReplica
		default:
		}
		f.Look(func(r *index.Replica) {
			if w.Known, done = r.Seek(&s, seekStep); !done {
				return
			}
			w.Verdict, w.Source, w.Held = r.Judged(topic, partition, offset)
			w.Reached, w.Partition = r.Reached(topic, partition)
			w.Stats = r.Stats()
		})
	}
	return w, nil
}
