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
		signalled(first)
	}
	os.Exit(m.Run())
}

// signalled gets the first signal and a second one.
func signalled(first int) {
	ctx, _ := UntilSignalWith(context.Background(), func() { fmt.Println("finishing") })
	_ = unix.Kill(os.Getpid(), unix.Signal(first))
	<-ctx.Done()
	_ = unix.Kill(os.Getpid(), unix.SIGTERM)
	select {}
}

// The first signal asks to finish; the second ends the process.
func TestASecondSignalEnds(t *testing.T) {
	for _, first := range []unix.Signal{unix.SIGINT, unix.SIGTERM} {
		if said, end := left(t, int(first)); end.ExitCode() != Interrupted || said != "finishing\n" {
			t.Errorf("%v: it said %q and ended with %v", first, said, end)
		}
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
