package member

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/window"
)

const (
	// searchAtOnce bounds the entries of a record that are looked up ahead together.
	searchAtOnce = 256
	// pagesAhead bounds the pages that are read for them, but for those of lookups that have begun: 8 MiB, and 4 MiB. With
	// what is wanted of the tail, 4 MiB, it is no more than the window keeps between two entries.
	pagesAhead = 2048
)

// applied applies a record, and reads what that takes of files: ahead, for many entries at once, and in its turn what
// that has left out.
func (o *old) applied(ctx context.Context, at index.Stamp, rec index.Record) (index.Effect, error) {
	searched := o.readAhead(ctx, rec, 0)
	effect := o.f.replica.Apply(at, rec)
	for len(effect.Wanted) > 0 {
		if effect.Entry >= searched {
			o.f.replica.Files().Done() // of the entries before
			searched = o.readAhead(ctx, rec, effect.Entry)
		} else if err := o.give(ctx, effect.Wanted); err != nil {
			return effect, err
		}
		effect = o.f.replica.Resume()
	}
	return effect, nil
}

// readAhead reads at once what the entries of a record, from one of them on, will probably want, and returns the one behind
// the last. What cannot be read now is wanted again in its turn.
func (o *old) readAhead(ctx context.Context, rec index.Record, from int) (searched int) {
	if o.f.Files == nil {
		return 0
	}
	by := o.f.replica.Ahead(rec, from, searchAtOnce)
	if wanted := o.f.replica.Files().Wanted(); len(wanted) > 0 {
		o.readWanted(ctx, wanted)
	}
	if len(by.Entries) == 0 {
		return from + searchAtOnce
	}
	all, n := o.search(ctx, &by)
	for _, s := range all {
		o.f.replica.Files().Know(s)
	}
	if n == len(by.Entries) {
		return from + searchAtOnce
	}
	return from + n // or more, where some have nothing to be looked up by
}

// search looks entries up among the documents of blocks, on all cores, without mu, which the caller holds. It returns how
// many it has looked up.
func (o *old) search(ctx context.Context, by *window.Search) (all []*window.Search, n int) {
	defer o.f.Counters.waits(time.Now())
	all = make([]*window.Search, min(readAtOnce, len(by.Entries)))
	var next, pages atomic.Int64
	o.unlocked(func() {
		var group sync.WaitGroup
		for k := range all {
			s := *by
			s.Pages = map[window.Want][]byte{}
			s.Read = func(w window.Want) ([]byte, error) {
				pages.Add(1)
				return o.readOne(ctx, w)
			}
			all[k] = &s
			group.Go(func() {
				for pages.Load() < pagesAhead {
					i := next.Add(1) - 1
					if i >= int64(len(s.Entries)) {
						return
					}
					s.Lookup(s.Entries[i])
				}
			})
		}
		group.Wait()
	})
	return all, max(1, min(int(next.Load()), len(by.Entries)))
}
