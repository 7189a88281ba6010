package terminal

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/unecho/unecho/config"
)

// openTerminal returns a terminal, and what is behind it: a reader of all that is written to it.
func openTerminal(t *testing.T) (tty, behind *os.File) {
	t.Helper()
	behind, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there is no terminal: %v", err)
	}
	t.Cleanup(func() { _ = behind.Close() })
	if err := unix.IoctlSetPointerInt(int(behind.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(behind.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tty.Close() })
	return tty, behind
}

// A terminal that shows escape sequences as they are gets none: neither colours nor a line that is drawn anew.
func TestDumbTerminal(t *testing.T) {
	for name, want := range map[string]bool{"xterm": true, "dumb": false} {
		t.Setenv("TERM", name)
		t.Setenv("NO_COLOR", "")
		tty, behind := openTerminal(t)
		if _, is := OnScreen(tty).(*Screen); is != want || Coloured(tty) != want {
			t.Errorf("%s: a screen %t, colours %t", name, is, Coloured(tty))
		}
		log, err := NewLogger(OnScreen(tty), config.LogParams{Level: "info", Format: "auto"})
		if err != nil {
			t.Fatal(err)
		}
		log.Info().Msg("hello")
		line := make([]byte, 200)
		n, err := behind.Read(line)
		if got := string(line[:n]); err != nil || !strings.Contains(got, "hello") || strings.Contains(got, "\x1b") != want {
			t.Errorf("the terminal %s shows %q, error %v; want hello and no error, in colour: %t", name, got, err, want)
		}
	}
}
