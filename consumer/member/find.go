package member

import (
	"context"
	"errors"
	"fmt"
	"maps"
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
	// readsSought bounds the reads of searches that are under way: one that hangs stays so when its search has ended.
	readsSought = 4
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
// A step takes some 100 us. What it wants of files is read before it is called again, and holds nobody up. Search returns
// ErrNoReplica after the replica's time, and the cause of ctx.
func (f *Follower) Search(ctx context.Context, step func(*index.Replica) (done bool)) error {
	pages, healed := map[window.Want][]byte{}, map[string]bool{}
	for ctx.Err() == nil {
		select {
		case f.steps <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-f.ended:
			return ErrNoReplica
		}
		done, wanted := f.step(step, pages)
		<-f.steps
		if err := f.old.readSought(ctx, wanted, pages, healed); done || err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// sought are pages that a step of a search wants, and what says whether they are what was written.
type sought map[window.Want]window.Sounder

// stepOf takes a step with the pages that were read for it. It returns what the step wants besides: then it is to be taken
// again.
func stepOf(r *index.Replica, step func(*index.Replica) bool, pages map[window.Want][]byte) (done bool, wanted sought) {
	of := r.Files()
	of.Again()
	of.Take(pages)
	done, wanted = step(r), sought{}
	for _, w := range of.Wanted() {
		wanted[w] = of.Sounder(w.File)
	}
	of.Done()
	if len(wanted) == 0 { // the next step goes on in the file that is walked
		maps.DeleteFunc(pages, func(w window.Want, _ []byte) bool { return w.Page != window.Whole })
	}
	return done && len(wanted) == 0, wanted
}

// readSought reads what a step wants. A file that cannot be read, or is damaged, is healed once: the next step wants it again.
func (o *old) readSought(ctx context.Context, wanted sought, pages map[window.Want][]byte, healed map[string]bool) error {
	for w, by := range wanted {
		if w.Page == window.Whole {
			clear(pages) // the file before it was walked
		}
		data, err := o.mayHang(ctx, w.File, func(ctx context.Context) ([]byte, error) { return o.pager.Read(ctx, w) })
		if err == nil && !by.Sound(w.Page, data) {
			err = window.ErrDamaged
		}
		if err == nil {
			if pages[w] = data; w.Page == window.Whole {
				o.whole(w.File)
			}
			continue
		}
		if ctx.Err() != nil || errors.Is(err, ErrNoReplica) {
			return err
		}
		if !o.needs(w.File) {
			continue // the next step does not want it
		}
		if !healed[w.File] {
			why := err
			healed[w.File] = true
			_, err = o.mayHang(ctx, w.File, func(ctx context.Context) ([]byte, error) {
				return nil, o.healAside(ctx, w.File, why)
			})
		}
		if err != nil {
			return fmt.Errorf("search among old documents: file %s: %w", w.File, err)
		}
	}
	return nil
}

// mayHang does something with a file for a search, which ends with ctx and with the replica's time, also while the disk does
// not answer. If that lasts it is logged.
func (o *old) mayHang(ctx context.Context, file string, do func(context.Context) ([]byte, error)) ([]byte, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	for begin := o.seeking; ; begin = nil {
		select {
		case begin <- struct{}{}:
			lasts := time.AfterFunc(haltsAfter, func() {
				o.f.Logger.Warn().Str("file", file).Msg("a search among old documents waits for a file")
			})
			go func() {
				defer func() { <-o.seeking }()
				defer lasts.Stop()
				data, err := do(ctx)
				done <- result{data, err}
			}()
		case r := <-done:
			return r.data, r.err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-o.f.ended:
			return nil, ErrNoReplica
		}
	}
}

// step takes one step and rests after it.
func (f *Follower) step(step func(*index.Replica) bool, pages map[window.Want][]byte) (done bool, wanted sought) {
	rest := seekRest
	f.Look(func(r *index.Replica) {
		if !f.within {
			begun := time.Now()
			done, wanted = stepOf(r, step, pages)
			rest = time.Since(begun)
		}
	})
	time.Sleep(rest)
	return done, wanted
}
