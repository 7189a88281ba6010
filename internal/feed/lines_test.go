package feed

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/unecho/unecho/consumer/document"
)

func params() document.Params {
	p := document.DefaultParams()
	p.Format, p.ID = "json", "field:id"
	return p
}

func read(t *testing.T, in io.Reader) ([]Document, error) {
	t.Helper()
	l, err := NewLines("x.jsonl", in, params())
	if err != nil {
		t.Fatal(err)
	}
	var out []Document
	for d, ok := l.Next(); ok; d, ok = l.Next() {
		if d.Number != len(out) {
			t.Errorf("document %d has number %d", len(out), d.Number)
		}
		out = append(out, d)
	}
	return out, l.Err()
}

func TestLines(t *testing.T) {
	type want struct{ value, text, id, title string }
	tests := []struct {
		name, in string
		want     []want
	}{
		{"empty file", "", nil},
		{"only line ends", "\r\n\n  \r\n", nil},
		{"objects", "{\"text\":\"Rain\",\"id\":1,\"title\":\"T\"}\n{\"text\":[\"a\",\"b\"]}\n", []want{
			{`{"text":"Rain","id":1,"title":"T"}`, "Rain", "1", "T"}, {`{"text":["a","b"]}`, "a\nb", "", ""},
		}},
		{"Windows, byte order mark, no last line end", "\ufeff{\"text\":\"Rain\"}\r\n\r\n{\"text\":\"Sun\"}", []want{
			{`{"text":"Rain"}`, "Rain", "", ""}, {`{"text":"Sun"}`, "Sun", "", ""},
		}},
		{"strings", "\"Rain \\u00e9\"\n\n\"Sun\"", []want{
			{`{"id":"line-1","text":"Rain é"}`, "Rain é", "line-1", ""}, {`{"id":"line-3","text":"Sun"}`, "Sun", "line-3", ""},
		}},
		{"what the filter will reject goes as it is", "{\"text\":\n\"open\nRain\n{\"text\":1,\"title\":\"T\"}\n[]\n\xff\n", []want{
			{`{"text":`, "", "", ""}, {`"open`, "", "", ""}, {"Rain", "", "", ""}, {`{"text":1,"title":"T"}`, "", "", "T"}, {"[]", "", "", ""}, {"\xff", "", "", ""},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := read(t, iotest.OneByteReader(strings.NewReader(test.in)))
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != len(test.want) {
				t.Fatalf("%d documents, want %d", len(got), len(test.want))
			}
			for i, w := range test.want {
				if g := (want{string(got[i].Value()), got[i].Text, got[i].ID, got[i].Title}); g != w ||
					got[i].Truth.Kind != Unknown {
					t.Errorf("document %d: %+v, want %+v", i, g, w)
				}
			}
		})
	}
}

func TestLongLines(t *testing.T) {
	five := `{"text":"` + strings.Repeat("Rain, then sun. ", 5<<20/16) + `"}`
	got, err := read(t, strings.NewReader(five+"\r\n"+`{"text":"Rain"}`))
	if err != nil || len(got) != 2 || string(got[0].Value()) != five || got[0].Text != "" || got[1].Text != "Rain" {
		t.Errorf("%d documents, %v: want the long one as it is, and the next", len(got), err)
	}
	endless := io.MultiReader(strings.NewReader("\"a\"\n"), io.LimitReader(zeros{}, MaxLine+1))
	got, err = read(t, endless)
	if len(got) != 1 || !errors.Is(err, ErrLongLine) || !strings.HasPrefix(err.Error(), "read x.jsonl line 2: ") {
		t.Errorf("%d documents, %v", len(got), err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestLinesStopAtAnError(t *testing.T) {
	broken := io.MultiReader(strings.NewReader("\"a\"\n\"b"), iotest.ErrReader(io.ErrUnexpectedEOF))
	got, err := read(t, broken)
	if len(got) != 1 || !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(err.Error(), "read x.jsonl line 2: ") {
		t.Errorf("%d documents, %v", len(got), err)
	}
}

func TestOpenJSONL(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.jsonl")
	if err := os.WriteFile(path, []byte("\"Rain\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := OpenJSONL(path, params())
	if err != nil {
		t.Fatal(err)
	}
	if d, ok := l.Next(); !ok || d.Text != "Rain" {
		t.Errorf("Next gives %+v, %t; want the text Rain, true", d, ok)
	}
	if _, ok := l.Next(); ok || l.Err() != nil {
		t.Errorf("after the last: %v, %v", ok, l.Err())
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := OpenJSONL(path+".none", params()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := OpenJSONL(path, document.Params{}); !errors.Is(err, document.ErrParams) {
		t.Errorf("wrong settings: %v", err)
	}
	if l, err := OpenJSONL("-", params()); err != nil || l.Close() != nil {
		t.Errorf("standard input: %v", err)
	}
}
