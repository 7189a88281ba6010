package terminal

import (
	"bufio"
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

// TestStage: a whole terminal is drawn on and given back, and a key ends it.
func TestStage(t *testing.T) {
	t.Parallel()
	tty, behind := openTerminal(t)
	s, ctx, err := NewStage(t.Context(), tty, tty)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Draw(func(width, height int) []string {
		if width <= 0 || height <= 0 {
			t.Errorf("the picture has %d columns and %d rows", width, height)
		}
		return []string{"one", "two"}
	}); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(behind)
	until := func(end string) string {
		t.Helper()
		var b strings.Builder
		for !strings.HasSuffix(b.String(), end) {
			c, err := out.ReadByte()
			if err != nil {
				t.Fatalf("%v after %q", err, &b)
			}
			b.WriteByte(c)
		}
		return b.String()
	}
	if got, want := until(eraseBelow), otherScreen+home+"one"+eraseRight+"\r\ntwo"+eraseRight+eraseBelow; got != want {
		t.Errorf("drawn %q, want %q", got, want)
	}
	if _, err := behind.WriteString("xq"); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	s.Close()
	until(firstScreen)
}

// TestFit: a line is cut to the columns with its spaces, and cannot move the cursor.
func TestFit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, want string
		columns    int
	}{
		{"a  b", "a  b", 4}, {"a  bc", "a  …", 4}, {"日本語", "日本…", 5}, {"日本語", "日…", 4}, {"日本語", "日本語", 6}, {"a\x1b[2J", `a\x1b[2J`, 20}, {"a\nb", "a b", 9}, {"a", "", 0}, {"", "", 3},
	} {
		if got := Fit(c.text, c.columns); got != c.want || Columns(got) > c.columns {
			t.Errorf("%q in %d columns is %q, want %q", c.text, c.columns, got, c.want)
		}
	}
}
