//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

const (
	// stopBound is how long a server may take to end before it is killed: its data is thrown away.
	stopBound = 10 * time.Second

	probeEvery = 100 * time.Millisecond
	shownLines = 30
)

// errEnded says that a server ended although nobody stopped it.
var errEnded = errors.New("it ended while it was starting")

// process is a started server. done is closed when it has ended; err may be read after that.
type process struct {
	name   string
	pid    int
	log    string
	cancel context.CancelFunc
	done   chan struct{}
	err    error
}

// launch starts a server in its own process group, so that Ctrl-C reaches the command first and the servers when it has
// ended. Its output goes to log. stopSignal asks it to end.
func launch(ctx context.Context, name, log string, as *syscall.Credential, stopSignal syscall.Signal, args ...string) (*process, error) {
	out, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer out.Close() // the child holds its own descriptor
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = endWithParent(&syscall.SysProcAttr{Setpgid: true, Credential: as}, stopSignal)
	cmd.Cancel = func() error { return cmd.Process.Signal(stopSignal) }
	cmd.WaitDelay = stopBound
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	p := &process{name: name, pid: cmd.Process.Pid, log: log, cancel: cancel, done: make(chan struct{})}
	go func() { // ends with the server, which stop waits for
		defer close(p.done)
		p.err = cmd.Wait()
	}()
	return p, nil
}

// await returns when ready does without an error; a server that ends or takes too long is an error that shows its log.
func (p *process) await(ctx context.Context, ready func(context.Context) error) error {
	began := time.Now()
	bound, cancel := context.WithTimeout(ctx, startBound)
	defer cancel()
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for {
		last := ready(bound)
		if last == nil {
			fmt.Fprintf(os.Stderr, "%s answers after %.1f s\n", p.name, time.Since(began).Seconds())
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("start %s: %w (%w)\n%s", p.name, errEnded, p.failure(), p.lastLines())
		case <-bound.Done():
			if ctx.Err() != nil {
				return fmt.Errorf("start %s: %w", p.name, context.Cause(ctx))
			}
			return fmt.Errorf("start %s: no answer within %s: %w\n%s", p.name, startBound, last, p.lastLines())
		case <-tick.C:
		}
	}
}

// failure is why an ended process ended.
func (p *process) failure() error {
	if p.err == nil {
		return errors.New("exit status 0")
	}
	return p.err
}

func (p *process) lastLines() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-shownLines):], "\n")
}

// freePort names a port of 127.0.0.1 that was free a moment ago.
func freePort(ctx context.Context) (int, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}
