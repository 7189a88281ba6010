package pagetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
)

// root is the project's directory, seen from this one.
const root = "../../.."

// Build builds the program into a directory and returns its path. from is the directory of this module.
func Build(ctx context.Context, from, into string) (string, error) {
	program := filepath.Join(into, "unecho")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/unecho")
	build.Dir = filepath.Join(from, root)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return program, nil
}

// Program is a process that serves a page.
type Program struct {
	URL  string // of its page
	cmd  *exec.Cmd
	read chan struct{} // closed when all that it said is read
}

// Start starts the program and waits until it says where its page is.
func Start(ctx context.Context, program string, args ...string) (*Program, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout = io.Discard
	cmd.Env = append(os.Environ(), "TERM=dumb")
	out, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	p := &Program{cmd: cmd, read: make(chan struct{})}
	lines, told := bufio.NewScanner(out), ""
	address := regexp.MustCompile(`^its page is (http://\S+)$`)
	for p.URL == "" && lines.Scan() {
		told += lines.Text() + "\n"
		if m := address.FindStringSubmatch(lines.Text()); m != nil {
			p.URL = m[1]
		}
	}
	go func() {
		defer close(p.read)
		for lines.Scan() {
		}
	}()
	if p.URL == "" {
		return nil, errors.Join(fmt.Errorf("the program does not say where its page is:\n%s", told), p.Stop())
	}
	return p, nil
}

// Stop ends it as Ctrl-C does, and waits.
func (p *Program) Stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-p.read
	return p.cmd.Wait()
}
