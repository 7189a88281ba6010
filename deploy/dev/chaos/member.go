//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/deploy/dev/testbed"
)

// restartAfter is the time from the end of a member to its next start, as a supervisor would wait.
const restartAfter = 200 * time.Millisecond

// leaveBound is how long a member may take to end after SIGTERM: more than its drain timeout of 20 s, because the
// machine is busy.
const leaveBound = 90 * time.Second

// member is a place in the group. Its processes live one after another.
type member struct {
	args   []string
	binary string
	log    *os.File
	clock  func(life int) []string // what sets the clock of a life off; nil: nothing does

	mu     sync.Mutex
	cmd    *exec.Cmd
	alive  bool
	asked  bool      // the present life was asked to end, or killed
	absent time.Time // the next life must not start before
	lives  int
	paused int // number of SIGSTOPs that are not undone

	seen endings
}

// endings counts how processes ended unasked.
type endings struct {
	mu  sync.Mutex
	why map[string]int
}

// What differs from life to life, and how much of a message is kept.
const (
	numbers = `[0-9]{5,}`
	mostWhy = 200
)

func (e *endings) add(why string) {
	why, _, _ = strings.Cut(why, "\n")
	why = regexp.MustCompile(numbers).ReplaceAllString(why, "…")
	why = why[:min(len(why), mostWhy)]
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.why == nil {
		e.why = map[string]int{}
	}
	e.why[why]++
}

// run starts a life again whenever one ends, until ctx is done. Then it asks the last life to end, which must end
// without an error.
func (m *member) run(ctx context.Context) error {
	for ctx.Err() == nil {
		said, err := m.live(ctx)
		m.mu.Lock()
		asked, pause := m.asked, max(restartAfter, time.Until(m.absent))
		m.mu.Unlock()
		switch {
		case ctx.Err() != nil && err != nil:
			return fmt.Errorf("end: %w\n%s", err, said)
		case !asked && err != nil:
			m.seen.add(fmt.Sprintf("%v: %s", err, said))
		case !asked && ctx.Err() == nil:
			m.seen.add("exit status 0 without being asked")
		}
		wait(ctx, pause)
	}
	return nil
}

// live runs one life. It returns what the process wrote outside of its log, and how it ended.
func (m *member) live(ctx context.Context) (said string, err error) {
	errs := &words{log: m.log}
	cmd := exec.CommandContext(ctx, m.binary, m.args...)
	cmd.Stderr, cmd.Stdout = errs, errs
	cmd.Cancel = func() error {
		m.mu.Lock()
		defer m.mu.Unlock()
		return errors.Join(cmd.Process.Signal(syscall.SIGCONT), cmd.Process.Signal(syscall.SIGTERM))
	}
	cmd.WaitDelay = leaveBound
	m.mu.Lock()
	m.lives++
	if m.clock != nil {
		cmd.Env = append(os.Environ(), m.clock(m.lives)...)
	}
	cmd.SysProcAttr = testbed.EndWithParent(&syscall.SysProcAttr{Setpgid: true}, syscall.SIGKILL) // we hand Ctrl-C on
	err = cmd.Start()
	m.cmd, m.alive, m.asked, m.paused = cmd, err == nil, false, 0
	m.mu.Unlock()
	if err != nil {
		return "", fmt.Errorf("start: %w", err)
	}
	err = cmd.Wait()
	m.mu.Lock()
	m.alive = false
	m.mu.Unlock()
	if errors.Is(err, context.Canceled) { // it ended well after it was asked to
		err = nil
	}
	return errs.last(), err
}

// signal sends a signal to the present life, and returns false if there is none. ending says that the life may end
// because of the signal.
func (m *member) signal(s syscall.Signal, ending bool, absent time.Duration) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.alive || m.cmd.Process.Signal(s) != nil {
		return false
	}
	if ending {
		m.asked, m.absent = true, time.Now().Add(absent)
	}
	return true
}

// pause stops the process for a while. Pauses may overlap.
func (m *member) pause(ctx context.Context, d time.Duration) {
	m.mu.Lock()
	life := m.lives
	m.paused++
	m.mu.Unlock()
	_ = m.signal(syscall.SIGSTOP, false, 0)
	wait(ctx, d)
	m.mu.Lock()
	last := m.lives == life
	if last {
		m.paused--
		last = m.paused == 0
	}
	m.mu.Unlock()
	if last {
		_ = m.signal(syscall.SIGCONT, false, 0)
	}
}

// leaves sends SIGTERM, and returns when another life has begun.
func (m *member) leaves(ctx context.Context, absent time.Duration) error {
	m.mu.Lock()
	life := m.lives
	m.mu.Unlock()
	if !m.signal(syscall.SIGTERM, true, absent) {
		return nil
	}
	return until(ctx, "a member has left and come again", leaveBound+absent, func(context.Context) bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.lives > life
	})
}

// wait waits for d, or until ctx is done.
func wait(ctx context.Context, d time.Duration) { _ = retry.Pause(ctx, d) }

// lasting returns what only waits, as wait does.
func lasting(d time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		wait(ctx, d)
		return nil
	}
}

// words keeps what a process writes outside of its log, and why it ends. A file has everything, including the log.
type words struct {
	log  *os.File
	mu   sync.Mutex
	said []byte
	rest []byte // of a line that has not ended yet
}

// mostWords bounds the bytes that are kept of one life.
const mostWords = 16 << 10

// Write implements io.Writer.
func (w *words) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rest = append(w.rest, p...)
	for {
		line, rest, ok := bytes.Cut(w.rest, []byte("\n"))
		if !ok {
			break
		}
		logged := bytes.HasPrefix(line, []byte("{")) && !bytes.HasPrefix(line, []byte(`{"level":"fatal"`))
		if !logged && len(w.said) < mostWords {
			w.said = append(append(w.said, line...), '\n')
		}
		w.rest = rest
	}
	return w.log.Write(p)
}

func (w *words) last() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.TrimSpace(string(append(w.said, w.rest...)))
}
