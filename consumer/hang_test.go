package consumer

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/lockfile"
)

// endsBy expects the error of a process that a file holds up, one of those that hang.
func (w *world) endsBy(err error, hung <-chan string, is, setting string) {
	w.t.Helper()
	var stopped *StopError
	if !errors.As(err, &stopped) || !errors.Is(err, ErrHangs) {
		w.t.Fatalf("it ends with %v", err)
	}
	says, _, _ := strings.Cut(stopped.Err.Error(), "; it shuts down because of this: ")
	if !strings.HasSuffix(says, " in "+setting) {
		w.t.Errorf("it ends with %v", err)
	}
	_, says, _ = strings.Cut(says, "the disk does not answer: ")
	name, says, _ := strings.Cut(says, " ")
	for file := ""; file != name; {
		select {
		case file = <-hung:
		default:
			w.t.Fatalf("it names %q, which does not hang: %v", name, err)
		}
	}
	if !strings.HasPrefix(says, "is being "+is+" since ") {
		w.t.Errorf("it ends with %v", err)
	}
}

// isFree says whether another process could open the directory.
func (d *disk) isFree(w *world) bool {
	_, err := files.OpenIn(&d.system, files.PathOf(d.dir, w.setup.Params.Group), files.Owner{})
	return err != nil && !errors.As(err, new(*lockfile.TakenError)) // it is of a group
}

// answers waits until the disk of a process has answered all calls.
func (w *world) answers(s *Service) {
	w.t.Helper()
	w.becomes("the disk answers", func() bool { return s.replicas.Silent(time.Now().Add(time.Hour)) == "" })
}

// TestEndsWhileAReadHangs: a process whose reads never return ends when its time to drain is over, and names the file. Nothing
// is lost.
func TestEndsWhileAReadHangs(t *testing.T) {
	t.Parallel()
	w, _ := remembering(t, 2500)
	d := newDisk(t)
	m := w.launch(named("m"), d.has, func(s *Setup) { s.Params.DrainTimeout, s.lastSteps = time.Second, 2*time.Second })
	w.produce(2000, 1)
	w.settled()
	w.quiet(m)
	hung, release := d.hangs("read", false)
	defer release()
	w.produce(2000, 1)
	w.becomes("a read hangs", func() bool { return strings.Contains(m.Stats().FileTrouble, " is being read since ") })
	w.endsBy(m.stop(), hung, "read", "duplicates.remember.directory")
	release()
	w.answers(m.Service)
	w.becomes("the directory is free", func() bool { return d.isFree(w) })
	next := w.start(named("m"), d.has)
	w.settled()
	w.ended(next)
	w.audited()
}

// TestFillEndsWhileAWriteHangs: so does one that fills a window, and names the file that is being written.
func TestFillEndsWhileAWriteHangs(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	w, _, p := d.filler(t, func(s *Setup) { s.lastSteps = 2 * time.Second })
	hung, release := d.hangs("sync", false)
	defer release()
	ctx, cancel := context.WithCancel(w.context())
	ended := make(chan error, 1)
	go func() {
		_, _, err := p.Run(ctx)
		ended <- err
	}()
	w.becomes("a write hangs", func() bool { return len(hung) > 0 })
	cancel()
	w.endsBy(<-ended, hung, "written", "--directory")
	release()
	w.answers(p.service)
}

// stuckLeases gives leases that are given back only when the channel is closed.
type stuckLeases struct {
	names
	ending  atomic.Int32 // leases
	answers chan struct{}
}

func newStuckLeases() *stuckLeases {
	return &stuckLeases{names: names{held: map[string]*cutLease{}}, answers: make(chan struct{})}
}

// are has a member take its name from them, and not wait long.
func (n *stuckLeases) are(s *Setup) { s.Leases, s.lastSteps = n, time.Second }

func (n *stuckLeases) Lease(ctx context.Context, name string) (snapshot.Lease, error) {
	lease, err := n.names.Lease(ctx, name)
	return stuckLease{lease, n}, err
}

type stuckLease struct {
	snapshot.Lease
	of *stuckLeases
}

func (l stuckLease) Release() error {
	l.of.ending.Add(1)
	<-l.of.answers
	return l.Lease.Release()
}

// endsWith waits until a process has ended, and returns the error.
func (w *world) endsWith(m *running) error {
	w.t.Helper()
	w.becomes("the process ends", func() bool {
		select {
		case <-m.ended:
			return true
		default:
			return false
		}
	})
	return m.err
}

// TestHungKeepsWhatItUses: a process that an error ends, while a goroutine of it hangs in a file, leaves the directory and its
// name as they are: the goroutine may write there, and the lease may lie on the same disk. When the disk answers, both are free.
func TestHungKeepsWhatItUses(t *testing.T) {
	t.Parallel()
	w, _ := remembering(t, 2500)
	w.setup.Snapshot.Every = time.Hour // what is damaged is nowhere else
	d := newDisk(t)
	leases := newStuckLeases()
	m := w.launch(d.has, leases.are)
	w.produce(2000, 1)
	w.settled()
	w.quiet(m)
	hung, release := d.hangs("sync", false)
	defer release()
	answer := sync.OnceFunc(func() { close(leases.answers) })
	defer answer()
	w.produce(500, 2)
	w.becomes("a write hangs", func() bool { return len(hung) > 0 })
	for _, path := range w.oldFiles(d.dir) {
		if err := os.Truncate(path, 1000); err != nil {
			t.Fatal(err)
		}
	}
	w.produce(2000, 1)
	w.endsBy(w.endsWith(m), hung, "written", "duplicates.remember.directory")
	if n := leases.ending.Load(); n > 0 || d.isFree(w) {
		t.Errorf("while a write hangs, the directory is free: %t, and %d leases are given back", d.isFree(w), n)
	}
	release()
	answer()
	w.becomes("the directory is free", func() bool { return d.isFree(w) })
}

// TestEndsWhileALeaseHangs: so does a process that an error ends, and whose lease is not taken back then.
func TestEndsWhileALeaseHangs(t *testing.T) {
	t.Parallel()
	w, directory := remembering(t, 2500)
	w.setup.Snapshot.Every = time.Hour // which takes a lease, too
	leases := newStuckLeases()
	defer close(leases.answers)
	m := w.launch(ofFiles(directory), leases.are)
	w.produce(1000, 1)
	w.settled()
	w.inFiles(directory, 2)
	if err := os.RemoveAll(directory); err != nil {
		t.Fatal(err)
	}
	if err := w.endsWith(m); !errors.Is(err, ErrHangs) || !strings.Contains(err.Error(), "old documents cannot be kept in") {
		t.Errorf("it ends with %v", err)
	}
}

// TestEndsByAnErrorWhileAReadHangs: so does one that an error ends, and says that error, too. Nobody goes on as after that error
// alone, because the goroutine that hangs works on.
func TestEndsByAnErrorWhileAReadHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		planned, answers := errors.New("planned"), make(chan struct{})
		defer close(answers)
		began := time.Now()
		h := hang{replicas: new(member.Counters), late: make(chan error, 1)}
		err := h.inTime(func() error {
			return h.following(t.Context(),
				func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
				func(context.Context) error { return planned },
				func(context.Context) error { <-answers; return nil })
		})
		var stopped *StopError
		if !errors.As(err, &stopped) || !errors.Is(err, ErrHangs) || errors.Is(err, planned) || !strings.Contains(err.Error(), "planned") {
			t.Errorf("it ends with %v", err)
		}
		if took := time.Since(began); took != lastSteps {
			t.Errorf("it ends after %v", took)
		}
	})
}
