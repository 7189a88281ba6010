package consumer

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/files/filestest"
	"github.com/unecho/unecho/index/snapshot"
)

// disk is that of a directory. Its calls can wait or fail.
type disk struct {
	system filestest.Faulty
	dir    string

	mu     sync.Mutex
	before func(filestest.Call) error // nil: it works
}

func newDisk(t *testing.T) *disk {
	d := &disk{dir: t.TempDir()}
	d.system = filestest.Faulty{System: files.Machine{}, Before: func(c filestest.Call) error {
		d.mu.Lock()
		before := d.before
		d.mu.Unlock()
		if before == nil {
			return nil
		}
		return before(c)
	}}
	t.Cleanup(d.works)
	return d
}

// has has a member keep old documents on the disk.
func (d *disk) has(s *Setup) {
	ofFiles(d.dir)(s)
	s.openFiles = func(path string, of files.Owner) (*files.Directory, error) { return files.OpenIn(&d.system, path, of) }
}

// calls has a function be asked before each call for a file of old documents, by its name.
func (d *disk) calls(before func(op, name string) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.before = func(c filestest.Call) error {
		name, _, _ := strings.Cut(filepath.Base(c.Path), ".")
		if !snapshot.ValidSegmentName(name) {
			return nil
		}
		return before(c.Op, name)
	}
}

func (d *disk) works() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.before = nil
}

// hangs has calls of this kind hang, or only the first one. It tells the name of the file, and answers when release is called.
func (d *disk) hangs(op string, once bool) (hung <-chan string, release func()) {
	names, released := make(chan string, 1000), make(chan struct{})
	var hanging atomic.Bool
	d.calls(func(is, name string) error {
		if is == op && (hanging.CompareAndSwap(false, true) || !once) {
			names <- name
			<-released
		}
		return nil
	})
	return names, sync.OnceFunc(func() {
		d.works()
		close(released)
	})
}

// quiet waits until a member neither writes files nor makes blocks.
func (w *world) quiet(m *running) {
	w.t.Helper()
	w.becomes("its files are written", func() (is bool) {
		m.follower().Look(func(r *index.Replica) {
			is = r.Stats().Filed > 0 && len(r.Files().Unfiled()) == 0 && r.Files().Due(true) == nil
		})
		return is
	})
}

// TestNotReadyWhileAReadHangs: while a read does not return judging waits. The member is not ready, names the file, and counts
// the time. What does not judge goes on. So does judging, when the disk answers. The same holds of a group that has filled its
// window and does not forward yet.
func TestNotReadyWhileAReadHangs(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(*world, func(*Setup)) []*running{
		"at work": func(w *world, has func(*Setup)) []*running { return []*running{w.start(named("m"), has)} },
		"filled": func(w *world, has func(*Setup)) []*running {
			old := w.start(named("old"))
			w.settled()
			m := w.start(w.successor("next"), has)
			w.becomesFilled(m)
			return []*running{m, old}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := remembering(t, 2500)
			d, said := newDisk(t), w.logged()
			w.produce(2000, 1)
			members := begin(w, d.has)
			m := members[0]
			w.settled()
			w.quiet(m)
			w.becomes("it is ready", m.Ready)
			hung, release := d.hangs("read", false)
			defer release()
			w.produce(2000, 1)
			w.produce(4000, 2) // a fill brings no copies, but old documents leave
			file := <-hung
			w.becomes("it is not ready", func() bool { return !m.Ready() && m.Stats().FileTrouble != "" })
			now := m.Stats()
			if why := now.FileTrouble; now.Ready || !strings.Contains(why, "the disk does not answer: ") || !strings.Contains(why, " is being read since ") ||
				len(hung) == 0 && !strings.Contains(why, file) {
				t.Errorf("ready %v; the trouble is %q, and a read of %s hangs", now.Ready, why, file)
			}
			if now.FileWait < 2*time.Second {
				t.Errorf("judging waited %v, as it says while it waits", now.FileWait)
			}
			w.becomes("it is logged", func() bool { return said.has("judging waits for files of old documents") })
			m.follower().Next()
			ended, cancel := context.WithCancel(w.context())
			cancel()
			if _, err := m.Find(ended, "news", 0, 0); !errors.Is(err, context.Canceled) {
				t.Errorf("a search that nobody waits for ends with %v", err)
			}
			release()
			w.settled()
			w.becomes("it is ready again", m.Ready)
			if after := m.Stats(); after.FileTrouble != "" || after.FileWait < now.FileWait {
				t.Errorf("it has trouble %q, and waited %v after %v", after.FileTrouble, after.FileWait, now.FileWait)
			}
			for _, m := range members {
				w.ended(m)
			}
			w.audited()
		})
	}
}

// TestSearchesHoldNobodyUp: while a search waits for a file, documents are judged, and the member is ready.
func TestSearchesHoldNobodyUp(t *testing.T) {
	t.Parallel()
	w, _ := remembering(t, 2500)
	w.setup.Snapshot.Every = time.Hour
	d := newDisk(t)
	m := w.start(named("m"), d.has)
	w.produce(3000, 1)
	w.settled()
	w.quiet(m)
	hung, release := d.hangs("read", true)
	defer release()
	walk, visited, ended := index.Walk{}, 0, make(chan error, 1)
	go func() {
		ended <- m.follower().Search(w.context(), func(r *index.Replica) bool {
			return r.Step(&walk, 100, func(*index.Remembered) { visited++ })
		})
	}()
	<-hung
	w.produce(500, 2)
	w.settled()
	if now := m.Stats(); !m.Ready() || now.FileTrouble != "" {
		t.Errorf("a search waits, and the member has trouble: %q", now.FileTrouble)
	}
	select {
	case err := <-ended:
		t.Fatalf("the search has ended without the file: %v", err)
	default:
	}
	release()
	if err := <-ended; err != nil || visited < 1500 {
		t.Errorf("%d documents were visited, error %v", visited, err)
	}
	w.ended(m)
	w.audited()
}

// bends has pages be read with a flipped bit while it is set.
func (d *disk) bends() *atomic.Bool {
	var now atomic.Bool
	d.system.Bend = func(_ filestest.Call, read []byte) int {
		if now.Load() && len(read) == files.PageBytes {
			read[0] ^= 1
		}
		return len(read)
	}
	return &now
}

// TestHealedAgainAndAgain: a member whose file is whole, but never what memory says, restores. It does not heal it for ever.
func TestHealedAgainAndAgain(t *testing.T) {
	t.Parallel()
	w, _ := remembering(t, 2500)
	d, said := newDisk(t), w.logged()
	bends := d.bends()
	m := w.start(named("m"), d.has)
	w.produce(2000, 1)
	w.settled()
	w.quiet(m)
	bends.Store(true)
	w.produce(2000, 1)
	w.becomes("it restores", func() bool { return said.has("restores the newest snapshot") })
	bends.Store(false)
	w.settled()
	w.becomes("it is ready again", m.Ready)
	w.ended(m)
	w.audited()
}

// forbidding is a store that gives no segments.
type forbidding struct{ snapshot.Store }

func (forbidding) Segment(context.Context, string) ([]byte, error) {
	return nil, errors.New("403 Forbidden")
}

// TestFileCannotBeReplaced: a member that can neither read a file nor replace it ends, and says what to do.
func TestFileCannotBeReplaced(t *testing.T) {
	t.Parallel()
	w, _ := remembering(t, 2500)
	d := newDisk(t)
	m := w.launch(named("m"), d.has, func(s *Setup) { s.Store = forbidding{w.store()} })
	w.produce(2000, 1)
	w.settled()
	w.quiet(m)
	d.calls(func(op, _ string) error {
		if op == "read" {
			return syscall.EIO
		}
		return nil
	})
	w.produce(2000, 1)
	var stopped *StopError
	if err := m.wait(); !errors.As(err, &stopped) || !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), "403 Forbidden") ||
		!strings.Contains(stopped.Remedy, "the snapshot store") {
		t.Errorf("it ends with %v", err)
	}
}
