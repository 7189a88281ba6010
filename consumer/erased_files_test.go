package consumer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/index/snapshot"
)

// forgets asks for all that a member remembers of the first 2000 documents to be forgotten.
func (w *world) forgets(m *running) <-chan error {
	done := make(chan error, 1)
	go func() {
		var names []string
		for p := range w.sent {
			for offset := int64(0); offset < w.sent[p]; offset += 8 {
				names = append(names, fmt.Sprintf("news/%d/%d", p, offset))
			}
		}
		_, _, err := m.Forget(w.context(), names, false, false)
		done <- err
	}()
	return done
}

// isThere says whether a member has a file.
func (d *disk) isThere(w *world, name string) bool {
	_, err := os.Stat(filepath.Join(d.dir, w.setup.Params.Group, name))
	return err == nil
}

// TestForgottenWhileItIsWritten: a member that is asked to forget says so when no file that is being written has what was
// forgotten.
func TestForgottenWhileItIsWritten(t *testing.T) {
	t.Parallel()
	w, _ := remembering(t, 2500)
	d := newDisk(t)
	hung, release := d.hangs("sync", true)
	defer release()
	m := w.start(named("m"), d.has)
	w.produce(1000, 1)
	file := <-hung
	w.settled()
	done := w.forgets(m)
	w.becomes("it is erased in memory", func() bool { return m.Stats().Index.Erased > 0 })
	w.produce(100, 2) // for some time to pass
	w.settled()
	select {
	case err := <-done:
		t.Fatalf("what is being written may have what was forgotten, and the answer is %v", err)
	default:
	}
	release()
	if err := <-done; err != nil || d.isThere(w, file) {
		t.Errorf("forgotten with error %v; the file of before is there: %v", err, d.isThere(w, file))
	}
	w.ended(m)
	w.audited()
}

// TestForgottenWhileItIsHealed: a file that is fetched from the store while something in it is forgotten does not come back.
func TestForgottenWhileItIsHealed(t *testing.T) {
	t.Parallel()
	w, _ := remembering(t, 2500)
	w.setup.Snapshot.Every = time.Hour
	d, store := newDisk(t), &slowStore{Store: w.store(), asked: make(chan struct{}), answers: make(chan struct{})}
	m := w.start(named("m"), d.has, func(s *Setup) { s.Store = store })
	w.produce(2000, 1)
	w.settled()
	w.quiet(m)
	var bad string
	fails := 2 // the read for the snapshot, and that by which it is healed
	d.calls(func(op, name string) error {
		if op != "read" || fails == 0 || bad != "" && name != bad {
			return nil
		}
		if bad == "" {
			bad = name
			store.slow.Store(&name)
			store.data, _ = os.ReadFile(filepath.Join(d.dir, w.setup.Params.Group, name))
		}
		fails--
		return syscall.EIO
	})
	taken := make(chan struct{})
	go func() {
		defer close(taken)
		member.NewKeeper(m.follower(), m.setup.Store, w.setup.Snapshot, "m").Take(w.context())
	}()
	<-store.asked
	d.works()
	if err := <-w.forgets(m); err != nil {
		t.Fatal(err)
	}
	if d.isThere(w, bad) {
		t.Error("a file is there of which something was forgotten")
	}
	close(store.answers)
	if <-taken; d.isThere(w, bad) {
		t.Error("a file has come back of which something was forgotten")
	}
	w.ended(m)
	w.audited()
}

// slowStore is a store that gives a segment when it is told to, for once.
type slowStore struct {
	snapshot.Store
	slow           atomic.Pointer[string] // its name
	data           []byte
	asked, answers chan struct{}
}

func (s *slowStore) Segment(ctx context.Context, name string) ([]byte, error) {
	if slow := s.slow.Load(); slow == nil || *slow != name || !s.slow.CompareAndSwap(slow, nil) {
		return s.Store.Segment(ctx, name)
	}
	close(s.asked)
	<-s.answers
	return s.data, nil
}

// TestForgottenButNotRemoved: a member whose files cannot be removed says that they may have what was forgotten, also to who
// asks again, and removes them as soon as it can.
func TestForgottenButNotRemoved(t *testing.T) {
	t.Parallel()
	w, _ := remembering(t, 2500)
	w.setup.Sources[0].Reading.ID = "key"
	d := newDisk(t)
	m := w.start(named("m"), d.has)
	w.produce(2000, 1)
	w.settled()
	w.quiet(m)
	var mu sync.Mutex
	kept := ""
	d.calls(func(op, name string) error {
		if op != "remove" {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		kept = name
		return syscall.EROFS
	})
	for range 2 { // the second time no document has that name
		var stopped *StopError
		if _, _, err := m.Forget(w.context(), []string{"k7", "k77"}, false, false); !errors.As(err, &stopped) || !strings.Contains(stopped.Remedy, "writable") {
			t.Fatalf("no file can be removed, and the answer is %v", err)
		}
	}
	d.works()
	w.becomes("the file is removed", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return kept != "" && !d.isThere(w, kept)
	})
	w.ended(m)
	w.audited()
}
