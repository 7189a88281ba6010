package demo

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/eval/synthetic"
)

// sent are the documents of a file.
func sent(t *testing.T, content string) (all []string, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in.jsonl")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	docs, err := Open(path, synthetic.DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	err = docs.each(t.Context(), func(int) {}, func(line int, document []byte) error {
		all = append(all, string(object(line, document)))
		return nil
	})
	return all, errors.Join(err, docs.Close())
}

// TestLines: lines are sent as they are, and strings become objects.
func TestLines(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{"empty file", "", nil},
		{"only line ends", "\r\n\n  \r\n", nil},
		{"objects", "{\"text\":\"Rain\",\"id\":1}\n{\"text\":[\"a\",\"b\"]}\n", []string{`{"text":"Rain","id":1}`, `{"text":["a","b"]}`}},
		{"Windows, byte order mark, no last line end", "\ufeff{\"text\":\"Rain\"}\r\n\r\n{\"text\":\"Sun\"}", []string{
			`{"text":"Rain"}`, `{"text":"Sun"}`,
		}},
		{"strings", "\"Rain \\u00e9\"\n\n \"Sun\"", []string{`{"id":"line-1","text":"Rain é"}`, `{"id":"line-3","text":"Sun"}`}},
		{"what the filter will reject", "{\"text\":\n\"open\nRain\nnull\n[]\n\xff\n", []string{`{"text":`, `"open`, "Rain", "null", "[]", "\xff"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, err := sent(t, test.in); err != nil || !slices.Equal(got, test.want) {
				t.Errorf("%q, error %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestLongLines(t *testing.T) {
	long := `{"text":"` + strings.Repeat("Rain, then sun. ", 5<<20/16) + `"}`
	got, err := sent(t, long+"\n\"Rain\"")
	if err != nil || len(got) != 2 || got[0] != long {
		t.Errorf("%d documents, error %v; want the long one as it is, and the next", len(got), err)
	}
	got, err = sent(t, "\"a\"\n"+strings.Repeat("x", corpus.MaxRecord+1))
	if len(got) != 1 || !errors.Is(err, bufio.ErrTooLong) || !strings.HasPrefix(err.Error(), "read line 2: ") {
		t.Errorf("%d documents, error %v; want one, and that line 2 is too long", len(got), err)
	}
}

func TestOpen(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "none"), synthetic.Params{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: error %v", err)
	}
	if _, err := Open("", synthetic.Params{Documents: -1}); !errors.Is(err, synthetic.ErrParams) || exit.CodeOf(err) != exit.BadUsage {
		t.Errorf("wrong settings: error %v", err)
	}
	docs, err := Open("-", synthetic.DefaultParams())
	if err != nil || docs.expected != 0 || docs.Close() != nil {
		t.Errorf("standard input: %+v, error %v", docs, err)
	}
	docs, err = Open("", synthetic.Params{Documents: 3, Seed: 1})
	if err != nil || docs.expected != 3 {
		t.Fatalf("articles: %+v, error %v; want 3 documents expected", docs, err)
	}
	n := 0
	err = docs.each(t.Context(), func(int) {}, func(_ int, value []byte) error {
		if !strings.HasPrefix(string(value), `{"id":"article-00000`+string(rune('0'+n))) {
			t.Errorf("%.30s is sent", value)
		}
		n++
		return nil
	})
	if err != nil || n != 3 {
		t.Errorf("%d articles, error %v; want three", n, err)
	}
}

// TestJSONIsHarmless: what documents and their names hold reaches no terminal as a command, and no program in another
// form.
func TestJSONIsHarmless(t *testing.T) {
	const evil = "\u009b2Jtext\u0085\x7f\u202e"
	var b strings.Builder
	if err := WriteJSON(&b, &topic.Record{Topic: "news", Key: []byte(evil), Value: []byte(evil)}); err != nil {
		t.Fatal(err)
	}
	var lines []map[string]any
	for line := range strings.Lines(b.String()) {
		if strings.ContainsFunc(strings.TrimSuffix(line, "\n"), func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("the line %q has a character that is not printable; want none", line)
		}
		var got map[string]any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, got)
	}
	if len(lines) != 1 || lines[0]["value"] != evil || lines[0]["key"] != evil {
		t.Errorf("it is %v", lines)
	}
}
