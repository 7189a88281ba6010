package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/unecho/unecho/cmd/internal/exit"
)

// process is a running unecho.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	log  *output
	out  *output
	done chan struct{}
	err  error // how it ended; set when done is closed
	ends bool  // it has been asked to
}

// start runs the real program: this test binary, which is one under that name.
func start(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	return startProgram(t, dir, "unecho", args...)
}

func startProgram(t *testing.T, dir, program string, args ...string) *process {
	t.Helper()
	p := &process{t: t, log: newOutput(), out: newOutput(), done: make(chan struct{})}
	p.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), program, args...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr, p.cmd.Env = dir, p.out, p.log,
		append(os.Environ(), noRaceNap, "GOTRACEBACK=all")
	check(t, p.cmd.Start())
	go func() {
		p.err = p.cmd.Wait()
		p.log.close()
		p.out.close()
		close(p.done)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // it has ended, as a rule
		<-p.done
		if t.Failed() {
			t.Logf("unecho %s: %v\n%s", strings.Join(args, " "), p.err, p.log)
		}
	})
	return p
}

// run starts the service.
func (s *scene) run(args ...string) *process {
	s.t.Helper()
	p := start(s.t, s.dir, append([]string{"run", "--config", s.file}, args...)...)
	s.all = append(s.all, p)
	return p
}

// runPlain starts the service as it is built for users: a race detector would take several times the memory.
func (s *scene) runPlain(args ...string) *process {
	s.t.Helper()
	p := startProgram(s.t, s.dir, plain(s.t), append([]string{"run", "--config", s.file}, args...)...)
	s.all = append(s.all, p)
	return p
}

// plain is the program built without a race detector, once for all tests.
func plain(t *testing.T) string {
	t.Helper()
	path, err := buildPlain()
	check(t, err)
	return path
}

var (
	buildPlain = sync.OnceValues(func() (string, error) {
		var err error
		if plainDir, err = os.MkdirTemp("", "unecho-plain-"); err != nil {
			return "", err
		}
		path := filepath.Join(plainDir, "unecho")
		if said, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
			return "", fmt.Errorf("build: %w\n%s", err, said)
		}
		return path, nil
	})
	plainDir string // is removed when all tests are done; none if nothing was built
)

// tidied are tests that remove what they share.
type tidied struct{ *testing.M }

func (m tidied) Run() int {
	defer func() { _ = os.RemoveAll(plainDir) }()
	return m.M.Run()
}

func (p *process) endedUnasked() bool {
	select {
	case <-p.done:
		return !p.ends
	default:
		return false
	}
}

// failed says that it has ended by itself, and not well.
func (p *process) failed() bool { return p.endedUnasked() && p.err != nil }

// says waits for a line of the log.
func (p *process) says(what string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	if err := p.log.await(ctx, what); err != nil {
		p.t.Fatalf("waiting for %q: %v", what, err)
	}
}

// kill is SIGKILL: the process can do no more.
func (p *process) kill() {
	p.t.Helper()
	p.ends = true
	if err := p.cmd.Process.Kill(); !errors.Is(err, os.ErrProcessDone) {
		check(p.t, err)
	}
	<-p.done
}

// stopAll is SIGTERM to all at once: they must end in time, without an error.
func stopAll(t *testing.T, bound time.Duration, all ...*process) {
	t.Helper()
	began := time.Now()
	for _, p := range all {
		p.ends = true
		check(t, p.cmd.Process.Signal(syscall.SIGTERM))
	}
	for _, p := range all {
		if code := p.exits(bound); code != 0 {
			t.Fatalf("exit code %d after SIGTERM", code)
		}
	}
	t.Logf("%d ended %v after SIGTERM", len(all), time.Since(began).Round(10*time.Millisecond))
}

// exits waits for the end and returns the exit code.
func (p *process) exits(bound time.Duration) int {
	p.t.Helper()
	p.ends = true
	timer := time.NewTimer(bound)
	defer timer.Stop()
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode()
	case <-timer.C:
		_ = p.cmd.Process.Signal(syscall.SIGQUIT) // the goroutines say what they wait for
		<-p.done
		p.t.Fatalf("has not ended within %v", bound)
		return -1
	}
}

// endsWell waits for the end with exit code 0, and returns what was printed.
func (p *process) endsWell() string {
	p.t.Helper()
	if code := p.exits(patience); code != 0 {
		p.t.Fatalf("it ends with %d: %s%s", code, p.log, p.out)
	}
	return p.out.String()
}

// fails waits for the end with exit code 1, and demands that the log says why.
func (p *process) fails(says ...string) {
	p.t.Helper()
	if code := p.exits(patience); code != exit.Failed {
		p.t.Errorf("it ends with %d, want %d: %s", code, exit.Failed, p.log)
	}
	for _, what := range says {
		if !strings.Contains(p.log.String(), what) {
			p.t.Errorf("it does not say %q: %s", what, p.log)
		}
	}
}

// killed starts processes. At each of the moments it kills one of them, by turns, and starts it again. It returns those
// that live then.
func killed(processes int, run func(i int) *process, moments ...func(all []*process)) []*process {
	all := make([]*process, processes)
	for i := range all {
		all[i] = run(i)
	}
	for k, moment := range moments {
		moment(all)
		all[k%processes].kill()
		all[k%processes] = run(k % processes)
	}
	return all
}

// output is what a process has written so far.
type output struct {
	mu    sync.Mutex
	text  []byte
	ended bool
	more  chan struct{} // closed and replaced when there is more
}

func newOutput() *output { return &output{more: make(chan struct{})} }

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, p...)
	o.wake()
	return len(p), nil
}

func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	o.wake()
}

func (o *output) wake() {
	close(o.more)
	o.more = make(chan struct{})
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.text)
}

var errEnded = errors.New("it has ended without")

// await waits for one of some texts.
func (o *output) await(ctx context.Context, what ...string) error {
	for {
		o.mu.Lock()
		found := slices.ContainsFunc(what, func(text string) bool { return bytes.Contains(o.text, []byte(text)) })
		ended, more := o.ended, o.more
		o.mu.Unlock()
		switch {
		case found:
			return nil
		case ended:
			return errEnded
		}
		select {
		case <-more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// restored says whether the process began from a snapshot.
func (p *process) restored() bool { return strings.Contains(p.log.String(), "snapshot restored") }
