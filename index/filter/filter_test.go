package filter_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/eval/synthetic"
	"github.com/unecho/unecho/index/filter"
	"github.com/unecho/unecho/index/naive"
)

// generated are articles, of which every third is a copy.
func generated(t testing.TB, n int) (texts []string) {
	t.Helper()
	p := synthetic.DefaultParams()
	p.Documents = n
	articles, err := synthetic.NewArticles(p)
	if err != nil {
		t.Fatal(err)
	}
	for d, ok := articles.Next(); ok; d, ok = articles.Next() {
		texts = append(texts, d.Text)
	}
	return texts
}

// shared are the first n lines of a file of the shared data; that it is absent is said, not hidden.
func shared(t testing.TB, n int, elements ...string) []string {
	t.Helper()
	name := filepath.Join(append([]string{os.Getenv("UNECHO_TEST_DATA")}, elements...)...)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Skipf("shared data absent: %s is not there; UNECHO_TEST_DATA names its directory", name)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return lines[:min(n, len(lines))]
}

// series are documents a minute apart, some without text or very short, and every fifth of a scope of its own.
func series(texts []string) []filter.Document {
	documents := make([]filter.Document, len(texts))
	for i, text := range texts {
		switch i % 50 {
		case 10:
			text = " \t"
		case 20:
			text = "Sold out"
		}
		d := filter.Document{ID: fmt.Sprint("d", i), Text: []byte(text), Time: time.UnixMilli(1_700_000_000_123).Add(time.Duration(i) * time.Minute)}
		if i%5 == 4 {
			d.Scope = "fifth"
		}
		documents[i] = d
	}
	return documents
}

// variant is a change of the defaults. One with a window must cost copies.
type variant struct {
	name   string
	change func(*index.DuplicatesParams)
	narrow bool
}

func variants() []variant {
	return []variant{
		{"defaults", func(*index.DuplicatesParams) {}, false},
		{"threshold 0.6", func(p *index.DuplicatesParams) { p.Threshold = 0.6 }, false},
		{"threshold 0.95", func(p *index.DuplicatesParams) { p.Threshold = 0.95 }, false},
		{"estimate", func(p *index.DuplicatesParams) { p.Verify = "estimate" }, false},
		{"simhash", func(p *index.DuplicatesParams) { p.Method, p.Distance = "simhash", 6 }, false},
		{"compare_copies", func(p *index.DuplicatesParams) { p.CompareCopies = true }, false},
		{"age", func(p *index.DuplicatesParams) { p.Remember.Age = 30 * time.Minute }, true},
		{"documents", func(p *index.DuplicatesParams) { p.Remember.Documents = 20 }, true},
		{"memory", func(p *index.DuplicatesParams) { p.Remember.Memory = 20 << 10 }, true},
		{"refresh and reemit_every", func(p *index.DuplicatesParams) {
			p.Remember.Age, p.Remember.Refresh, p.Remember.ReemitEvery = time.Hour, "last", 20*time.Minute
		}, false},
	}
}

// TestVerdictsAreThoseOfAService: the filter gives each document the verdict that the rules of a service give in their second
// implementation, whether it is stopped and opened again or not.
func TestVerdictsAreThoseOfAService(t *testing.T) {
	for name, texts := range map[string]func(*testing.T) []string{
		"generated": func(t *testing.T) []string { return generated(t, 600) },
		"articles":  func(t *testing.T) []string { return shared(t, 1000, "mccormick-articles", "articles_1000.train") },
		"adverts":   func(t *testing.T) []string { return shared(t, 600, "kijiji-rome-rent", "dataset_rent_rome_kijiji.tsv") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			documents := series(texts(t))
			unbounded := 0
			for _, variant := range variants() {
				p := filter.DefaultParams()
				variant.change(&p.Duplicates)
				copies := sameAsTwin(t, variant.name, p, documents)
				if variant.name == "defaults" {
					unbounded = copies
				}
				if copies == 0 && name == "generated" || variant.narrow && copies >= unbounded && unbounded > 20 {
					t.Errorf("%s: %d copies are found, and %d by the defaults: that decides nothing", variant.name, copies, unbounded)
				}
			}
		})
	}
}

// sameAsTwin compares verdicts, and returns how many are copies.
func sameAsTwin(t *testing.T, name string, p filter.Params, documents []filter.Document) (copies int) {
	t.Helper()
	f, err := filter.New(p)
	if err != nil {
		t.Fatal(err)
	}
	stopped, twin := f, newTwin(t, p)
	for i, d := range documents {
		want := twin.judge(d)
		if i%211 == 7 {
			stopped = reopened(t, p, stopped)
		}
		for how, f := range map[string]*filter.Filter{"": f, ", stopped and opened": stopped} {
			if how != "" && i < 7 {
				continue // it is the same one
			}
			v, err := f.Judge(d)
			if err != nil {
				t.Fatal(err)
			}
			if got := line(v); got != want {
				t.Fatalf("%s%s: document %d is %s; the twin says %s", name, how, i, got, want)
			}
			few, many := string(d.Text) == "Sold out", len(d.Text) > 1000
			if v.Empty != (string(d.Text) == " \t") || few && !v.Short || many && v.Short {
				t.Fatalf("%s%s: document %d, %.40q, is said to be empty: %t, short: %t", name, how, i, d.Text, v.Empty, v.Short)
			}
		}
		if strings.Contains(want, " of ") {
			copies++
		}
	}
	return copies
}

// line is all that a verdict says about what is compared with the twin.
func line(v filter.Verdict) string {
	s := fmt.Sprintf("%d cut=%t reemitted=%t", v.Number, v.Cut, v.Reemitted)
	if v.Copy {
		s += fmt.Sprintf(" %d of %s %d %d %.4f %s", v.Ordinal, v.Of.ID, v.Of.Number, v.Of.Time.UnixMilli(), v.Similarity, v.Method)
	}
	return s
}

func reopened(t *testing.T, p filter.Params, f *filter.Filter) *filter.Filter {
	t.Helper()
	data, err := f.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	again, err := filter.Open(p, data)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// twin is a journal of a service, judged by the second implementation of its rules. A session appends several documents in
// one record.
type twin struct {
	t      *testing.T
	twin   *naive.Twin
	signer *index.Signer
	run    index.Run
	at     index.Stamp
	next   int64
}

func newTwin(t *testing.T, p index.Params) *twin {
	t.Helper()
	p, err := p.Planned()
	if err != nil {
		t.Fatal(err)
	}
	signer, err := index.NewSigner(p)
	if err != nil {
		t.Fatal(err)
	}
	settings := []byte(`{"a service":"1"}`)
	w := &twin{t: t, signer: signer, twin: naive.New(p, settings, index.Fingerprint(settings))}
	w.run = index.Run{Header: index.Header{Fingerprint: index.Fingerprint(settings)}, Source: entry.Source{Topic: [16]byte{7}, Partition: 3}, Epoch: 1}
	w.twin.Apply(w.at, &index.Settings{Text: settings})
	w.at.Offset++
	w.twin.Apply(w.at, &index.Reposition{Header: w.run.Header, Source: w.run.Source, Name: "news", Partitions: 4, Epoch: 1})
	return w
}

func (w *twin) judge(d filter.Document) string {
	w.t.Helper()
	e := entry.Entry{Offset: w.next, Time: d.Time.UnixMilli(), ID: []byte(d.ID)}
	if d.Scope != "" {
		e.Scope = 99
	}
	if !w.signer.Sign(&e, d.Text) {
		w.t.Fatal("the text is too long")
	}
	w.at.Offset++
	w.at.LogAppendTime, w.run.Wall, w.run.Entries = e.Time, e.Time, []entry.Entry{e}
	w.run.Base = max(0, w.next-100) // a session commits later
	verdicts := w.twin.Apply(w.at, &w.run)
	if len(verdicts) != 1 {
		w.t.Fatalf("document %d got %d verdicts", w.next, len(verdicts))
	}
	w.next++
	v := &verdicts[0]
	s := fmt.Sprintf("%d cut=%t reemitted=%t", v.Offset, v.Cut, v.Reemitted)
	if m := &v.Match; v.Matched() {
		n := m.Similarity.TenThousandths()
		s += fmt.Sprintf(" %d of %s %d %d %d.%04d %s", m.Copy, m.ID, m.Offset, m.Time, n/10_000, n%10_000, m.Method)
	}
	return s
}

// TestDefaults: the defaults are those of a service.
func TestDefaults(t *testing.T) {
	if got, want := filter.DefaultParams(), index.DefaultParams(); got.Duplicates != want.Duplicates ||
		string(got.Settings()) != string(want.Settings()) {
		t.Errorf("the defaults are %s, those of a service %s", got.Settings(), want.Settings())
	}
}

// TestNewRefuses: all that is wrong is said at once, also what a filter has no use for.
func TestNewRefuses(t *testing.T) {
	p := filter.DefaultParams()
	p.Duplicates.Threshold, p.Duplicates.Shingle = 0.80001, "words"
	p.Duplicates.Remember.Directory, p.Duplicates.Remember.Keys = "/old", time.Hour
	p.Duplicates.Ignore = "common.txt"
	p.Duplicates.Remember.Clock = "event"
	p.Duplicates.Remember.Age, p.Duplicates.Remember.Memory = 0, 0
	_, err := filter.New(p)
	if !errors.Is(err, filter.ErrSettings) {
		t.Fatalf("the error is %v, want ErrSettings", err)
	}
	for _, want := range []string{
		"duplicates.threshold: 0.80001: has more than four decimals; round it",
		"duplicates.shingle: words: is no shingle; write word:N",
		"duplicates.remember.age: the window has no bound",
		"duplicates.remember.directory: /old: has no effect: a filter is in memory; leave it out",
		"duplicates.remember.clock: event: has no effect: a Document has one time; write arrival",
		"duplicates.ignore: common.txt: has no effect: a filter reads no files; read the list with index/ignore, and set Duplicates.Ignored",
		"duplicates.remember.keys: 1h0m0s: has no effect: a Document has no idempotency key; leave it out",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q:\n%v", want, err)
		}
	}
	if _, err := filter.New(filter.Params{}); !errors.Is(err, filter.ErrSettings) {
		t.Errorf("no settings give %v, want ErrSettings", err)
	}
}

// TestTextTooLarge: a text that cannot be compared is refused, and what comes after it is judged as if it had not been there.
func TestTextTooLarge(t *testing.T) {
	f, err := filter.New(filter.DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	text := []byte("the harbour bridge was closed on monday after inspectors found cracks")
	if _, err := f.Judge(filter.Document{ID: "first", Text: text}); err != nil {
		t.Fatal(err)
	}
	before, err := f.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for name, long := range map[string][]byte{
		"as it is":   bytes.Repeat([]byte(" "), entry.MaxText+1), // nothing when normalised
		"normalised": bytes.Repeat([]byte("\ufdfa"), entry.MaxText/33+1),
	} {
		if _, err := f.Judge(filter.Document{ID: "long", Text: long}); !errors.Is(err, filter.ErrTooLong) ||
			!strings.Contains(err.Error(), `"long"`) {
			t.Errorf("too long %s: the error is %v, want ErrTooLong and the id", name, err)
		}
	}
	if after, err := f.Snapshot(); err != nil || string(after) != string(before) {
		t.Errorf("the state is another one after it; error %v", err)
	}
	if v, err := f.Judge(filter.Document{ID: "second", Text: text}); err != nil || !v.Copy || v.Number != 1 || v.Of.ID != "first" {
		t.Errorf("the next one is %+v, error %v; want number 1, a copy of the first", v, err)
	}
}

// TestTimes: the window's time never goes back. The zero time moves nothing, and comes back as it is.
func TestTimes(t *testing.T) {
	p := filter.DefaultParams()
	p.Duplicates.Remember.Age = time.Hour
	f, err := filter.New(p)
	if err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	for i, c := range []struct {
		text string
		at   time.Time
		of   time.Time // its original has this time
		copy bool
	}{
		{"a text that comes first of all", time.Time{}, time.Time{}, false},
		{"a text that comes first of all", time.Time{}, time.Time{}, true},
		{"another one that is of nine", day, time.Time{}, false},
		{"a text that comes first of all", day, time.Time{}, false}, // it aged by decades
		{"another one that is of nine", day.Add(59 * time.Minute), day, true},
		{"another one that is of nine", day.AddDate(-9, 0, 0), day, true},
		{"and that which is of ten", day.Add(61 * time.Minute), time.Time{}, false},
		{"another one that is of nine", day, time.Time{}, false}, // late, and its original is too old
	} {
		v, err := f.Judge(filter.Document{Text: []byte(c.text), Time: c.at})
		if err != nil || v.Copy != c.copy || !v.Of.Time.Equal(c.of) || v.Copy && v.Of.Time.IsZero() != c.of.IsZero() {
			t.Errorf("document %d is %+v, error %v; want a copy: %t, of one of %v", i, v, err, c.copy, c.of)
		}
	}
}

// TestVerdictsAreNotHeld: what was judged is not kept but for what the window remembers.
func TestVerdictsAreNotHeld(t *testing.T) {
	p := filter.DefaultParams()
	p.Duplicates.Remember.Documents = 100
	f, err := filter.New(p)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range generated(t, 1000) {
		if _, err := f.Judge(filter.Document{Text: []byte(text)}); err != nil {
			t.Fatal(err)
		}
		if s := f.Stats(); s.Held > 1 || s.Documents > 100 {
			t.Fatalf("after document %d %d verdicts are held, and %d documents remembered; want 1 and 100 at most", i, s.Held, s.Documents)
		}
	}
}
