package parts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/parts"
	"github.com/unecho/unecho/index/setting"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// removed runs over documents of JSONL, and returns what is left of each, and what was removed.
func removed(t *testing.T, p parts.Params, texts ...string) (left, gone []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	var file strings.Builder
	for _, text := range texts {
		line, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		file.Write(append(line, '\n'))
	}
	if err := os.WriteFile(path, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	r := parts.New(p)
	if r.Counts() {
		read(t, path, func(in *corpus.Reader) error { return r.Count(t.Context(), in, func() {}) })
	}
	read(t, path, func(in *corpus.Reader) error {
		return r.Remove(t.Context(), in, func(o *parts.Outcome) error {
			if o.Rejected != nil {
				t.Errorf("document %s: %v", o.Name, o.Rejected)
			}
			var d struct{ Text string }
			if err := json.Unmarshal(o.Raw, &d); err != nil {
				t.Errorf("what is left of document %s, %q, is no JSON object: %v", o.Name, o.Raw, err)
			}
			if o.Emptied {
				d.Text = "(emptied)"
			}
			left = append(left, d.Text)
			for _, p := range o.Removed {
				gone = append(gone, fmt.Sprintf("%s: %s (%s)", o.Name, p.Text, p.First))
			}
			return nil
		})
	})
	return left, gone
}

func read(t *testing.T, path string, run func(*corpus.Reader) error) {
	t.Helper()
	c := corpus.DefaultParams()
	c.Document.MaxBytes = 64 * setting.MiB
	in, err := corpus.NewReader(c, corpus.Those([]corpus.Source{{Path: path}}))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(run(in), in.Close()); err != nil {
		t.Fatal(err)
	}
}

func params(unit parts.Unit) parts.Params {
	p := parts.DefaultParams()
	p.Unit, p.Bytes, p.Workers = unit, 3, 2
	return p
}

// TestUnits: what the parts are, what stands between those that stay, and what is the same.
func TestUnits(t *testing.T) {
	for _, test := range []struct {
		unit        parts.Unit
		first, text string
		left        string
	}{
		{parts.Line, "old one\n", "new\nOLD, one!\nmore", "new\nmore"},
		{parts.Line, "old", "  old\r\n\tnew\r\n", "\tnew\r\n"},
		{parts.Line, "old", "new\n\nold\n\n\nmore\n", "new\n\n\nmore\n"},
		{parts.Line, "old", "new\nold", "new"},
		{parts.Line, "old\nolder", "old\nolder\n \n", "(emptied)"},
		{parts.Line, "old", "new old", "new old"},
		{parts.Line, "old", "new\u2028old\u0085more", "new\u2028more"},
		{parts.Paragraph, "some\nold text\n\nother", "new text\n\nSome old\ntext\n \n\nmore", "new text\n \n\nmore"},
		{parts.Paragraph, "old", "old\nnew\n\nold\n", "old\nnew\n"},
		{parts.Sentence, "It is old. Really?", "It is new. It is old.  It is old. It is newer.", "It is new. It is newer."},
		{parts.Sentence, "The U.S. is old.", "Is Dr. No new? The U.S. is old.\nMore.", "Is Dr. No new?\nMore."},
		{parts.Sentence, "これは古い。", "新しい。これは古い。もっと。", "新しい。もっと。"},
		{parts.Sentence, "It is old.", "Title\n\nIt is old.\nIt is new.", "Title\n\nIt is new."},
		{parts.Sentence, "--- *** ---", "--- *** ---\nIt is new.", "--- *** ---\nIt is new."},
		{parts.Sentence, "a b", "a b\na\nb", "a\nb"},
	} {
		left, _ := removed(t, params(test.unit), test.first, test.text)
		if left[0] != test.first || left[1] != test.left {
			t.Errorf("%s %q: left is %q, want %q", test.unit, test.text, left, test.left)
		}
	}
}

// TestWithinDocuments: a part goes from its own document as well, and it is said where it was first.
func TestWithinDocuments(t *testing.T) {
	left, gone := removed(t, params(parts.Line), "one\ntwo\nOne", "two\nthree", "two!")
	if want := []string{"one\ntwo", "three", "(emptied)"}; !slices.Equal(left, want) {
		t.Errorf("the documents that are left are %q; want %q", left, want)
	}
	if want := []string{":1: One (:1)", ":2: two (:1)", ":3: two! (:1)"}; !slices.Equal(gone, want) {
		t.Errorf("the removed parts are %q; want %q", gone, want)
	}
}

// TestRepeats: with two passes the first stays of what is there often enough, and all of what is not.
func TestRepeats(t *testing.T) {
	p := params(parts.Line)
	p.Repeats = 3
	left, _ := removed(t, p, "one\ntwo", "two\none\nthree", "three\none\nfour")
	if want := []string{"one\ntwo", "two\nthree", "three\nfour"}; !slices.Equal(left, want) {
		t.Errorf("with parts that repeat from 3 times on, the documents that are left are %q; want %q", left, want)
	}
}

// TestFilesChange: it is an error if there are more or fewer documents when the files are read again.
func TestFilesChange(t *testing.T) {
	dir := t.TempDir()
	for name, again := range map[string]string{"fewer": "", "one fewer": "a line\n", "more": "a line\na line\na line\n"} {
		p := params(parts.Line)
		p.Repeats = 3
		r := parts.New(p)
		path := filepath.Join(dir, name+".txt")
		if err := os.WriteFile(path, []byte("a line\na line\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		read(t, path, func(in *corpus.Reader) error { return r.Count(t.Context(), in, func() {}) })
		if err := os.WriteFile(path, []byte(again), 0o600); err != nil {
			t.Fatal(err)
		}
		judged := 0
		read(t, path, func(in *corpus.Reader) error {
			err := r.Remove(t.Context(), in, func(*parts.Outcome) error { judged++; return nil })
			if err == nil || !strings.Contains(err.Error(), "the files changed between their two readings") || judged > 2 {
				t.Errorf("%s: %d judged, %v", name, judged, err)
			}
			return nil
		})
	}
}

// TestAgainstSimple compares random documents with removing lines by a map.
func TestAgainstSimple(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	texts := make([]string, 3000)
	for i := range texts {
		lines := make([]string, 1+random.IntN(6))
		for j := range lines {
			lines[j] = fmt.Sprintf("line %d", int(1/(random.Float64()+1e-6)))
		}
		texts[i] = strings.Join(lines, "\n")
	}
	for _, repeats := range []int{2, 5} {
		times, seen := map[string]int{}, map[string]bool{}
		for _, text := range texts {
			for line := range strings.SplitSeq(text, "\n") {
				times[line]++
			}
		}
		var want []string
		for _, text := range texts {
			var stay []string
			for line := range strings.SplitSeq(text, "\n") {
				if times[line] < repeats || !seen[line] {
					stay = append(stay, line)
				}
				seen[line] = true
			}
			if stay == nil {
				stay = []string{"(emptied)"}
			}
			want = append(want, strings.Join(stay, "\n"))
		}
		p := params(parts.Line)
		p.Repeats = repeats
		left, gone := removed(t, p, texts...)
		if !slices.Equal(left, want) || len(gone) < 100 {
			t.Errorf("%d repeats: %d documents, %d parts removed", repeats, len(left), len(gone))
		}
	}
}

// TestHostile: what would take a sentence's rules hours takes seconds: a blank after each full stop is looked at once
// more for each that follows.
func TestHostile(t *testing.T) {
	const size = 4 << 20
	for name, text := range map[string]string{
		"blanks":     "Some words." + strings.Repeat(" ", size) + "More words.",
		"brackets":   "Some words." + strings.Repeat(")", size) + "More words.",
		"stops":      strings.Repeat(". ", size/2),
		"numbers":    strings.Repeat(".      "+strings.Repeat("1", 1000), size/1000),
		"letters":    strings.Repeat("a\n", size/2),
		"a sentence": strings.Repeat("words ", size/6),
		"accents":    "A. " + strings.Repeat(" \u0301", size/3) + "Two.",
		"marks":      "A. " + strings.Repeat("\u0301", size/2) + " Two.",
		"katakana":   "A. " + strings.Repeat(" \uff9e \uff9f", size/8) + "Two.",
		"wide":       "One." + strings.Repeat("\u3000", size/3) + "two.",
	} {
		left, _ := removed(t, params(parts.Sentence), text)
		repeats := slices.Contains([]string{"stops", "numbers", "accents", "katakana"}, name) // what it is cut into
		if left[0] != strings.TrimRight(text, " ") && !repeats && left[0] != text {
			t.Errorf("%s: %d bytes of %d are left", name, len(left[0]), len(text))
		}
	}
}

// TestMemory: the bound holds, and the error says what to do.
func TestMemory(t *testing.T) {
	p := params(parts.Line)
	p.Memory = 256 * setting.KiB
	lines := make([]string, 20_000)
	for i := range lines {
		lines[i] = fmt.Sprint("line ", i)
	}
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	r := parts.New(p)
	in, err := corpus.NewReader(corpus.DefaultParams(), corpus.Those([]corpus.Source{{Path: path}}))
	if err != nil {
		t.Fatal(err)
	}
	err = r.Remove(context.Background(), in, func(*parts.Outcome) error { return nil })
	if want := "the parts outgrew their memory of 256KiB: raise --memory, or --part-bytes"; err == nil || err.Error() != want {
		t.Errorf("Remove in 256 KiB says %v; want %s", err, want)
	}
	if got := r.Stats().Bytes; got > int64(p.Memory) {
		t.Errorf("%d bytes", got)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
}

// TestMemoryOfNames: the names of documents count as well, where no part is remembered.
func TestMemoryOfNames(t *testing.T) {
	p := params(parts.Line)
	p.Memory, p.Bytes = 64*setting.KiB, 1000
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte(strings.Repeat("a line\n", 20_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := parts.New(p)
	read(t, path, func(in *corpus.Reader) error {
		err := r.Remove(t.Context(), in, func(*parts.Outcome) error { return nil })
		want := "the parts outgrew their memory of 64KiB: raise --memory; the names of documents take it"
		if err == nil || err.Error() != want || r.Stats().Bytes > int64(p.Memory) {
			t.Errorf("%v; %d bytes", err, r.Stats().Bytes)
		}
		return nil
	})
}

// TestBytesOfAPart: a slot has 16 bytes, so a remembered part takes 18 to 23 of them.
func TestBytesOfAPart(t *testing.T) {
	lines := make([]string, 200_000)
	for i := range lines {
		lines[i] = fmt.Sprint("line ", i)
	}
	r := parts.New(params(parts.Line))
	path := filepath.Join(t.TempDir(), "a.json")
	if err := os.WriteFile(path, fmt.Appendf(nil, `{"text":%q}`, strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	read(t, path, func(in *corpus.Reader) error {
		return r.Remove(t.Context(), in, func(*parts.Outcome) error { return nil })
	})
	s := r.Stats()
	if each := float64(s.Bytes) / float64(s.Remembered); s.Remembered != int64(len(lines)) || each < 18 || each > 23.5 {
		t.Errorf("%d parts, %.1f bytes each", s.Remembered, each)
	}
}
