package corpus_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/corpus"
)

// TestIncluded: of a directory, patterns say which files are read; without them, those of columns, or else texts.
func TestIncluded(t *testing.T) {
	dir := t.TempDir()
	data, err := os.ReadFile(tables + "v1.parquet")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"a.txt": "one", "b.md": "two", "sub/c.md": "three", "sub/d.jsonl": "{\"text\":\"four\"}\n", "state.json": "{}",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		include []string
		want    []string
	}{
		{nil, []string{"a.txt 0 [] one"}},
		{[]string{"*.md"}, []string{"b.md 0 [] two", "c.md 0 [] three"}},
		{[]string{"sub/*.md", "*.jsonl"}, []string{"c.md 0 [] three", "d.jsonl 1 [] four"}},
		{[]string{"b.*", "[a]*"}, []string{"a.txt 0 [] one", "b.md 0 [] two"}},
	} {
		sources, _, err := corpus.Files([]string{dir}, test.include...)
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := readSources(t, corpus.DefaultParams(), sources); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, %v; want %q", test.include, got, err, test.want)
		}
	}
	for _, include := range []string{"*.pdf", "["} {
		if _, _, err := corpus.Files([]string{dir}, include); err == nil || !strings.Contains(err.Error(), "--include "+include) {
			t.Errorf("Files with --include %s says %v; want an error that names it", include, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "sub", "data-0.parquet"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _, err := read(t, corpus.DefaultParams(), dir); err != nil || len(got) != 7 || !strings.HasPrefix(got[0], "data-0.parquet 1 [a0] one") {
		t.Errorf("the directory reads as %q, error %v; want the 7 rows of data-0.parquet and no error", got, err)
	}
}

// TestZeros: names that end with zeros may have line breaks, and bytes that are no UTF-8.
func TestZeros(t *testing.T) {
	dir := t.TempDir()
	names := []string{"a\nb.txt", "caf\xe9.txt", "c\r"}
	list := ""
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
			t.Skipf("this file system has no such names: %v", err)
		}
		list += path + "\x00"
	}
	got, _, err := readSources(t, corpus.DefaultParams(), corpus.Listed(strings.NewReader(strings.TrimSuffix(list, "\x00")), 0))
	want := []string{names[0] + " 0 [] text", names[1] + " 0 [] text", names[2] + " 0 [] text"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("files listed between zeros read as %q, error %v; want %q and no error", got, err, want)
	}
}

// TestDialects: other delimiters, and quotation marks that stand anywhere.
func TestDialects(t *testing.T) {
	for _, test := range []struct {
		name, content string
		comma         byte
		lenient       bool
		want          []string
	}{
		{"a.csv", "text;x\na,b;1\n\"c;d\";2\n", ';', false, []string{"a.csv 1 [] a,b", "a.csv 2 [] c;d"}},
		{"a.tsv", "text\tx\n\"a\tb\"\t1\n", '\t', false, []string{"a.tsv 1 [] a\tb"}},
		{"a.dat", "text|x\na|1\n", '|', false, []string{"a.dat 1 [] a"}},
		{"a.jsonl", "{\"text\":\"a|b\"}\n", '|', false, []string{"a.jsonl 1 [] a|b"}},
		{"a.csv", "text,x\nan 8\" disk,1\n\"one \"two\" three\",2\n", 0, true, []string{"a.csv 1 [] an 8\" disk", "a.csv 2 [] one \"two\" three"}},
	} {
		p := corpus.DefaultParams()
		p.Comma, p.Lenient = test.comma, test.lenient
		if got, _, err := read(t, p, file(t, test.name, test.content)); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, %v; want %q", test.content, got, err, test.want)
		}
	}
	p := corpus.DefaultParams()
	p.Comma = '"'
	if _, _, err := read(t, p, file(t, "a.csv", "")); err == nil || !strings.Contains(err.Error(), "--delimiter") {
		t.Errorf("reading with a quote as the delimiter says %v; want an error that names --delimiter", err)
	}
}

// zstdFrame is a frame of zstd (RFC 8878) with a window of 1<<log bytes, and the content as it is.
func zstdFrame(log int, content string) string {
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, byte((log - 10) << 3)}
	block := binary.LittleEndian.AppendUint32(nil, uint32(len(content))<<3|1) // the last one, not compressed
	return string(append(frame, block[:3]...)) + content
}

// TestZstdWindows: a window is read up to the bound on memory, and above it the file is refused with what to do.
func TestZstdWindows(t *testing.T) {
	p := corpus.DefaultParams()
	for log, refused := range map[int]bool{17: false, 27: false, 28: true, 31: true} {
		for _, name := range []string{"a.txt.zst", "whole.txt.zst"} {
			path := file(t, name, zstdFrame(log, "one\n"))
			source := corpus.Source{Path: path, Whole: strings.HasPrefix(name, "whole")}
			if source.Whole {
				p.Format = corpus.Text
			} else {
				p.Format = corpus.Auto
			}
			var detail string
			err := eachOf(t, p, source, func(r *corpus.Record) {
				if detail = strings.TrimSpace(string(r.Text)); r.Bad != nil {
					detail = string(r.Bad.Reason) + ": " + r.Bad.Detail
				}
			})
			const want = "unreadable: it was compressed with a window of more than 128 MiB, as by zstd --long=28 " +
				"and more, and would take as much memory: unpack it by zstd -d --long=31, or pipe it through zstdcat " +
				"--long=31"
			if err != nil || refused && detail != want || !refused && detail != "one" {
				t.Errorf("a window of 2^%d in %s: %q, %v; want it refused: %v", log, name, detail, err, refused)
			}
		}
	}
}

func eachOf(t *testing.T, p corpus.Params, source corpus.Source, visit func(*corpus.Record)) error {
	t.Helper()
	r, err := corpus.NewReader(p, corpus.Those([]corpus.Source{source}))
	if err != nil {
		return err
	}
	return corpus.Each(t.Context(), r, func(rec *corpus.Record) error {
		visit(rec)
		return nil
	})
}

// TestSkippedFrames: files as pzstd and others write them, which begin with a frame of zstd that is skipped.
func TestSkippedFrames(t *testing.T) {
	skipped := func(magic byte, content string) string {
		return string(binary.LittleEndian.AppendUint32([]byte{magic, 0x2a, 0x4d, 0x18}, uint32(len(content)))) + content
	}
	data := skipped(0x50, "\x09\x00\x00\x00") + zstdFrame(17, "one\n") + skipped(0x5f, "") + zstdFrame(17, "two\n")
	for _, name := range []string{"a.txt.zst", "a"} {
		got, _, err := read(t, corpus.DefaultParams(), file(t, name, data))
		if want := []string{name + " 1 [] one", name + " 2 [] two"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%s with frames that are skipped reads as %q, %v; want %q", name, got, err, want)
		}
	}
}
