package corpus_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/unecho/unecho/cmd/internal/corpus"
)

// read reads files whole and returns a line for each record: file, number, id, text or reason.
func read(tb testing.TB, p corpus.Params, paths ...string) (records []string, raw []byte, err error) {
	tb.Helper()
	sources, _, err := corpus.Files(paths)
	if err != nil {
		return nil, nil, err
	}
	return readSources(tb, p, sources)
}

func readSources(tb testing.TB, p corpus.Params, sources corpus.Sources) (records []string, raw []byte, err error) {
	tb.Helper()
	r, err := corpus.NewReader(p, sources)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err := r.Close(); err != nil {
			tb.Error(err)
		}
	}()
	var (
		chunk  corpus.Chunk
		parser corpus.Parser
	)
	for {
		err := r.Next(tb.Context(), &chunk)
		if errors.Is(err, io.EOF) {
			return records, raw, r.Check()
		}
		if err != nil {
			return records, raw, err
		}
		err = parser.Each(&chunk, func(rec *corpus.Record) bool {
			text := string(rec.Text)
			if rec.Bad != nil {
				text = "rejected: " + string(rec.Bad.Reason)
			}
			records = append(records, fmt.Sprintf("%s %d [%s] %s", filepath.Base(rec.File), rec.Number, rec.ID, text))
			raw = append(raw, rec.Raw...)
			return true
		})
		if err != nil {
			return records, raw, err
		}
	}
}

func file(tb testing.TB, name, content string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

func TestFormats(t *testing.T) {
	p := corpus.DefaultParams()
	table := p
	table.Fields = []string{"title", "body"}
	for _, test := range []struct {
		name, content string
		params        corpus.Params
		want          []string
	}{
		{"a.jsonl", "{\"id\":\"x\",\"text\":\"one\"}\n\n{\"text\":\"two\"}\r\n{\"no\":1}\n{", p, []string{
			"a.jsonl 1 [x] one", "a.jsonl 3 [] two", "a.jsonl 4 [] rejected: missing_field",
			"a.jsonl 5 [] rejected: invalid_json",
		}},
		{"a.txt", "\ufeffone\r\n\r\n two \nthree", p, []string{"a.txt 1 [] one", "a.txt 3 []  two ", "a.txt 4 [] three"}},
		{"a.csv", "id,title,body\r\n7,\"a \"\"b\"\"\nc\",d\r\n\r\n8,,e\r\n", table, []string{"a.csv 1 [7] a \"b\"\nc\nd", "a.csv 2 [8] e"}},
		{"blank.csv", "title,body\n\n1,\"a\n\nb\"\r\n\r\n\n2,c\n\n", table, []string{"blank.csv 1 [] 1\na\n\nb", "blank.csv 2 [] 2\nc"}},
		{"a.tsv", "title\tid \tbody\nx\t\"7\ty\n\t\t\n\nz\t8\t\n", table, []string{"a.tsv 1 [\"7] x\ny", "a.tsv 2 [] ", "a.tsv 4 [8] z"}},
		{"empty.jsonl", "", p, nil},
		{"empty.tsv", "title\tbody\n", table, nil},
		{"header.csv", "title,body", table, nil},
		{"a.json", " [ {\"id\":\"x\",\n\"text\":\"o]\\\"ne\"},\n{\"text\":[\"a\",\"b\"]}, 7,null ] \n", p, []string{
			"a.json 1 [x] o]\"ne", "a.json 2 [] a\nb", "a.json 3 [] rejected: wrong_type", "a.json 4 [] rejected: wrong_type",
		}},
		{"two.json", "{\n \"text\": \"one\"\n}\n{\"text\":\"two\"}", p, []string{"two.json 1 [] one", "two.json 2 [] two"}},
		{"lines.json", "{\"text\":\"one\"}\n{\"text\"\n{\"text\":\"two\"}", p, []string{
			"lines.json 1 [] one", "lines.json 2 [] rejected: invalid_json", "lines.json 3 [] two",
		}},
		{"array.jsonl", "[{\"text\":\"one\"}]", p, []string{"array.jsonl 1 [] one"}},
		{"none.json", "[]", p, nil},
		{"a.jl", "{\"text\":\"one\"}\n", p, []string{"a.jl 1 [] one"}},
		{"log.txt", "[INFO] one\nPAR1 and BZh\n", p, []string{"log.txt 1 [] [INFO] one", "log.txt 2 [] PAR1 and BZh"}},
		{"bad.txt", "a\xffb\n", p, []string{"bad.txt 1 [] a\xffb"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, _, err := read(t, test.params, file(t, test.name, test.content))
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("%q, %v\nwant %q", got, err, test.want)
			}
		})
	}
}

func TestMistakes(t *testing.T) {
	p := corpus.DefaultParams()
	unknown, id := p, p
	unknown.Format = "xml"
	id.ID, id.MustID = "sku", true
	for _, test := range []struct {
		name, content, want string
		params              corpus.Params
	}{
		{"a.csv", "title,body\n", `a.csv: no column is called "text"; there are "title", "body"`, p},
		{"a.csv", "text,body\n", `a.csv: no column is called "sku"; there are "text", "body": name the column with the id by --id`, id},
		{"a.jsonl", "{\"text\":\"one\",\"id\":1}", "--id sku: no document has such a field", id},
		{"a.txt", "a", `format "xml" is not one of auto, jsonl`, unknown},
	} {
		if _, _, err := read(t, test.params, file(t, test.name, test.content)); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %q: %v, want %q", test.name, test.content, err, test.want)
		}
	}
	if _, _, err := corpus.Files([]string{"no such file"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such file: %v", err)
	}
	if _, _, err := corpus.Files([]string{t.TempDir()}); err == nil || !strings.Contains(err.Error(), "holds no .txt or .parquet file") {
		t.Errorf("empty directory: %v", err)
	}
}

func TestDirectoriesAndLists(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"b.txt": "two\nlines\n", "a.txt": "one\n", "c.md": "not a text",
		"sub/d.txt": "\ufefffour",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lines := file(t, "more.jsonl", "{\"text\":\"five\"}\n")
	got, _, err := read(t, corpus.DefaultParams(), dir, lines)
	want := []string{"a.txt 0 [] one\n", "b.txt 0 [] two\nlines\n", "d.txt 0 [] four", "more.jsonl 1 [] five"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	list := strings.Join([]string{filepath.Join(dir, "c.md"), lines, "", filepath.Join(dir, "a.txt") + "\r"}, "\n")
	got, _, err = readSources(t, corpus.DefaultParams(), corpus.Listed(strings.NewReader(list), '\n'))
	want = []string{"c.md 0 [] not a text", "more.jsonl 1 [] five", "a.txt 0 [] one\n"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

func TestPacked(t *testing.T) {
	content := strings.Repeat("{\"text\":\"one\"}\n", 50_000)
	var zipped, zstdd bytes.Buffer
	gz := gzip.NewWriter(&zipped)
	zs, err := zstd.NewWriter(&zstdd)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []io.WriteCloser{gz, zs} {
		if _, err := io.WriteString(w, content); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	xz, err := os.ReadFile("testdata/fifty.jsonl.xz")
	if err != nil {
		t.Fatal(err)
	}
	for name, packed := range map[string]string{
		"a.jsonl.gz": zipped.String(), "a.jsonl.zst": zstdd.String(), "a.jsonl.xz": string(xz),
	} {
		path := file(t, name, packed)
		got, raw, err := read(t, corpus.DefaultParams(), path)
		if err != nil || len(got) != 50_000 || string(raw) != content || got[49_999] != name+" 50000 [] one" {
			t.Errorf("%s: %d records, %v", name, len(got), err)
		}
		p := corpus.DefaultParams()
		p.Format, p.Document.MaxBytes = corpus.Text, 1<<20
		if got, _, err := read(t, p, path); err != nil || len(got) != 1 || !strings.HasSuffix(got[0], content) {
			t.Errorf("%s as one text: %d records, %v", name, len(got), err)
		}
		if got, _, err := read(t, corpus.DefaultParams(), file(t, name, packed[:len(packed)-9])); err != nil ||
			got[len(got)-1] != name+" 0 [] rejected: unreadable" {
			t.Errorf("%s: torn and not noticed: %v", name, err)
		}
	}
}

// TestTablesInChunks reads a table of many chunks, with line breaks and commas in quoted fields, and compares it with
// encoding/csv on the whole table.
func TestTablesInChunks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var content bytes.Buffer
	w := csv.NewWriter(&content)
	pieces := []string{"word", ",", "\n", "\"", "\r\n", " ", "Émigré", ""}
	rows := [][]string{{"id", "text"}}
	for i := range 40_000 {
		var b strings.Builder
		for range random.IntN(12) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		rows = append(rows, []string{fmt.Sprint(i), b.String()})
	}
	if err := w.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	want, err := csv.NewReader(bytes.NewReader(content.Bytes())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	got, raw, err := read(t, corpus.DefaultParams(), file(t, "a.csv", content.String()))
	if err != nil || len(got) != len(rows)-1 {
		t.Fatalf("%d records, %v; want %d", len(got), err, len(rows)-1)
	}
	for i, row := range want[1:] {
		if line := fmt.Sprintf("a.csv %d [%s] %s", i+1, row[0], row[1]); strings.TrimSpace(row[1]) != "" && got[i] != line {
			t.Fatalf("%q, want %q", got[i], line)
		}
	}
	if !bytes.HasSuffix(content.Bytes(), raw) || len(raw)+len("id,text\n") != content.Len() {
		t.Error("the raw records are not the file")
	}
}

func TestLongRecords(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	got, _, err := read(t, corpus.DefaultParams(), file(t, "a.txt", "short\n"+long+"\nshort\n"))
	if err != nil || len(got) != 3 || got[1] != "a.txt 2 [] rejected: too_large" || got[2] != "a.txt 3 [] short" {
		t.Errorf("%d records, %v", len(got), err)
	}
	path := file(t, "endless.txt", "")
	if err := os.Truncate(path, 2*corpus.MaxRecord+1<<20); err != nil { // sparse
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("end\nnext\n"); err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	p := corpus.DefaultParams()
	p.Format = corpus.Lines
	got, _, err = read(t, p, path)
	want := []string{"endless.txt 1 [] rejected: too_large", "endless.txt 2 [] next"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("a line without end: %q, %v", got, err)
	}
	p.Strict = true
	if _, _, err = read(t, p, path); err == nil || !strings.Contains(err.Error(), "line 1: too_large: the record is longer than 64 MiB") {
		t.Errorf("a line without end, strict: %v", err)
	}
}

// TestBlankLines: empty lines between the records of a table belong to none of them.
func TestBlankLines(t *testing.T) {
	_, raw, err := read(t, corpus.DefaultParams(), file(t, "a.csv", "text,x\r\n\r\n\n1,\"a\n\nb\"\r\n\r\n\n\r2,c\n\n"))
	if want := "1,\"a\n\nb\"\r\n\r2,c\n"; err != nil || string(raw) != want {
		t.Errorf("%q, %v; want %q", raw, err, want)
	}
}

// TestLargeFiles: of a file that is one document nothing is read beyond the limit, and chunks of large files are small.
func TestLargeFiles(t *testing.T) {
	dir, list := t.TempDir(), ""
	for i, size := range []int64{30 << 20, 1<<20 + 1, 1 << 20, 1, 100 << 10, 200 << 10, 1} {
		path := filepath.Join(dir, fmt.Sprintf("%d.txt", i))
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, size); err != nil { // sparse
			t.Fatal(err)
		}
		list += path + "\n"
	}
	named, _, err := corpus.Files([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	text := corpus.DefaultParams()
	text.Format = corpus.Text // files of zeros
	for name, sources := range map[string]corpus.Sources{
		"directory": named,
		"list":      corpus.Listed(strings.NewReader(list), '\n'),
	} {
		r, err := corpus.NewReader(text, sources)
		if err != nil {
			t.Fatal(err)
		}
		var (
			chunk  corpus.Chunk
			parser corpus.Parser
			files  []int
			kept   []int
		)
		for r.Next(t.Context(), &chunk) == nil {
			files = append(files, len(chunk.Files))
			err := parser.Each(&chunk, func(rec *corpus.Record) bool {
				if kept = append(kept, len(rec.Raw)); rec.Bad != nil &&
					rec.Bad.Detail != "the file has more than 1048576 bytes, the limit (advanced.max_document_bytes)" {
					t.Errorf("%s is rejected, as %s; want nothing rejected but for its size", rec.File, rec.Bad.Detail)
				}
				return true
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(files, []int{1, 1, 1, 3, 1}) ||
			!slices.Equal(kept, []int{0, 0, 1 << 20, 1, 100 << 10, 200 << 10, 1}) {
			t.Errorf("%s: chunks of %v files, with %v bytes", name, files, kept)
		}
		if bytes, _ := r.Read(); bytes > 4<<20 {
			t.Errorf("%s: %d bytes are read", name, bytes)
		}
	}
}

func TestName(t *testing.T) {
	for _, test := range []struct {
		record corpus.Record
		file   bool
		want   string
	}{
		{corpus.Record{File: "f", Number: 3, ID: []byte("id")}, true, "id"},
		{corpus.Record{File: "f", Number: 3}, false, "3"},
		{corpus.Record{File: "f", Number: 3}, true, "f:3"},
		{corpus.Record{File: "f"}, false, "f"},
	} {
		if got := string(test.record.Name(nil, test.file)); got != test.want {
			t.Errorf("%+v: %q, want %q", test.record, got, test.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("{\"text\":\"a\"}\n{", uint8(1))
	f.Add("text,b\n\"a\n\",c\n", uint8(2))
	f.Add("text\tb\nx\ty\n", uint8(3))
	f.Add("a\nb\r\n\n", uint8(4))
	f.Add("[{\"text\":\"a\"},\n{]", uint8(2))
	f.Add("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", uint8(5))
	f.Fuzz(func(t *testing.T, content string, format uint8) {
		p := corpus.DefaultParams()
		p.Format = corpus.Formats()[int(format)%len(corpus.Formats())]
		_, raw, err := read(t, p, file(t, "a.txt", content))
		lineless := strings.NewReplacer("\r", "", "\n", "").Replace // blank lines are in no record
		if packed := strings.HasPrefix(content, "\x1f\x8b") || strings.HasPrefix(content, "\x28\xb5\x2f\xfd"); err == nil &&
			!packed && !strings.Contains(lineless(content), lineless(string(raw))) && p.Format != corpus.JSONL && p.Format != corpus.JSON &&
			p.Format != corpus.Lines && p.Format != corpus.Auto {
			t.Errorf("%q is read of %q", raw, content)
		}
	})
}
