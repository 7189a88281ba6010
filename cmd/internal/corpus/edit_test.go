package corpus_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/corpus"
)

// TestSpans: what a record's texts mean is found in its bytes, and what is left without a range keeps its bytes.
func TestSpans(t *testing.T) {
	for name, test := range map[string]struct{ file, texts, left string }{
		"a.jsonl": {
			`{"n":1.0, "text":"caf\u00e9 \/ cut \ud83d\ude00\ud800\n caf` + "\xc3\xa9" + `" ,"id":"x"}` + "\n",
			"café / cut \U0001f600\ufffd\n café", `{"n":1.0, "text":"caf\u00e9 \/  \ud83d\ude00\ud800\n caf` + "\xc3\xa9" + `" ,"id":"x"}` + "\n",
		},
		"b.csv": {
			"id,text,n\n" + `"1", a cut,"x"` + "\n",
			" a cut", `"1", a ,"x"` + "\n",
		},
		"c.csv": {
			"id,n,text\r\n" + `1,"a` + "\r\n" + `b","say ""cut""` + "\r\n" + `more"` + "\r\n",
			"say \"cut\"\nmore", `1,"a` + "\r\n" + `b","say """"` + "\r\n" + `more"` + "\r\n",
		},
		"d.tsv":  {"text\tid\na cut\t7\n", "a cut", "a \t7\n"},
		"e.txt":  {"one cut \xff two\r\n", "one cut \ufffd two", "one  \xff two\r\n"},
		"f.json": {`[{"text": ["a cut", "b"], "id": 1}]`, "a cut|b", `{"text": ["a ", "b"], "id": 1}`},
		"lenient.csv": {
			"text,id\ncut\"two\" three,1\n", "cut\"two\" three", "\"\"\"two\"\" three\",1\n",
		},
		"lenient quotes.csv": {
			"text,id\n\"one\"cut\",1\n", "one\"cut", "\"one\"\"\",1\n",
		},
		"g.csv": {"text,id\n\"\",1\n", "", "\"\",1\n"},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(test.file), 0o600); err != nil {
			t.Fatal(err)
		}
		each(t, path, func(chunk *corpus.Chunk, r *corpus.Record) {
			var texts []string
			left, from := "", 0
			for _, s := range chunk.Spans(nil, r) {
				text := string(s.Decode(nil, r.Raw))
				texts = append(texts, text)
				var cut []corpus.Range
				if at := strings.Index(text, "cut"); at >= 0 {
					cut = append(cut, corpus.Range{Start: at, End: at + 3})
				}
				left += string(r.Raw[from:s.Start]) + string(s.AppendWithout(nil, r.Raw, cut))
				from = s.End
			}
			left += string(r.Raw[from:])
			if got := strings.Join(texts, "|"); got != test.texts || left != test.left {
				t.Errorf("%s: the texts are %q, and what is left is %q; want %q and %q", name, got, left, test.texts, test.left)
			}
		})
	}
}

// TestSpansOfHostileBytes: a string of bytes that are no UTF-8, and of escapes, is cut in one pass.
func TestSpansOfHostileBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(path, []byte(`{"text":"`+strings.Repeat("\xff\\\\", 1<<18)+"\"}"), 0o600); err != nil {
		t.Fatal(err)
	}
	each(t, path, func(c *corpus.Chunk, r *corpus.Record) {
		spans := c.Spans(nil, r)
		text := spans[0].Decode(nil, r.Raw)
		var cut []corpus.Range
		for at := 0; at+4 <= len(text); at += 8 {
			cut = append(cut, corpus.Range{Start: at, End: at + 4})
		}
		if left := spans[0].AppendWithout(nil, r.Raw, cut); len(text) != 4<<18 || len(left) != 3<<17 {
			t.Errorf("%d bytes of %d are left", len(left), len(text))
		}
	})
}

func each(t *testing.T, path string, visit func(*corpus.Chunk, *corpus.Record)) {
	t.Helper()
	p := corpus.DefaultParams()
	p.Lenient = strings.HasPrefix(filepath.Base(path), "lenient")
	r, err := corpus.NewReader(p, corpus.Those([]corpus.Source{{Path: path}}))
	if err != nil {
		t.Fatal(err)
	}
	var chunk corpus.Chunk
	var parser corpus.Parser
	if err := r.Next(context.Background(), &chunk); err != nil {
		t.Fatal(err)
	}
	err = parser.Each(&chunk, func(r *corpus.Record) bool {
		if r.Bad != nil {
			t.Errorf("%s: a record is rejected: %v; want none rejected", path, r.Bad)
		}
		visit(&chunk, r)
		return true
	})
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
}
