package terminal

import (
	"bufio"
	"strings"
	"testing"
)

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
