package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unecho/unecho/consumer/audit"
)

// filing is a group of two processes. One keeps old documents in a directory, the other all in memory.
type filing struct {
	*scene
	dir    string // of the segments
	author *author
	by     map[string]*process
	ops    map[string]string

	program, limit string // that is run, and GOMEMLIMIT of the process with files
}

// inMemory and inFiles name the two processes.
const (
	inMemory = "memory"
	inFiles  = "files"
)

// newFiling has a window of some documents, which lie in segments of 256 or more, and copies from all over it.
func newFiling(t *testing.T, documents int) (*filing, *journalCopy) {
	t.Helper()
	s := newScene(t, 6)
	s.configure(s.inPostgres(), s.consumer(""), fmt.Sprintf("duplicates: {remember: {documents: %d}}", documents))
	return filingOf(s), s.copyJournal()
}

func filingOf(s *scene) *filing {
	return &filing{
		scene: s, dir: filepath.Join(s.dir, "window"), author: newAuthor(7), by: map[string]*process{}, ops: map[string]string{},
		program: "unecho", limit: "64MiB",
	}
}

// begin starts a process, and waits until it is ready.
func (f *filing) begin(name string) {
	f.t.Helper()
	f.ops[name] = freeAddress(f.t)
	args := []string{f.program, "run", "--config", f.file, "--set", "advanced.member=" + name, "--set", "http.listen=" + f.ops[name]}
	if name != inMemory {
		args = append([]string{"GOMEMLIMIT=" + f.limit}, append(args, "--set", "duplicates.remember.directory="+f.dir)...)
	}
	p := startProgram(f.t, f.scene.dir, "env", args...)
	f.all, f.by[name] = append(f.all, p), p
	p.says(`"message":"ready"`)
}

// comes sends more documents, of which a third are copies.
func (f *filing) comes(n int) {
	f.t.Helper()
	f.send(f.author.documents(n, int32(len(f.partitions())))...)
}

// segments waits until so many old segments lie in files, and returns their paths.
func (f *filing) segments(least int) (paths []string) {
	f.t.Helper()
	return f.files(least, "segments", strings.Repeat("[0-9a-f]", 64))
}

// blocks waits until a block finds old documents, and returns the paths of all.
func (f *filing) blocks() (paths []string) {
	f.t.Helper()
	return f.files(1, "blocks", "*.block")
}

func (f *filing) files(least int, of, pattern string) (paths []string) {
	f.t.Helper()
	f.until(fmt.Sprintf("%d %s lie in files", least, of), func(context.Context) (ok bool) {
		var err error
		paths, err = filepath.Glob(filepath.Join(f.dir, f.name, pattern))
		check(f.t, err)
		return len(paths) >= least
	})
	return paths
}

// equal waits until a checkpoint of after now has found both replicas to have its hash.
func (f *filing) equal() {
	f.t.Helper()
	_, end := f.journal(f.bounded())
	for name := range f.by {
		f.until("the replica in "+name+" is confirmed", func(ctx context.Context) bool {
			f.comes(1) // an idle service takes no snapshots
			return metric(ctx, f.t, f.ops[name], "unecho_replica_confirmed_offset") >= float64(end)
		})
		if n := metric(f.t.Context(), f.t, f.ops[name], "unecho_replica_divergences_total"); n != 0 {
			f.t.Errorf("the replica in %s differed %v times", name, n)
		}
	}
	f.settled()
}

// flipBits flips a bit in each so many bytes of a file, where it lies.
func flipBits(path string, each int64) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	one := make([]byte, 1)
	for from := int64(0); err == nil && from < info.Size(); from += each {
		at := from + rand.Int64N(min(each, info.Size()-from))
		if _, err = file.ReadAt(one, at); err == nil {
			one[0] ^= 1 << rand.IntN(8)
			_, err = file.WriteAt(one, at)
		}
	}
	return errors.Join(err, file.Close())
}

// Of two processes on one journal one keeps old documents in a directory. It is killed and comes back to its directory, and
// to an empty one; bits of its files are flipped while it runs, and files are removed. No verdict depends on that, and the
// replicas have equal hashes.
func TestDirectoryBesideMemory(t *testing.T) {
	t.Parallel()
	f, journal := newFiling(t, 10_000)
	f.begin(inMemory)
	f.begin(inFiles)
	round := func(what string, harm func()) {
		t.Helper()
		f.comes(2000)
		harm()
		f.comes(2000)
		f.settled()
		f.segments(8)
		f.equal()
		t.Logf("%s: %d files, %.0f documents", what, len(f.segments(1)), metric(t.Context(), t, f.ops[inFiles], "unecho_window_documents"))
	}
	round("at first", func() {})
	round("killed", func() {
		f.by[inFiles].kill()
		f.begin(inFiles)
	})
	round("on an empty directory", func() {
		f.by[inFiles].kill()
		check(t, os.RemoveAll(f.dir))
		f.begin(inFiles)
	})
	round("bits are flipped", func() {
		for _, path := range f.segments(8) {
			if err := flipBits(path, 1<<30); !os.IsNotExist(err) { // it may leave meanwhile
				check(t, err)
			}
		}
		f.by[inFiles].says("old documents cannot be read from their file")
	})
	round("blocks are damaged", func() {
		for _, path := range f.blocks() {
			if err := flipBits(path, 1024); !os.IsNotExist(err) {
				check(t, err)
			}
		}
		f.by[inFiles].says("a block of old documents cannot be read")
	})
	f.refusesAnother()
	removed := func() {
		for _, path := range append(f.segments(8), f.blocks()...) {
			if err := os.Remove(path); !os.IsNotExist(err) {
				check(t, err)
			}
		}
	}
	round("files are removed", removed)
	round("killed without its files", func() {
		removed()
		f.by[inFiles].kill()
		f.begin(inFiles)
	})
	stopAll(t, patience, f.by[inMemory], f.by[inFiles])
	journal.upToDate()
	if report := f.audited(journal.topic); report.Outcome() != audit.Proven {
		t.Errorf("the audit says %s", &report)
	}
}

// refusesAnother starts another process on the directory.
func (f *filing) refusesAnother() {
	f.t.Helper()
	another := start(f.t, f.scene.dir, "run", "--config", f.file, "--set", "advanced.member=another", "--set", "http.listen=",
		"--set", "duplicates.remember.directory="+f.dir)
	another.refuses("old documents cannot be kept in duplicates.remember.directory",
		fmt.Sprintf("another run (pid %d on ", f.by[inFiles].cmd.Process.Pid), "wait until that ends, or name another directory")
}
