package member

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/paging"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/window"
)

// Where a member has a directory for them (Setup.Files), the records of sealed segments lie there and not in memory.
// KeepFiles writes the segments. The follower reads what the replica wants of them, between two steps of a record.

const (
	// mostUnfiled bounds the sealed segments that wait in memory to be written: 16 MiB each.
	mostUnfiled = 16
	// mostUncovered bounds those that wait, with their keys in memory, to be found by a block.
	mostUncovered = 160
	// fileEvery is how often it is looked for sealed segments, and tidyEvery for files that are needed no more.
	fileEvery = 100 * time.Millisecond
	tidyEvery = 10 * time.Second
	// filePause is the time until a write that failed is tried again, and repeatEvery until that is said again.
	filePause   = time.Second
	repeatEvery = time.Minute
)

// ErrFileLost says that a segment cannot be read from its file, and is not in the store either, or that a block is damaged:
// the replica has to be restored.
var ErrFileLost = errors.New("a file of old documents is lost")

// old reads and writes the files of a follower's replica.
type old struct {
	f       *Follower
	pager   paging.Pager
	writing sync.Mutex             // held while a segment is written, and while files are removed
	making  atomic.Pointer[string] // the block that is being written

	crowded bool           // blocks are not merged, for want of room; of the goroutine that makes blocks
	filed   chan struct{}  // one when a segment was written
	untidy  atomic.Bool    // files may be there that are needed no more
	tidied  tidied         // guarded by the follower's mu
	heals   map[string]int // how often each file was healed in the record at hand; of the goroutine that applies
	lost    chan error     // a file that a snapshot or a search could not read
	seeking chan struct{}  // one for each read of a search, also when nobody waits for that any more
}

// tidied is how it ended when files were last removed that are needed no more.
type tidied struct {
	next int64 // of the replica, before: what was erased below is in no file
	err  error // nil: they are removed
}

func newOld(f *Follower) *old {
	o := &old{f: f, filed: make(chan struct{}, 1), heals: map[string]int{}, lost: make(chan error, 1), seeking: make(chan struct{}, readsSought)}
	o.pager = paging.Pager{
		Replica: f.replica, Directory: f.Files, Aside: o.unlocked, Mend: o.mend,
		Reads: f.Counters.read, Late: &f.Counters.FileLate, Waits: f.Counters.FileWait.start,
	}
	return o
}

// unlocked does something without mu, which the caller holds. Judging waits for it.
func (o *old) unlocked(do func()) {
	defer o.halt()()
	o.f.within = true
	o.f.mu.Unlock()
	defer func() {
		o.f.mu.Lock()
		o.f.within = false
	}()
	do()
}

// mend heals files that cannot be read, or are damaged. The caller holds mu.
func (o *old) mend(ctx context.Context, bad map[string]error) (err error) {
	o.unlocked(func() {
		defer o.f.Counters.FileWait.start()()
		for name, why := range bad {
			if o.heals[name]++; o.heals[name] > mostHealed {
				err = fmt.Errorf("%w: %s is whole again and again, and cannot be read: %w", ErrFileLost, name, why)
			} else {
				err = o.heal(ctx, name, why)
			}
			if err != nil {
				return
			}
		}
	})
	return err
}

const (
	// healPause is the time until a file that cannot be read is tried again.
	healPause = 200 * time.Millisecond
	// mostHealed bounds how often a file is healed for one record: the fault may be in the sums that memory has.
	mostHealed = 2
)

// heal makes a file readable again: it is read once more, or else a segment is fetched from the store. It tries for as long
// as the store is away or the disk is full.
func (o *old) heal(ctx context.Context, name string, why error) error {
	heal := o.healSegment
	if files.ValidBlockName(name) {
		heal = o.healBlock
	}
	err := heal(ctx, name, why)
	switch {
	case err == nil:
		o.whole(name)
	case ctx.Err() == nil && errors.Is(err, files.ErrVanished):
		return o.gone(err)
	}
	return err
}

func (o *old) healSegment(ctx context.Context, name string, why error) error {
	o.ails(name, fmt.Errorf("segment %s: %w", name, why))
	o.f.Logger.Warn().Err(why).Str("segment", name).
		Msg("old documents cannot be read from their file: it is read again, or fetched from the snapshot store")
	err := retry.While(ctx, healPause, func() error {
		if _, err := o.f.Files.Read(ctx, name); err == nil || errors.Is(err, files.ErrVanished) {
			return err
		}
		data, err := o.f.Store.Segment(ctx, name)
		if err == nil {
			err = o.putAgain(ctx, name, data)
		}
		return err
	}, func(err error, _ time.Duration) bool {
		o.ails(name, fmt.Errorf("segment %s: %w; it cannot be replaced: %w", name, why, err))
		return errors.Is(err, snapshot.ErrAway) || errors.Is(err, files.ErrFull)
	})
	switch {
	case err == nil:
		o.f.Logger.Info().Str("segment", name).Msg("the file is whole again")
		return nil
	case ctx.Err() != nil || errors.Is(err, files.ErrVanished):
		return err
	case snapshot.Damaged(err):
		return fmt.Errorf("%w: %s: %w", ErrFileLost, name, err)
	}
	return &stop.Error{
		What: "segment " + name + " of old documents can neither be read nor be replaced", Err: fmt.Errorf("%w; %w", why, err),
		Remedy: "look at the snapshot store and at the disk of " + o.f.Files.Setting() + ", and start again",
	}
}

// putAgain stores a segment again, unless it is needed no more: something in it may have been erased since it was fetched.
func (o *old) putAgain(ctx context.Context, name string, data []byte) error {
	o.writing.Lock()
	defer o.writing.Unlock()
	if !o.needs(name) {
		return nil
	}
	return o.f.Files.Put(ctx, name, data)
}

// gone is the error that ends a process whose directory was taken away.
func (o *old) gone(err error) error {
	return &stop.Error{What: "old documents cannot be kept in " + o.f.Files.Setting(), Err: err, Remedy: "bring the directory back, and start again"}
}

// healed reads segments for snapshots. One that is damaged is healed, or else KeepFiles ends: no snapshot could be taken.
type healed struct{ *old }

// Read implements snapshot.Segments.
func (h healed) Read(ctx context.Context, name string) ([]byte, error) {
	data, err := h.f.Files.Read(ctx, name)
	if err == nil {
		h.whole(name)
	}
	if err == nil || ctx.Err() != nil || !h.needs(name) {
		return data, err
	}
	if err := h.healAside(ctx, name, err); err != nil {
		return nil, err
	}
	return h.f.Files.Read(ctx, name)
}

// healAside heals a file beside judging. If that is lost KeepFiles ends.
func (o *old) healAside(ctx context.Context, name string, why error) error {
	err := o.heal(ctx, name, why)
	if errors.Is(err, ErrFileLost) {
		select {
		case o.lost <- err:
		default:
		}
	}
	return err
}

// keep writes the segments that are sealed, and removes the files that are needed no more, until ctx is done. The
// error says why this replica cannot go on.
func (o *old) keep(ctx context.Context) error {
	failing := failing{what: "old documents", most: mostUnfiled}
	for tidied := (time.Time{}); ; {
		var untidy error
		if o.untidy.Load() || time.Since(tidied) > tidyEvery {
			untidy, tidied = o.tidy(), time.Now()
		}
		err := o.fileAll(ctx)
		if errors.Is(err, files.ErrFull) { // what has left the window may make room
			untidy = o.tidy()
			err = o.fileAll(ctx)
		}
		err = errors.Join(err, untidy)
		pause := fileEvery
		if err != nil {
			pause = filePause
		}
		if errors.Is(err, files.ErrVanished) {
			return o.gone(err)
		}
		if ctx.Err() == nil {
			failing.note(o.f, err)
		}
		select {
		case <-time.After(pause):
		case err := <-o.lost:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

// failing is how long files cannot be written.
type failing struct {
	what        string // they are
	most        int    // segments that may wait for them
	since, said time.Time
}

// note notes how a try to write ended. It says so the first time, and once a minute.
func (t *failing) note(f *Follower, err error) {
	switch {
	case err != nil:
		f.old.ails(t.what, err)
		if t.since.IsZero() {
			t.since = time.Now()
		}
		if time.Since(t.said) > repeatEvery {
			t.said = time.Now()
			f.Logger.Error().Err(err).Int("at_most", t.most).Str("remedy", "make room there, or replace the disk").
				Msg(t.what + " cannot be written to their directory: what they are for stays in memory, and judging waits when more segments than at_most do")
		}
	case !t.since.IsZero():
		f.old.whole(t.what)
		f.Logger.Info().Dur("took_ms", time.Since(t.since)).Msg(t.what + " wait no more to be written to their directory")
		t.since, t.said = time.Time{}, time.Time{}
	}
}

// fileAll writes the segments that lie in no file.
func (o *old) fileAll(ctx context.Context) error {
	views := o.unfiled()
	for i := range views {
		if err := o.fileOne(ctx, &views[i]); err != nil {
			return err
		}
	}
	return nil
}

func (o *old) unfiled() (views []window.View) {
	o.f.Look(func(r *index.Replica) { views = r.Files().Unfiled() })
	return views
}

func (o *old) fileOne(ctx context.Context, v *window.View) error {
	o.writing.Lock() // else tidy removes it before the replica knows of it
	defer o.writing.Unlock()
	filed, err := o.f.Files.File(ctx, v)
	if err != nil {
		return err
	}
	if !o.use(func(h *window.Files) bool { return h.File(filed) }) { // the segment has left, or a document in it was erased
		o.untidy.Store(true)
	}
	return nil
}

// use has the replica use what was written, and wakes a follower that waits for that. It returns what take does.
func (o *old) use(take func(*window.Files) bool) (used bool) {
	o.f.Look(func(r *index.Replica) {
		if used = take(r.Files()); !o.f.within {
			o.f.publish()
		}
	})
	select {
	case o.filed <- struct{}{}:
	default:
	}
	return used
}

// tidy removes the files that are needed no more. It must not be called between fileAll and the segments that it has found.
func (o *old) tidy() error {
	o.untidy.Store(false)
	next := o.f.Next()
	err := o.remove()
	if err != nil {
		o.untidy.Store(true)
	}
	if now := o.f.Counters.FileErr.Load(); now != nil && snapshot.ValidSegmentName(now.of) && !o.needs(now.of) {
		o.whole(now.of)
	}
	o.f.mu.Lock()
	defer o.f.mu.Unlock()
	o.tidied = tidied{next, err}
	o.f.waiting.wake()
	return err
}

// remove removes the files that are needed no more, and those that are of no use.
func (o *old) remove(useless ...string) error {
	o.writing.Lock()
	defer o.writing.Unlock()
	return o.f.Files.Keep(func() (needed map[string]bool) {
		o.f.Look(func(r *index.Replica) {
			needed = r.Files().Names()
			if name := o.making.Load(); name != nil {
				needed[*name] = true
			}
		})
		for _, name := range useless {
			delete(needed, name)
		}
		return needed
	})
}

// needs says whether the replica needs a file. If not, the documents have left the window, or were erased in.
func (o *old) needs(name string) (yes bool) {
	o.f.Look(func(r *index.Replica) { yes = r.Files().Sounder(name) != nil })
	return yes
}

// waitForFiles waits, without mu, which the caller holds, while too many segments wait to be written. The replica stands
// between two records.
func (o *old) waitForFiles(ctx context.Context) error {
	if o.f.Files == nil || !o.behind() {
		return nil
	}
	defer o.halt()()
	defer o.f.Counters.FileWait.start()()
	for o.behind() {
		o.f.mu.Unlock()
		select {
		case <-o.filed:
		case <-ctx.Done():
		}
		o.f.mu.Lock()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// behind says whether too much waits in memory to be written.
func (o *old) behind() bool {
	h := o.f.replica.Files()
	return len(h.Unfiled()) > mostUnfiled || h.Uncovered() > mostUncovered
}
