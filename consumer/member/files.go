package member

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/window"
)

// Where a member has a directory for them (Setup.Files), the records of sealed segments lie there and not in memory.
// KeepFiles writes the segments. The follower reads what the replica wants of them, between two steps of a record.

const (
	// readAtOnce is how many reads are under way: more add nothing to what a disk gives.
	readAtOnce = 32
	// mostUnfiled bounds the sealed segments that wait in memory to be written: 16 MiB each.
	mostUnfiled = 16
	// fileEvery is how often it is looked for sealed segments, and tidyEvery for files that are needed no more.
	fileEvery = 100 * time.Millisecond
	tidyEvery = 10 * time.Second
	// filePause is the time until a write that failed is tried again, and repeatEvery until that is said again.
	filePause   = time.Second
	repeatEvery = time.Minute
	// slowFiles is how long judging waits for a write before it says so.
	slowFiles = 3 * time.Second
)

// ErrFileLost says that a segment cannot be read from its file, and is not in the store either: the replica has to be
// restored.
var ErrFileLost = errors.New("a segment is lost")

// complete makes a call until the replica wants nothing more. The caller holds mu, which is free while files are read.
// Meanwhile the replica stands between two records, or within one.
func (f *Follower) complete(ctx context.Context, call func()) error {
	for call(); ; call() {
		wanted := f.replica.Wanted()
		if len(wanted) == 0 {
			return nil
		}
		if err := f.give(ctx, wanted); err != nil {
			return err
		}
	}
}

// readAhead reads at once what a record will probably want. What cannot be read now is wanted again in its turn.
func (f *Follower) readAhead(ctx context.Context, rec index.Record) {
	if f.Files == nil {
		return
	}
	f.replica.Ahead(rec)
	wanted := f.replica.Wanted()
	if len(wanted) == 0 {
		return
	}
	defer f.Counters.waits(time.Now())
	f.readWanted(ctx, wanted) // what cannot be read is wanted again, and healed
}

// give reads what the replica wants and gives it. A file that cannot be read, or is damaged, is healed.
func (f *Follower) give(ctx context.Context, wanted []window.Want) error {
	defer f.Counters.waits(time.Now())
	var err error
	for name, why := range f.readWanted(ctx, wanted) {
		f.unlocked(func() {
			defer f.Counters.halt()()
			err = errors.Join(err, f.heal(ctx, name, why))
		})
	}
	return err
}

// readWanted reads what the replica wants and gives it. It returns the files that cannot be read, or are damaged.
func (f *Follower) readWanted(ctx context.Context, wanted []window.Want) (bad map[string]error) {
	bad = map[string]error{}
	read := make([][]byte, len(wanted))
	f.unlocked(func() {
		for i, err := range f.readAll(ctx, wanted, read) {
			if err != nil {
				bad[wanted[i].File] = err
			}
		}
	})
	for i, w := range wanted {
		if read[i] == nil {
			continue
		}
		if err := f.replica.Give(w, read[i]); err != nil {
			bad[w.File] = err
		}
	}
	return bad
}

// unlocked does something without mu, which the caller holds.
func (f *Follower) unlocked(do func()) {
	f.within = true
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.within = false
	}()
	do()
}

// readAll reads what is wanted, and returns the errors.
func (f *Follower) readAll(ctx context.Context, wanted []window.Want, into [][]byte) []error {
	errs := make([]error, len(wanted))
	var group errgroup.Group
	group.SetLimit(readAtOnce)
	for i, w := range wanted {
		read := func() error {
			into[i], errs[i] = f.readOne(ctx, w)
			return nil
		}
		if i == len(wanted)-1 {
			_ = read()
		} else {
			group.Go(read)
		}
	}
	_ = group.Wait() // errs has the errors
	return errs
}

func (f *Follower) readOne(ctx context.Context, w window.Want) (data []byte, err error) {
	if w.Page == window.Whole {
		data, err = f.Files.Read(ctx, w.File)
	} else {
		data, err = f.Files.ReadPage(w.File, w.Page, nil)
	}
	f.Counters.FileReads.Add(1)
	f.Counters.FileReadBytes.Add(uint64(len(data)))
	return data, err
}

// healPause is the time until a file that cannot be read is tried again.
const healPause = 200 * time.Millisecond

// heal makes a segment readable again: it is read once more, or else fetched from the store. Judging waits, for as long as
// the store is away or the disk is full.
func (f *Follower) heal(ctx context.Context, name string, why error) error {
	f.Counters.FileErrs.Add(1)
	f.Counters.FileErr.Store(&Failure{fmt.Errorf("segment %s: %w", name, why), time.Now()})
	f.Logger.Warn().Err(why).Str("segment", name).
		Msg("old documents cannot be read from their file: it is read again, or fetched from the snapshot store")
	told := false
	err := retry.While(ctx, healPause, func() error {
		if _, err := f.Files.Read(ctx, name); err == nil || errors.Is(err, files.ErrVanished) {
			return err
		}
		data, err := f.Store.Segment(ctx, name)
		if err == nil {
			err = f.Files.Put(ctx, name, data)
		}
		return err
	}, func(err error, _ time.Duration) bool {
		waits := errors.Is(err, snapshot.ErrAway) || errors.Is(err, files.ErrFull)
		f.Counters.FileErrs.Add(1)
		f.Counters.FileErr.Store(&Failure{fmt.Errorf("segment %s: %w; it cannot be replaced: %w", name, why, err), time.Now()})
		if waits && !told {
			told = true
			f.Logger.Error().Err(err).Str("segment", name).Str("remedy", "make room in its directory, or bring the snapshot store back").
				Msg("the file cannot be made whole yet: judging waits for it")
		}
		return waits
	})
	switch {
	case err == nil:
		f.Counters.FileErr.Store(nil)
		f.Logger.Info().Str("segment", name).Msg("the file is whole again")
		return nil
	case snapshot.Damaged(err):
		return fmt.Errorf("%w: %s: %w", ErrFileLost, name, err)
	case errors.Is(err, files.ErrVanished):
		return gone(err)
	}
	return fmt.Errorf("read segment %s again: %w", name, err)
}

// gone is the error that ends a process whose directory was taken away.
func gone(err error) error {
	return &stop.Error{What: "old documents cannot be kept in duplicates.remember.directory", Err: err, Remedy: "bring the directory back, and start again"}
}

// healed reads segments for snapshots. One that is damaged is healed, or else KeepFiles ends: no snapshot could be taken.
type healed struct{ *Follower }

// Put implements snapshot.Files.
func (h healed) Put(ctx context.Context, name string, data []byte) error {
	return h.Files.Put(ctx, name, data)
}

// Read implements snapshot.Files.
func (h healed) Read(ctx context.Context, name string) ([]byte, error) {
	data, err := h.Files.Read(ctx, name)
	needed := false
	h.Look(func(r *index.Replica) { needed = r.Files()[name] }) // else it has left the window since
	if err == nil || ctx.Err() != nil || !needed {
		return data, err
	}
	if err := h.heal(ctx, name, err); err != nil {
		if errors.Is(err, ErrFileLost) {
			select {
			case h.lost <- err:
			default:
			}
		}
		return nil, err
	}
	return h.Files.Read(ctx, name)
}

// KeepFiles writes the segments that are sealed, and removes the files that are needed no more, until ctx is done. The
// error says why this replica cannot go on.
func (f *Follower) KeepFiles(ctx context.Context) error {
	if f.Files == nil {
		return nil
	}
	var failing failing
	for tidied := (time.Time{}); ; {
		err := f.fileAll(ctx)
		full := errors.Is(err, files.ErrFull)
		if f.untidy.Swap(false) || time.Since(tidied) > tidyEvery || full {
			tidied = time.Now()
			err = errors.Join(err, f.tidy())
		}
		if full { // what has left the window may have made room
			err = f.fileAll(ctx)
		}
		pause := fileEvery
		if err != nil {
			pause = filePause
		}
		if errors.Is(err, files.ErrVanished) {
			return gone(err)
		}
		if ctx.Err() == nil {
			failing.note(f, err)
		}
		select {
		case <-time.After(pause):
		case err := <-f.lost:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

// failing is how long files cannot be written; zero: they can.
type failing struct{ since, said time.Time }

// note notes how a try to write ended. It says so the first time, and once a minute.
func (t *failing) note(f *Follower, err error) {
	switch {
	case err != nil:
		f.Counters.FileErrs.Add(1)
		f.Counters.FileErr.Store(&Failure{err, time.Now()})
		if t.since.IsZero() {
			t.since = time.Now()
		}
		if time.Since(t.said) > repeatEvery {
			t.said = time.Now()
			f.Logger.Error().Err(err).Int("at_most", mostUnfiled).Str("remedy", "make room there, or replace the disk").
				Msg("old documents cannot be written to their directory: they stay in memory, and judging waits when these are more segments than at_most")
		}
	case !t.since.IsZero():
		f.Counters.FileErr.Store(nil)
		f.Logger.Info().Dur("took_ms", time.Since(t.since)).Msg("old documents are written to their directory again")
		*t = failing{}
	}
}

// fileAll writes the segments that lie in no file.
func (f *Follower) fileAll(ctx context.Context) error {
	var views []window.View
	f.Look(func(r *index.Replica) { views = r.Unfiled() })
	for i := range views {
		if err := f.fileOne(ctx, &views[i]); err != nil {
			return err
		}
	}
	return nil
}

func (f *Follower) fileOne(ctx context.Context, v *window.View) error {
	data := v.Append(nil)
	name := snapshot.SegmentName(data)
	f.filing.Store(&name) // else tidy removes it before the replica knows of it
	defer f.filing.Store(nil)
	if err := f.Files.Put(ctx, name, data); err != nil {
		return err
	}
	filed := v.Filed(name, data)
	used := false
	f.mu.Lock()
	if used = f.replica.File(filed); !f.within {
		f.publish()
	}
	f.mu.Unlock()
	select {
	case f.filed <- struct{}{}:
	default:
	}
	if !used { // the segment has left, or a document in it was erased
		f.filing.Store(nil)
		return f.tidy()
	}
	return nil
}

// tidy removes the files that are needed no more.
func (f *Follower) tidy() (err error) {
	f.Look(func(r *index.Replica) { err = f.tidyOf(r) })
	return err
}

func (f *Follower) tidyOf(r *index.Replica) error {
	needed := r.Files()
	if name := f.filing.Load(); name != nil {
		needed[*name] = true
	}
	_, err := f.Files.Keep(needed)
	return err
}

// waitForFiles waits, without mu, which the caller holds, while too many segments wait to be written. The replica stands
// between two records.
func (f *Follower) waitForFiles(ctx context.Context) error {
	if f.Files == nil || len(f.replica.Unfiled()) <= mostUnfiled {
		return nil
	}
	slow := time.AfterFunc(slowFiles, func() {
		f.Logger.Warn().Msg("judging waits until old documents are written to their directory")
	})
	for len(f.replica.Unfiled()) > mostUnfiled {
		f.mu.Unlock()
		f.waitForFile(ctx)
		f.mu.Lock()
		if ctx.Err() != nil {
			slow.Stop()
			return context.Cause(ctx)
		}
	}
	if !slow.Stop() {
		f.Logger.Info().Msg("judging goes on")
	}
	return nil
}

func (f *Follower) waitForFile(ctx context.Context) {
	defer f.Counters.waits(time.Now())
	defer f.Counters.halt()()
	select {
	case <-f.filed:
	case <-ctx.Done():
	}
}
