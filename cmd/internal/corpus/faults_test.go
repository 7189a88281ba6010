package corpus_test

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"

	"github.com/unecho/unecho/cmd/internal/corpus"
)

// TestFaults: what is wrong with a file, or at a place in it, is a record that is rejected, and reading goes on: with the
// next record, or the next file. Where all are to be documents it is an error.
func TestFaults(t *testing.T) {
	const wrong = "a column with commas, quotation marks or line breaks stands in quotation marks"
	for _, test := range []struct {
		name, content string
		number, line  int
		want          string // reason and detail
		good          int    // records beside it
	}{
		{"a.csv", "text,x\na,b\n\nc\n\"d\n\",e\n", 2, 4, "wrong_columns: it has 1 column, the first line has 2: " + wrong, 2},
		{"a.csv", "text,x\na\"b,c\nd,e", 1, 2, "wrong_quotes: bare \" in non-quoted-field", 1},
		{"a.csv", "text,x\n\"a\nb\" c,d\n\"e\",f\n", 1, 2, "wrong_quotes: extraneous or missing \" in quoted-field", 1},
		{"a.csv", "", 0, 1, "unreadable: read the first line: the file is empty", 0},
		{"a.tsv", "text\tx\na\nb\tc\n", 1, 2, "wrong_columns: it has 1 column, the first line has 2: a column has no tabs", 1},
		{"a.gz", "\x1f\x8bnothing", 0, 0, "unreadable: unpack: ", 0},
		{"a.xz", "\xfd7zXZ\x00nothing", 0, 0, "unreadable: unpack: ", 0},
		{"a.parquet", "PAR1\x15\x04", 0, 0, "unreadable: the file is damaged: it has only 6 bytes", 0},
		{"a.txt", "BZh91AY&SY\x00", 0, 0, "unrecognised: it is compressed by bzip2: unpack it", 0},
		{"a.arrow", "ARROW1\x00\x00\xff\xff\xff\xff", 0, 0, "unrecognised: it is an Arrow file: write it as Parquet: pyarrow", 0},
		{"a.feather", "\xff\xff\xff\xff\x08\x02\x00\x00", 0, 0, "unrecognised: it is an Arrow stream, or another binary format: write it as Parquet: pyarrow", 0},
		{"a.feather", "FEA1\x00\x00", 0, 0, "unrecognised: it is a Feather file of version 1: write it as Parquet: pyarrow", 0},
		{"a.jsonl", "\xff\xfe{\x00", 0, 0, "unrecognised: it is text in UTF-16: convert it by iconv", 0},
		{"a.jsonl", "\xff\xfe\x00\x00{\x00\x00\x00", 0, 0, "unrecognised: it is text in UTF-32: convert it by iconv", 0},
		{"a.jsonl", "\x00\x00\xfe\xff\x00\x00\x00{", 0, 0, "unrecognised: it is text in UTF-32: convert it by iconv", 0},
		{"a.txt", "one\x00two", 0, 0, "unrecognised: byte 4 is 0, so it is no text: name its --format if it is", 0},
		{"a.json", "[{\"text\":\n\"one\"},", 2, 2, "invalid_json: the array does not end", 1},
		{"a.json", "[{\"text\":\"one\"", 1, 1, "invalid_json: the value does not end", 0},
		{"a.json", "[{\"text\":\"one\"}]\n[{\"text\":\"two\"}]", 2, 1, "invalid_json: something follows the end of the array", 1},
		{"a.json", "{\n\"text\":\"one\"\n}\n]", 2, 3, "invalid_json: a bracket closes an array that was not opened", 1},
		{"a.json", "[{\n},\n{\"text\":\n \"one\"}, {]}]", 1, 1, "missing_field: ", 3},
	} {
		p := corpus.DefaultParams()
		paths := []string{file(t, test.name, test.content), file(t, "next.csv", "text,x\nnext,y\n")}
		sources, _, err := corpus.Files(paths)
		if err != nil {
			t.Fatal(err)
		}
		r, err := corpus.NewReader(p, sources)
		if err != nil {
			t.Fatal(err)
		}
		var bad []string
		records := 0
		err = corpus.Each(t.Context(), r, func(rec *corpus.Record) error {
			if rec.Bad != nil {
				bad = append(bad, fmt.Sprintf("%d %d %s: %s", rec.Number, rec.Line, rec.Bad.Reason, rec.Bad.Detail))
			}
			records++
			return nil
		})
		want := fmt.Sprintf("%d %d %s", test.number, test.line, test.want)
		if err != nil || len(bad) == 0 || !strings.HasPrefix(bad[0], want) || records != test.good+2 {
			t.Errorf("%s %q: %d records, %q, %v; want %d, %q", test.name, test.content, records, bad, err, test.good+2, want)
		}
		p.Strict = true
		_, _, err = read(t, p, paths...)
		place := test.name + map[bool]string{true: fmt.Sprintf(": line %d", test.line)}[test.line > 0]
		if err == nil || !strings.Contains(err.Error(), place+": "+test.want) {
			t.Errorf("strict: %s %q: %v", test.name, test.content, err)
		}
	}
}

// TestFaultsOfFiles: files that cannot be read, and tables without the columns that others have, are passed over.
func TestFaultsOfFiles(t *testing.T) {
	whole := file(t, "a.txt", "one two three\nfour\n")
	list := strings.Join([]string{
		t.TempDir(), "missing.txt", "missing.csv", whole, file(t, "good.csv", "text\none\n"), file(t, "other.csv", "title\ntwo\n"),
		file(t, "zip.txt", "PK\x03\x04\x00"), file(t, "last.csv", "text\nlast\n"),
	}, "\n")
	got, _, err := readSources(t, corpus.DefaultParams(), corpus.Listed(strings.NewReader(list), '\n'))
	want := []string{
		"001 0 [] rejected: unreadable", "missing.txt 0 [] rejected: unreadable", "missing.csv 0 [] rejected: unreadable",
		"a.txt 0 [] one two three\nfour\n", "good.csv 1 [] one", "other.csv 0 [] rejected: wrong_columns",
		"zip.txt 0 [] rejected: unrecognised", "last.csv 1 [] last",
	}
	if err != nil || len(got) != len(want) || !slices.Equal(got[1:], want[1:]) || !strings.HasSuffix(got[0], "rejected: unreadable") {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

// TestCutOff: of an archive that was cut off, the whole records before that are read.
func TestCutOff(t *testing.T) {
	var content strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&content, "line %d of text\n", i*i)
	}
	var zipped bytes.Buffer
	gz := gzip.NewWriter(&zipped)
	if _, err := io.WriteString(gz, content.String()); err != nil {
		t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	got, raw, err := read(t, corpus.DefaultParams(), file(t, "a.txt.gz", zipped.String()[:zipped.Len()/2]))
	if err != nil || len(got) < 1000 || got[len(got)-1] != "a.txt.gz 0 [] rejected: unreadable" ||
		!strings.HasPrefix(content.String(), string(raw)) || !bytes.HasSuffix(raw, []byte("of text\n")) {
		t.Errorf("%d records, the last is %q, %v", len(got), got[len(got)-1], err)
	}
}

// FuzzRows: rows end where encoding/csv ends them, whatever is wrong with them.
func FuzzRows(f *testing.F) {
	f.Add("a \"b\" c\n\"d\"e\",f\"\n\"g\" \nh\n\"\n", true, false)
	f.Add("a\tb\"\n\"\t\"\n", true, true)
	f.Add("text,x\na,b\n", false, false)
	f.Add("text,x\na,b\n", true, true)
	f.Add("text\n\"a\"\"\n,\"b,\n\"c\"d\"\n\"e\nf\"\n\n\"\"\"\"\n", false, false)
	f.Add("text\n\"a\"\"\n,\"b,\n\"c\"d\"\n\"e\nf\"\n\n\"\"\"\"\n", true, true)
	f.Add("text\na\"b\n\"c\n", false, false)
	f.Add("text\na\"b\n\"c\n", true, true)
	f.Fuzz(func(t *testing.T, content string, lenient, tabs bool) {
		if strings.ContainsAny(content, "\x00\r") || strings.Contains(content, "\ufeff") || len(content) > 1<<16 {
			return
		}
		content = "text\n" + content
		p := corpus.DefaultParams()
		p.Format = corpus.CSV
		long := content + strings.Repeat("\n\"x\ny\"", 70_000) // of several chunks
		whole := csv.NewReader(strings.NewReader(long))
		whole.FieldsPerRecord, whole.LazyQuotes, p.Lenient = 1, lenient, lenient
		if tabs {
			whole.Comma, p.Comma = '\t', '\t'
		}
		rows, bad := 0, 0
		for {
			_, err := whole.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if rows++; err != nil {
				bad++
			}
		}
		got, _, err := read(t, p, file(t, "a.csv", long))
		rejected := 0
		for _, record := range got {
			if strings.Contains(record, "rejected: wrong") {
				rejected++
			}
		}
		if err == nil && (len(got) != rows-1 || rejected != bad) {
			t.Errorf("%q: %d rows, %d of them rejected; want %d and %d", content, len(got), rejected, rows-1, bad)
		}
	})
}

// TestMissingQuote: behind a quotation mark that is missing, a table is read again with the next line.
func TestMissingQuote(t *testing.T) {
	var content strings.Builder
	content.WriteString("text,x\nfirst,1\n\"open,2\n")
	row := strings.Repeat("word ", 200) + ",3\n"
	rows := 0
	for ; content.Len() < corpus.MaxRecord+1<<20; rows++ {
		content.WriteString(row)
	}
	got, _, err := read(t, corpus.DefaultParams(), file(t, "a.csv", content.String()))
	if err != nil || len(got) != rows+2 || got[1] != "a.csv 2 [] rejected: too_large" || !strings.HasPrefix(got[2], "a.csv 3 [] word") {
		t.Errorf("%d records of %d, %v", len(got), rows+2, err)
	}
}

// TestWideText: text of two or four bytes a character is told from others where no mark says so, also where the format is named.
func TestWideText(t *testing.T) {
	const latin, cyrillic = "the harbour bridge\nwas closed on Monday\n", "мост у гавани\nзакрыт с утра\n"
	utf16Of := func(order binary.AppendByteOrder, text string) (out []byte) {
		for _, unit := range utf16.Encode([]rune(text)) {
			out = order.AppendUint16(out, unit)
		}
		return out
	}
	utf32Of := func(order binary.AppendByteOrder, text string) (out []byte) {
		for _, r := range text {
			out = order.AppendUint32(out, uint32(r))
		}
		return out
	}
	for _, test := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"UTF-16LE", utf16Of(binary.LittleEndian, latin), "UTF-16LE"},
		{"UTF-16BE", utf16Of(binary.BigEndian, latin), "UTF-16BE"},
		{"UTF-16LE Cyrillic", utf16Of(binary.LittleEndian, cyrillic), "UTF-16LE"},
		{"UTF-16BE Cyrillic", utf16Of(binary.BigEndian, cyrillic), "UTF-16BE"},
		{"UTF-32LE", utf32Of(binary.LittleEndian, latin), "UTF-32LE"},
		{"UTF-32BE Cyrillic", utf32Of(binary.BigEndian, cyrillic), "UTF-32BE"},
		{"zeros between lines", []byte("the bridge\x00was closed\x00on Monday\x00again\n"), ""},
		{"one zero", []byte("the bridge was\x00closed\n"), ""},
	} {
		for _, format := range []string{corpus.Lines, corpus.Text} {
			t.Run(test.name+" as "+format, func(t *testing.T) {
				p := corpus.DefaultParams()
				p.Format, p.Strict = format, true
				_, _, err := read(t, p, file(t, "a.txt", string(test.content)))
				want := "unrecognised: it is text in " + test.want + " without a byte order mark: convert it by iconv -f " + test.want + " -t UTF-8"
				if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
					t.Errorf("got %v, want %q", err, want)
				}
			})
		}
	}
}
