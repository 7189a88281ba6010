//go:build unix

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// grace is how long interrupted tests may take to end before they are killed.
const grace = 10 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	rep := newReport(os.Stdout, os.Getenv("CI") == "true")
	most, err := retries(os.Getenv("TEST_RETRIES"))
	if err == nil {
		err = goTests(ctx, os.Args[1:], rep)
		rep.again(ctx, most)
	}
	interrupted := ctx.Err() != nil
	stop()
	if interrupted {
		err = errors.New("interrupted")
	}
	if rep.finish(err) {
		return
	}
	os.Exit(1)
}

// goTests runs a go test for each part of args between "--", all at once. A package may be in two of them if their
// flags differ.
func goTests(ctx context.Context, args []string, rep *report) error {
	var parts [][]string
	start := 0
	for i := range len(args) + 1 {
		if i == len(args) || args[i] == "--" {
			if part := args[start:i]; len(part) > 0 || len(args) == 0 {
				parts = append(parts, part)
			}
			start = i + 1
		}
	}
	var wg sync.WaitGroup
	errs := make([]error, len(parts))
	for i, part := range parts {
		wg.Go(func() { errs[i] = goTest(ctx, part, rep) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// goTest feeds the report with the output of go test until it ends. go test and all it starts are one process group,
// which gets the signals that interrupt us.
func goTest(ctx context.Context, args []string, rep *report) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = grace
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start go test: %w", err)
	}
	forceEnd := context.AfterFunc(ctx, func() {
		// The pipe, and so the reading below, stays open for as long as one process of the group lives.
		time.AfterFunc(grace, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }) // gone is good
	})
	defer forceEnd()
	flags := withoutPackages(args)
	if err := readLines(out, func(line []byte) { rep.line(flags, line) }); err != nil {
		rep.broken(err)
	}
	return cmd.Wait()
}

// readLines hands on each line without a bound on its length.
func readLines(r io.Reader, each func([]byte)) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			each(line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read go test: %w", err)
		}
	}
}
