//go:build unix

package testbed

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

const (
	// startBound is how long a server may take to answer. Kafka needs some 4 s on an idle machine, and minutes on a busy
	// one.
	startBound = 4 * time.Minute

	// stopBound is how long a server may take to end before it is killed.
	stopBound = 10 * time.Second

	probeEvery = 100 * time.Millisecond
	shownLines = 30
)

// errEnded says that a server ended although nobody stopped it.
var errEnded = errors.New("it ended while it was starting")

// Files says where servers keep their files.
type Files struct {
	Dir   string // their data and logs; the caller removes it
	Cache string // Kafka's jars
	POM   string // the Maven file that names Kafka's version

	Properties string // lines for the brokers' settings, which outrank those of every test
	Brief      bool   // brokers run for minutes and need not be fast: Java compiles quickly, and not well
}

// Server is one server's process, which may end and be started again. Its methods are for one goroutine at a time,
// apart from Done, Err and PID, which any may call while it runs.
type Server struct {
	Name string
	Log  string // the file that its output goes to

	as         *syscall.Credential
	stopSignal syscall.Signal // asks the server to end
	args       []string
	env        []string // beside ours
	ready      func(context.Context) error
	running    *process
}

// process is one life of a server. done is closed when it has ended; err may be read after that.
type process struct {
	cmd    *exec.Cmd
	cancel context.CancelFunc
	done   chan struct{}
	err    error
}

// Start begins a life in a process group of its own, so that Ctrl-C reaches only the command, and the servers end after
// it.
func (s *Server) Start(ctx context.Context) error {
	out, err := os.OpenFile(s.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer out.Close() // the child holds its own descriptor
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	cmd := exec.CommandContext(ctx, s.args[0], s.args[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.Env = out, out, append(os.Environ(), s.env...)
	cmd.SysProcAttr = EndWithParent(&syscall.SysProcAttr{Setpgid: true, Credential: s.as}, s.stopSignal)
	cmd.Cancel = func() error { return cmd.Process.Signal(s.stopSignal) }
	cmd.WaitDelay = stopBound
	if err := cmd.Start(); err != nil {
		cancel()
		return fmt.Errorf("start %s: %w", s.Name, err)
	}
	p := &process{cmd: cmd, cancel: cancel, done: make(chan struct{})}
	s.running = p
	go func() { // ends with the server, which Stop and Kill wait for
		defer close(p.done)
		p.err = cmd.Wait()
	}()
	return nil
}

// Await returns when the server answers. If the server ends or takes too long, the error shows its log.
func (s *Server) Await(ctx context.Context) error {
	bound, cancel := context.WithTimeout(ctx, startBound)
	defer cancel()
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for {
		last := s.ready(bound)
		if last == nil {
			return nil
		}
		select {
		case <-s.running.done:
			return fmt.Errorf("start %s: %w (%w)\n%s", s.Name, errEnded, s.Err(), s.LastLines())
		case <-bound.Done():
			if ctx.Err() != nil {
				return fmt.Errorf("start %s: %w", s.Name, context.Cause(ctx))
			}
			return fmt.Errorf("start %s: no answer within %s: %w\n%s", s.Name, startBound, last, s.LastLines())
		case <-tick.C:
		}
	}
}

// Stop asks the server to end and waits until it has.
func (s *Server) Stop() {
	if s.running == nil {
		return
	}
	s.running.cancel()
	<-s.running.done
}

// StopAll stops servers at the same time.
func StopAll(all ...*Server) {
	for _, s := range all {
		if s.running != nil {
			s.running.cancel()
		}
	}
	for _, s := range all {
		s.Stop()
	}
}

// Kill sends SIGKILL, after which the server can do no more. It returns when the server has ended.
func (s *Server) Kill() {
	_ = s.running.cmd.Process.Kill() // it may have ended already
	<-s.running.done
	s.running.cancel()
}

// Done returns a channel that is closed when the present life has ended.
func (s *Server) Done() <-chan struct{} { return s.running.done }

// PID returns the process id of the present life.
func (s *Server) PID() int { return s.running.cmd.Process.Pid }

// Err returns why a life that has ended did so.
func (s *Server) Err() error {
	if s.running.err == nil {
		return errors.New("exit status 0")
	}
	return s.running.err
}

// LastLines returns the end of the server's log.
func (s *Server) LastLines() string {
	text, err := os.ReadFile(s.Log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-shownLines):], "\n")
}

// Ports from which servers have theirs. They are below those that systems give to outgoing connections (on Linux from
// 32768 on, elsewhere from 49152): a server that is started again would find its port taken by one of these.
const firstPort, endPort = 20_000, 32_768

// FreeAddress returns an address of this machine that was free a moment ago.
func FreeAddress(ctx context.Context) (string, error) {
	ports, err := freePorts(ctx, 1)
	if err != nil {
		return "", err
	}
	return local(ports[0]), nil
}

// freePorts returns different ports of 127.0.0.1 that were free a moment ago.
func freePorts(ctx context.Context, n int) ([]int, error) {
	var (
		config net.ListenConfig
		ports  []int
		last   error
	)
	for tries := 0; len(ports) < n; tries++ {
		if tries > 100*n {
			return nil, fmt.Errorf("find a free port: %w", last)
		}
		port := firstPort + rand.IntN(endPort-firstPort) // any that is free will do
		l, err := config.Listen(ctx, "tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			last = err
			continue
		}
		defer l.Close() // only when all are found, so that none is found twice
		ports = append(ports, port)
	}
	return ports, nil
}
