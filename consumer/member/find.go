package member

import (
	"context"
	"fmt"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/window"
)

// Bounds of a search for a document.
const (
	seekStep   = 2048 // documents looked at while the journal waits: some 100 us
	seekAtOnce = 2
	seekRest   = time.Millisecond // where a record is applied in part
)

// Whereabouts is what the replica knows of a document, by its coordinates.
type Whereabouts struct {
	Known *index.Known // nil: the index does not remember it
	// Verdict is that of a document that is not known to be committed. Held says that there is one.
	Verdict index.Verdict
	Source  entry.Source // set if Held or Partition
	Held    bool
	// Reached is the offset below which everything of the partition is judged; Partition says that the journal knows the
	// partition.
	Reached   int64
	Partition bool

	Stats index.Stats // of the moment
}

// Find looks for a document by its coordinates. The index is searched in steps, and the journal is applied in
// between. It returns ErrBusy if too many search, ErrNoReplica after the replica's time, and the cause of ctx.
func (f *Follower) Find(ctx context.Context, topic string, partition int32, offset int64) (w Whereabouts, err error) {
	select {
	case f.seeks <- struct{}{}:
		defer func() { <-f.seeks }()
	default:
		return w, ErrBusy
	}
	s := index.Search{Topic: topic, Partition: partition, Offset: offset}
	err = f.Search(ctx, func(r *index.Replica) (done bool) {
		if w.Known, done = r.Seek(&s, seekStep); !done {
			return false
		}
		w.Source, w.Reached, w.Partition = r.Reached(topic, partition)
		if v, source, held := r.Judged(topic, partition, offset); held {
			w.Verdict, w.Source, w.Held = v, source, true
		}
		w.Stats = r.Stats()
		return true
	})
	return w, err
}

// Search calls step with the replica, as Look does, until it says that it is done. After each step it rests for as
// long as the step took, and searches take turns: so the journal has at least half of the time, however many search.
// A step takes some 100 us. It returns ErrNoReplica after the replica's time, and the cause of ctx.
func (f *Follower) Search(ctx context.Context, step func(*index.Replica) (done bool)) error {
	var last read
	for {
		select {
		case f.steps <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-f.ended:
			return ErrNoReplica
		}
		done, err := f.step(ctx, step, &last)
		<-f.steps
		if done || err != nil {
			return err
		}
	}
}

// read is the file that a search has read last: the next step wants it again.
type read struct {
	file string
	data []byte
}

// stepOf takes a step, and reads what it wants. It holds up the journal for that.
func (o *old) stepOf(ctx context.Context, r *index.Replica, step func(*index.Replica) bool, last *read) (done bool, err error) {
	for {
		r.Files().Again()
		done = step(r)
		wanted := r.Files().Wanted()
		if len(wanted) == 0 {
			return done, nil
		}
		for _, w := range wanted {
			data, err := o.readSought(ctx, w, last)
			if err == nil {
				err = r.Files().Give(w, data)
			}
			if err != nil {
				return false, fmt.Errorf("search among old documents: %w", err)
			}
		}
	}
}

func (o *old) readSought(ctx context.Context, w window.Want, last *read) (data []byte, err error) {
	if w.Page != window.Whole {
		return o.pager.Read(ctx, w)
	}
	if last.file != w.File {
		if data, err = o.pager.Read(ctx, w); err != nil {
			return nil, err
		}
		*last = read{w.File, data}
	}
	return last.data, nil
}

// step takes one step and rests after it.
func (f *Follower) step(ctx context.Context, step func(*index.Replica) bool, last *read) (done bool, err error) {
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	var took time.Duration
	f.Look(func(r *index.Replica) {
		begun := time.Now()
		if took = seekRest; !f.within {
			done, err = f.old.stepOf(ctx, r, step, last)
			took = time.Since(begun)
		}
	})
	if err != nil {
		return false, err
	}
	rest := time.NewTimer(took)
	defer rest.Stop()
	select {
	case <-rest.C:
		return done, nil
	case <-ctx.Done():
		return done, context.Cause(ctx)
	case <-f.ended:
		return done, ErrNoReplica
	}
}
