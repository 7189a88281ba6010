package consumer

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot/lockfile"
)

// endsBy expects the error of a process that a file holds up, one of those that hang.
func (w *world) endsBy(err error, hung <-chan string, is, setting string) {
	w.t.Helper()
	var stopped *StopError
	if !errors.As(err, &stopped) || !errors.Is(err, ErrHangs) || !strings.HasSuffix(stopped.Err.Error(), " in "+setting) {
		w.t.Fatalf("it ends with %v", err)
	}
	_, says, _ := strings.Cut(err.Error(), "the disk does not answer: ")
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
	w.becomes("the directory is free", func() bool {
		_, err := files.OpenIn(&d.system, files.PathOf(d.dir, w.setup.Params.Group), files.Owner{})
		return err != nil && !errors.As(err, new(*lockfile.TakenError)) // it is of a group
	})
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

// TestEndsByAnErrorWhileAReadHangs: so does one that an error ends, and says that error, too. Nobody goes on as after that error
// alone, because the goroutine that hangs works on.
func TestEndsByAnErrorWhileAReadHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		planned, answers := errors.New("planned"), make(chan struct{})
		defer close(answers)
		began := time.Now()
		err := hang{replicas: new(member.Counters)}.following(t.Context(),
			func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
			func(context.Context) error { return planned },
			func(context.Context) error { <-answers; return nil })
		var stopped *StopError
		if !errors.As(err, &stopped) || !errors.Is(err, ErrHangs) || errors.Is(err, planned) || !strings.Contains(err.Error(), "planned") {
			t.Errorf("it ends with %v", err)
		}
		if took := time.Since(began); took != lastSteps {
			t.Errorf("it ends after %v", took)
		}
	})
}
