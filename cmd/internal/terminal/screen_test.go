package terminal

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// paper is a terminal of 80 columns. It keeps the content of each line.
type paper struct {
	rows   [][]rune
	column int
}

const paperWidth = 80

func (p *paper) Write(text []byte) (int, error) {
	if len(p.rows) == 0 {
		p.rows = [][]rune{nil}
	}
	for rest := string(text); rest != ""; {
		last := len(p.rows) - 1
		after, erase := strings.CutPrefix(rest, "\x1b[K")
		if erase {
			p.rows[last], rest = p.rows[last][:p.column], after
			continue
		}
		switch rest[0] {
		case '\r':
			p.column = 0
		case '\n':
			p.rows, p.column = append(p.rows, nil), 0
		default:
			r := []rune(rest)[0]
			p.put(r)
			rest = rest[len(string(r)):]
			continue
		}
		rest = rest[1:]
	}
	return len(text), nil
}

func (p *paper) put(r rune) {
	if p.column == paperWidth {
		p.rows, p.column = append(p.rows, nil), 0
	}
	last := len(p.rows) - 1
	p.rows[last] = append(p.rows[last][:p.column], r)
	p.column++
}

func (p *paper) lines() (out []string) {
	for _, row := range p.rows {
		out = append(out, string(row))
	}
	return out
}

// Messages that come while progress is on the terminal get lines of their own, and so does what the terminal writes
// when Ctrl-C is pressed. Progress that is too wide is cut, because a wrapped line cannot be redrawn.
func TestMessagesAndProgressShareNoLine(t *testing.T) {
	out := &paper{}
	s := &Screen{out: out, width: func() int { return paperWidth }}
	p := NewProgress(s, 100<<20)
	p.Documents, p.Files = 1_234_567_890, 1_234_567_890
	for i := range 3 {
		p.bytes = int64(i) << 20
		p.show(p.line(1_000_000))
		fmt.Fprint(out, "^C")
		fmt.Fprintf(s, "message %d\n", i)
		p.show(p.line(1_000_000))
		p.show(p.line(1_000_000))
	}
	if now := out.lines(); len(now) != 4 || !strings.HasPrefix(now[3], "1,234,567,890 files") ||
		len([]rune(now[3])) >= paperWidth {
		t.Errorf("in between: %q", now)
	}
	p.End()
	fmt.Fprintln(s, "done")
	if got, want := out.lines(), []string{"message 0", "message 1", "message 2", "done", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
