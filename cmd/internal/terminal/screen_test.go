package terminal

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/config"
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

func TestLoggerFormats(t *testing.T) {
	for _, c := range []struct {
		name   string
		params config.LogParams
		want   string
	}{
		{"json elsewhere than on a terminal", config.LogParams{Level: "info", Format: "auto"}, `"message":"hello"`},
		{"json", config.LogParams{Level: "info", Format: "json"}, `"level":"info"`},
		{"console", config.LogParams{Level: "info", Format: "console"}, " INF hello\n"},
		{"below the level", config.LogParams{Level: "warn", Format: "json"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			logger, err := NewLogger(&out, c.params)
			if err != nil {
				t.Fatal(err)
			}
			logger.Info().Msg("hello")
			if got := out.String(); !strings.Contains(got, c.want) || (c.want == "") != (got == "") {
				t.Errorf("logged %q, want %q in it", got, c.want)
			}
		})
	}
}

func TestLoggerRefusesUnknownLevel(t *testing.T) {
	if _, err := NewLogger(&strings.Builder{}, config.LogParams{Level: "loud"}); err == nil {
		t.Error("no error for level loud")
	}
}

func TestProgressLine(t *testing.T) {
	for _, test := range []struct {
		progress Progress
		want     string
	}{
		{Progress{Documents: 5000, bytes: 3 << 20, size: -1}, "5,000 documents (500/s), 3 MB"},
		{Progress{Documents: 5000, bytes: 25 << 20, size: 100 << 20}, "5,000 documents (500/s), 25 of 100 MB (25 %), 30s left"},
		{Progress{Documents: 5, bytes: 500, size: 700}, "5 documents (0/s), 1 of 1 kB (71 %), 4s left"},
		{Progress{Documents: 5, bytes: 300 << 10, size: 1 << 20}, "5 documents (0/s), 300 of 1024 kB (29 %), 24s left"},
		{Progress{Documents: 5, bytes: 3000, size: 0}, "5 documents (0/s), 2 kB"},
		{Progress{Documents: 1200, Files: 1200, bytes: 100 << 20, size: 100 << 20}, "1,200 files (120/s), 1,200 documents (120/s), 100 of 100 MB (100 %)"},
	} {
		if got := test.progress.line(10 * time.Second); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// On a terminal one line is updated. Elsewhere a line appears at intervals, and at once when waiting begins.
func TestStages(t *testing.T) {
	for _, c := range []struct {
		name     string
		terminal bool
		hidden   bool
		want     string
	}{
		{"lines", false, false, "unecho: waiting\nunecho: reading: 3,000 of 4,000, about 4s left\n"},
		{"terminal", true, false, "\r\x1b[Kwaiting\r\x1b[Kreading: 0 of 4,000\r\x1b[Kreading: 1,000 of 4,000, about 12s left" +
			"\r\x1b[Kreading: 3,000 of 4,000, about 4s left\r\x1b[Kreading: 4,000 of 4,000\r\x1b[K"},
		{"hidden", true, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			now := time.Unix(0, 0)
			p := NewStages(&out)
			p.Hidden, p.now, p.last = c.hidden, func() time.Time { return now }, now
			if c.terminal {
				p.screen = &Screen{out: &out, width: func() int { return 80 }}
			}
			for _, step := range []struct {
				after       time.Duration
				stage       string
				done, total int64
			}{
				{time.Millisecond, "waiting", 0, 0},
				{time.Millisecond, "waiting", 0, 0},
				{time.Second, "reading", 0, 4000},
				{4 * time.Second, "reading", 1000, 4000},
				{time.Millisecond, "reading", 1001, 4000},
				{8 * time.Second, "reading", 3000, 4000},
				{time.Second, "reading", 4000, 4000},
			} {
				now = now.Add(step.after)
				p.Stage(step.stage, step.done, step.total)
			}
			p.End()
			if got := out.String(); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}
