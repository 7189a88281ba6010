package paging

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/window"
)

const (
	// ReadAtOnce is how many reads of old documents are under way at most. How many there can be, the disk and GOMAXPROCS decide.
	ReadAtOnce = 128
	// searchAtOnce bounds the entries of a record that are looked up ahead together.
	searchAtOnce = 256
	// pagesAhead is how many pages are to be read for them, about: fewer are looked up together where they read much.
	pagesAhead = 1024
	// walkBytes is how much Each reads, about, before it drops that.
	walkBytes = 64 << 20
)

// Pager reads for a replica. Only one goroutine may call its methods at a time, but for Read.
type Pager struct {
	Replica   *index.Replica
	Directory *files.Directory // nil: all is in memory
	// Aside does something while others may use the replica, as far as they change nothing; nil: there are no others.
	Aside func(do func())
	// Mend is given the files that cannot be read, or are damaged. It makes them readable, or says why Apply must end; nil: it
	// ends, by files.Unreadable.
	Mend func(ctx context.Context, bad map[string]error) error
	// Reads is called when a file was read, with the bytes that were read. It may be called from several goroutines; nil: nobody
	// counts.
	Reads func(bytes int)
	// Waits is called when nothing but reads goes on, and what it returns when that is over. The time of processors is no part
	// of it: while one works on what was read, it is over. nil: nobody counts.
	Waits func() (over func())
	// Late counts what was not read ahead, so that the replica had to wait for it; nil: nobody counts.
	Late *atomic.Uint64

	atOnce int // entries that are looked up ahead together, by what the ones before have read; 0: there were none
}

// Apply applies a record (index.Replica.Apply), and reads what that takes of files. After an error the record is applied in
// part.
func (p *Pager) Apply(ctx context.Context, at index.Stamp, rec index.Record) (index.Effect, error) {
	searched := p.readAhead(ctx, rec, 0)
	effect := p.Replica.Apply(at, rec)
	for len(effect.Wanted) > 0 {
		if effect.Entry >= searched {
			p.Replica.Files().Done() // of the entries before
			searched = p.readAhead(ctx, rec, effect.Entry)
		} else if err := p.need(ctx, effect.Wanted); err != nil {
			return effect, err
		}
		effect = p.Replica.Resume()
	}
	return effect, nil
}

// Each visits the documents of the window, the oldest first (index.Replica.Each).
func (p *Pager) Each(ctx context.Context, visit func(*index.Remembered)) error {
	of, s := p.Replica.Files(), p.Replica.Stats()
	most := 1 + int(int64(s.Documents)*walkBytes/max(s.WindowBytes, 1))
	defer of.Done()
	for walk, done := (index.Walk{}), false; !done; {
		of.Again()
		done = p.Replica.Step(&walk, most, visit)
		if err := p.need(ctx, of.Wanted()); err != nil {
			return err
		}
	}
	return nil
}

// need gives what the replica cannot go on without.
func (p *Pager) need(ctx context.Context, wanted []window.Want) error {
	bad := p.Give(ctx, wanted)
	if p.Late != nil { // counted with the reads that they are of
		p.Late.Add(uint64(len(wanted)))
	}
	switch {
	case len(bad) == 0:
		return nil
	case p.Mend == nil:
		_, err := files.Unreadable(bad)
		return err
	}
	return p.Mend(ctx, bad)
}

// Give reads what the replica wants and gives it. It returns the files that cannot be read, or are damaged, but for those that
// are needed no more: a block may be merged meanwhile, and then the replica wants of the larger one.
func (p *Pager) Give(ctx context.Context, wanted []window.Want) (bad map[string]error) {
	if len(wanted) == 0 {
		return nil
	}
	var read [][]byte
	var errs []error
	p.beside(func() { read, errs = p.readAll(ctx, wanted) })
	bad = map[string]error{}
	for i, w := range wanted {
		err := errs[i]
		if err == nil {
			err = p.Replica.Files().Give(w, read[i])
		}
		if err != nil && p.Replica.Files().Sounder(w.File) != nil {
			bad[w.File] = err
		}
	}
	return bad
}

// readAll reads all that is wanted at once.
func (p *Pager) readAll(ctx context.Context, wanted []window.Want) (read [][]byte, errs []error) {
	read, errs = make([][]byte, len(wanted)), make([]error, len(wanted))
	var next atomic.Int64
	p.together(ctx, min(ReadAtOnce, len(wanted)), func(_ int, readOne reader) {
		for i := next.Add(1) - 1; i < int64(len(wanted)); i = next.Add(1) - 1 {
			read[i], errs[i] = readOne(wanted[i])
		}
	})
	return read, errs
}

// Read reads a page of a file, or all of it. What it returns may be damaged.
func (p *Pager) Read(ctx context.Context, w window.Want) (data []byte, err error) {
	if p.Reads != nil {
		defer func() { p.Reads(len(data)) }()
	}
	if w.Page == window.Whole {
		return p.Directory.Read(ctx, w.File)
	}
	return p.Directory.ReadPage(w.File, w.Page, nil)
}

// readAhead reads at once what the entries of a record, from one of them on, will probably want, and returns the one behind
// the last. What cannot be read now is wanted again in its turn.
func (p *Pager) readAhead(ctx context.Context, rec index.Record, from int) (searched int) {
	if p.Directory == nil {
		return 0
	}
	most := cmp.Or(p.atOnce, searchAtOnce)
	by := p.Replica.Ahead(rec, from, most)
	p.Give(ctx, p.Replica.Files().Wanted())
	all := len(by.Entries)
	if all == 0 {
		return from + most
	}
	p.beside(func() { p.search(ctx, &by) })
	p.Replica.Files().Know(&by)
	n := len(by.Entries)
	p.atOnce = min(1+n*pagesAhead/(1+len(by.Pages)), 2*most, searchAtOnce)
	if n == all {
		return from + most
	}
	return from + n // or more, where some have nothing to be looked up by
}

// search looks entries up among the documents of blocks, on all cores.
func (p *Pager) search(ctx context.Context, by *window.Search) {
	by.Run(runtime.GOMAXPROCS(0), func(n int, do func(k int)) {
		var group sync.WaitGroup
		for k := range n {
			group.Go(func() { do(k) })
		}
		group.Wait()
	}, func(wanted []window.Want) [][]byte {
		read, _ := p.readAll(ctx, wanted) // what cannot be read now is wanted again in its turn
		return read
	})
}
