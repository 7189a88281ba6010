package demo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/sink"
)

func demoEvents() []event {
	at := time.Date(2026, 1, 5, 12, 30, 59, 0, time.UTC)
	return []event{
		{At: at, ID: "a-1", Outlet: "Harbour Gazette", Title: "Ferry aground", Verdict: sink.Unique},
		{
			At: at, ID: "a-2", Outlet: "Town Crier", Title: "Ferry runs aground off the northern pier in dense fog", Verdict: sink.Duplicate,
			MatchID: "a-1", MatchOutlet: "Harbour Gazette", MatchTitle: "Ferry aground", Similarity: 8765, Method: "jaccard", Copy: 2,
		},
		{At: at, ID: "a-3\n\x1b[2J", Verdict: sink.Rejected, Reason: string(sink.MissingField), Detail: "no field text"},
	}
}

func TestPlainView(t *testing.T) {
	var out bytes.Buffer
	v := newView(&out, viewOptionsFor(&out, os.Getenv, 3))
	for _, e := range demoEvents() {
		v.show(e)
	}
	if err := v.refresh(time.Time{}); err != nil {
		t.Fatal(err)
	}
	if err := v.close(); err != nil {
		t.Fatal(err)
	}
	want := `unique     a-1  Harbour Gazette: Ferry aground
duplicate  a-2  of a-1  0.8765 jaccard, copy 2  Town Crier: Ferry runs aground off the northern pier in dense fog
rejected   a-3 \x1b[2J  missing_field: no field text
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// A document shows what it has, whatever its other fields are, and its id as matches name it.
func TestReadArticle(t *testing.T) {
	for value, want := range map[string]article{
		`{"id":"a","outlet":"o","title":"t"}`:      {"a", "o", "t"},
		`{"id":12345678,"title":7,"outlet":["o"]}`: {ID: "12345678"},
		`{"id":null,"title":"t"}`:                  {Title: "t"},
		`{"id":true}`:                              {ID: "true"},
		"no JSON":                                  {},
	} {
		if got := readArticle([]byte(value)); got != want {
			t.Errorf("%s: %+v, want %+v", value, got, want)
		}
	}
}

// live shows the events on a terminal and returns what it gets.
func live(t *testing.T, o viewOptions, width int) string {
	t.Helper()
	var out bytes.Buffer
	o.Terminal = true
	o.Width = func() int { return width }
	v := newView(&out, o)
	start := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	events := demoEvents()
	steps := []error{v.refresh(start)}
	v.show(events[0])
	steps = append(steps, v.refresh(start.Add(500*time.Millisecond)), v.refresh(start.Add(500*time.Millisecond)))
	v.show(events[1])
	v.show(events[2])
	steps = append(steps, v.refresh(start.Add(time.Second)), v.close())
	if err := errors.Join(steps...); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(out.String(), terminal.EraseLine, "<erase>")
}

func TestLiveView(t *testing.T) {
	for _, test := range []struct {
		name    string
		options viewOptions
		width   int
		want    string
	}{
		{"wide", viewOptions{Total: 4}, 120, `<erase>░░░░░░░░░░░░░░░░ · 0 % · 0 of 4 · 0 unique · 0 duplicate · 0 rejected · 0/s` +
			`<erase>12:30:59 unique                Harbour Gazette      Ferry aground
████░░░░░░░░░░░░ · 25 % · 1 of 4 · 1 unique · 0 duplicate · 0 rejected · 2/s` +
			`<erase>12:30:59 duplicate ████▌  0.87 Town Crier           Ferry runs aground off the northern p… copy 2 of a-1, Ferry aground
12:30:59 rejected                                   a-3 \x1b[2J                            missing_field: no field text
████████████░░░░ · 75 % · 3 of 4 · 1 unique · 1 duplicate · 1 rejected · 3/s<erase>`},
		{"eighty", viewOptions{}, 80, `<erase>documents: 0 · 0 unique · 0 duplicate · 0 rejected · 0/s` +
			`<erase>12:30:59 unique                Ferry aground
documents: 1 · 1 unique · 0 duplicate · 0 rejected · 2/s` +
			`<erase>12:30:59 duplicate ████▌  0.87 Ferry runs aground off the northe… copy 2 of a-1
12:30:59 rejected              a-3 \x1b[2J         missing_field: no field text
documents: 3 · 1 unique · 1 duplicate · 1 rejected · 3/s<erase>`},
		{"narrow", viewOptions{}, 24, `<erase>documents: 0 · 0 uniqu…` +
			`<erase>unique         Ferry a…
documents: 1 · 1 uniqu…` +
			`<erase>duplicate 0.87 F… copy…
rejected       a… miss…
documents: 3 · 1 uniqu…<erase>`},
		{"page", viewOptions{Page: func() string { return "http://127.0.0.1:9464/" }}, 64, `<erase>http://127.0.0.1:9464/ · documents: 0 · 0 unique · 0 duplicate…` +
			`<erase>unique         Ferry aground
http://127.0.0.1:9464/ · documents: 1 · 1 unique · 0 duplicate…` +
			`<erase>duplicate 0.87 Ferry runs aground off the northe… copy 2 of a-1
rejected       a-3 \x1b[2J         missing_field: no field text
http://127.0.0.1:9464/ · documents: 3 · 1 unique · 1 duplicate…<erase>`},
		{"colours", viewOptions{Color: true}, 80, "<erase>\x1b[1mdocuments: 0 · 0 unique · 0 duplicate · 0 rejected · 0/s\x1b[0m" +
			"<erase>\x1b[2m12:30:59\x1b[0m \x1b[32munique   \x1b[0m             Ferry aground\n" +
			"\x1b[1mdocuments: 1 · 1 unique · 0 duplicate · 0 rejected · 2/s\x1b[0m" +
			"<erase>\x1b[2m12:30:59\x1b[0m \x1b[33mduplicate\x1b[0m \x1b[33m████▌ \x1b[0m 0.87 Ferry runs aground off the northe… \x1b[2mcopy 2 of a-1\x1b[0m\n" +
			"\x1b[2m12:30:59\x1b[0m \x1b[31mrejected \x1b[0m             a-3 \\x1b[2J         \x1b[2mmissing_field: no field text\x1b[0m\n" +
			"\x1b[1mdocuments: 3 · 1 unique · 1 duplicate · 1 rejected · 3/s\x1b[0m<erase>"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := live(t, test.options, test.width)
			if got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			for line := range strings.Lines(strings.ReplaceAll(got, "<erase>", "\n")) {
				if n := terminal.Columns(strings.TrimSuffix(line, "\n")); !test.options.Color && n >= test.width {
					t.Errorf("%d columns of %d: %s", n, test.width, line)
				}
			}
		})
	}
}

// TestNoWidthBreaksALine: whatever the width, no line is as wide as the terminal.
func TestNoWidthBreaksALine(t *testing.T) {
	for width := range 140 {
		for _, total := range []int{0, 4} {
			for line := range strings.Lines(strings.ReplaceAll(live(t, viewOptions{Total: total}, width), "<erase>", "\n")) {
				if n := terminal.Columns(strings.TrimSuffix(line, "\n")); n > 0 && n >= width {
					t.Errorf("%d columns of %d: %q", n, width, line)
				}
			}
		}
	}
}

func TestSpeedIsThatOfTheLastSeconds(t *testing.T) {
	v := newLiveView(io.Discard, viewOptions{Width: func() int { return 80 }})
	now := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	for second := range 10 {
		for range 100 * (second + 1) {
			v.show(event{Verdict: sink.Unique})
		}
		now = now.Add(time.Second)
		if err := v.refresh(now); err != nil {
			t.Fatal(err)
		}
	}
	if got := v.speed(); got != 900 { // 800, 900 and 1,000
		t.Errorf("%d/s, want 900/s", got)
	}
	if len(v.samples) > 5 {
		t.Errorf("%d samples kept", len(v.samples))
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestViewSaysThatNobodyReads(t *testing.T) {
	for _, o := range []viewOptions{{}, {Terminal: true, Width: func() int { return 80 }}} {
		v := newView(brokenPipe{}, o)
		v.show(demoEvents()[0])
		if err := v.refresh(time.Time{}); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("refresh: %v", err)
		}
		if err := v.close(); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("close: %v", err)
		}
	}
}

func TestSummary(t *testing.T) {
	precision := 0.99875
	s := Summary{
		Documents: 3000, Unique: 2290, Duplicate: 709, Rejected: 1, Precision: &precision,
		Seconds: 6.25, DocumentsPerSecond: 480, PeakRSSBytes: 1500 << 20, Threshold: 0.8,
		Degrees: []degree{{From: 0.7, To: 0.8, Documents: 62}, {From: 0.8, To: 0.9, Documents: 1000, Duplicate: 975}, {From: 1, To: 1}},
	}
	var text, line bytes.Buffer
	if err := errors.Join(s.WriteText(&text), terminal.WriteJSON(&line, s)); err != nil {
		t.Fatal(err)
	}
	want := `
3,000 documents in 6.2 s: 480 a second, 1,500 MiB of memory at the peak

  unique         2,290   76.3 %
  duplicate        709   23.6 %
  rejected           1    0.0 %

  precision     0.9988  of those judged duplicate, truly so similar to their match
  recall             -  of those so similar to a kept document, judged duplicate

  similarity to the      documents   judged duplicate
  nearest kept document              (threshold 0.8)
  0.7 to 0.8                    62         0    0.0 %
  0.8 to 0.9                 1,000       975   97.5 %  ███████████████████▌
  1                              0         0        -
`
	if text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", text.String(), want)
	}
	want = `{"documents":3000,"unique":2290,"duplicate":709,"rejected":1,"precision":0.99875,"recall":null,` +
		`"seconds":6.25,"documents_per_second":480,"peak_rss_bytes":1572864000}` + "\n"
	if line.String() != want || !json.Valid(line.Bytes()) {
		t.Errorf("got  %s\nwant %s", line.String(), want)
	}
}

// The demo draws its counts on standard output, while messages go to standard error: both are one terminal, so a
// message takes the place of the counts.
func TestMessagesAndTheDemoShareNoLine(t *testing.T) {
	var out bytes.Buffer
	s := terminal.NewScreen(&out, func() int { return 80 })
	v := newView(&out, viewOptions{Terminal: true, Width: func() int { return 80 }, Screen: s})
	for i := range 2 {
		v.show(event{ID: fmt.Sprint("article-", i), Verdict: sink.Unique})
		if err := v.refresh(event{}.At); err != nil {
			t.Fatal(err)
		}
		out.Reset()
		fmt.Fprintf(s, "message %d\n", i)
		if want := fmt.Sprintf("%smessage %d\n", terminal.EraseLine, i); out.String() != want {
			t.Errorf("written %q, want %q", out.String(), want)
		}
	}
	if err := v.close(); err != nil {
		t.Fatal(err)
	}
}

// The summary is cut as the lines above it are.
func TestSummaryIsCut(t *testing.T) {
	if got, want := cutAt(10, "\n0123456789\n0123456789a\n  ▇▇▇▇▇▇▇▇▇\n"), "\n0123456789\n012345678…\n  ▇▇▇▇▇▇▇…\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
