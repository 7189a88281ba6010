package member

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/window"
)

// searchAtOnce bounds the entries of a record that are looked up ahead together: what is read of them is kept until they
// are judged, 10 pages for each or so.
const searchAtOnce = 256

// applied applies a record, and reads what that takes of files: what can be said ahead at once, for many entries.
func (o *old) applied(ctx context.Context, at index.Stamp, rec index.Record) (index.Effect, error) {
	searched := o.readAhead(ctx, rec, 0)
	effect := o.f.replica.Apply(at, rec)
	for len(effect.Wanted) > 0 {
		if err := o.give(ctx, effect.Wanted); err != nil {
			return effect, err
		}
		if effect.Entry >= searched {
			searched = o.readAhead(ctx, rec, effect.Entry)
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
	defer o.f.Counters.waits(time.Now())
	by := o.f.replica.Ahead(rec, from, searchAtOnce)
	if wanted := o.f.replica.Files().Wanted(); len(wanted) > 0 {
		o.readWanted(ctx, wanted)
	}
	for _, s := range o.search(ctx, &by) {
		o.f.replica.Files().Know(s)
	}
	return from + searchAtOnce
}

// search looks entries up among the documents of blocks, on all cores, without mu, which the caller holds.
func (o *old) search(ctx context.Context, by *window.Search) []*window.Search {
	entries := by.Entries
	if len(entries) == 0 {
		return nil
	}
	all := make([]*window.Search, min(readAtOnce, len(entries)))
	o.unlocked(func() {
		var next atomic.Int64
		var group sync.WaitGroup
		for k := range all {
			s := *by
			s.Pages = map[window.Want][]byte{}
			s.Read = func(w window.Want) ([]byte, error) { return o.readOne(ctx, w) }
			all[k] = &s
			group.Go(func() {
				for i := next.Add(1) - 1; i < int64(len(entries)); i = next.Add(1) - 1 {
					s.Lookup(entries[i])
				}
			})
		}
		group.Wait()
	})
	return all
}
