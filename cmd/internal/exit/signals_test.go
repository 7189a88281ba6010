//go:build unix

package exit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// leaving, in the environment, makes the test binary a process that sends itself signals: its words are what it says.
const leaving = "UNECHO_TEST_LEAVING"

func TestMain(m *testing.M) {
	if first, err := strconv.Atoi(os.Getenv(leaving)); err == nil {
		leave(first)
	}
	os.Exit(m.Run())
}

// leave gets the first signal and a second one; below zero, what it closes hangs, and it gets a third.
func leave(first int) {
	closing := func() { fmt.Println("closed") }
	if first < 0 {
		first = -first
		closing = func() {
			_ = unix.Kill(os.Getpid(), unix.SIGINT)
			select {}
		}
	}
	ctx, _ := UntilSignalWith(context.Background(), func() { fmt.Println("finishing") }, closing)
	_ = unix.Kill(os.Getpid(), unix.Signal(first))
	<-ctx.Done()
	_ = unix.Kill(os.Getpid(), unix.SIGTERM)
	select {}
}

// The first signal asks to finish; the second ends the process, but what must not be left open is closed before. To
// close the terminal is a signal as well. A third one ends what hangs.
func TestASecondSignalCloses(t *testing.T) {
	for _, first := range []unix.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP} {
		if said, end := left(t, int(first)); end.ExitCode() != Interrupted || said != "finishing\nclosed\n" {
			t.Errorf("%v: it said %q and ended with %v", first, said, end)
		}
	}
	if said, end := left(t, -int(unix.SIGINT)); end.Exited() || said != "finishing\n" {
		t.Errorf("a third signal: it said %q and ended with %v", said, end)
	}
}

// left is what the process said that got these signals, and how it ended.
func left(t *testing.T, first int) (said string, end *exec.ExitError) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), leaving+"="+strconv.Itoa(first))
	out, err := cmd.Output()
	if !errors.As(err, &end) || ctx.Err() != nil {
		t.Fatalf("it said %q and ended with %v, %v", out, err, ctx.Err())
	}
	return string(out), end
}
