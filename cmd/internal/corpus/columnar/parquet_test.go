package columnar_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/unecho/unecho/cmd/internal/corpus/columnar"
)

var update = flag.Bool("update", false, "write the golden rows")

// all returns the rows of a file, a line each.
func all(data []byte, w columnar.Wanted) (string, error) {
	r, err := columnar.Open(bytes.NewReader(data), int64(len(data)), w)
	if err != nil {
		return "", err
	}
	return drain(r)
}

func drain(r *columnar.Rows) (string, error) {
	var out []byte
	for n := 0; ; n++ {
		if n == 1000 { // of a file that claims to have more
			return "", errors.Join(errTooMany, r.Close())
		}
		row, err := r.Append(out)
		if errors.Is(err, io.EOF) {
			return string(out), r.Close()
		}
		if err != nil {
			return string(out), errors.Join(err, r.Close())
		}
		out = append(row, '\n')
	}
}

var errTooMany = errors.New("too many rows for a test")

func golden(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestParquet: the same table, as pyarrow 26 writes it with every compression and both versions of pages, has the same
// rows. rows.jsonl was compared by eye with what pyarrow reads.
func TestParquet(t *testing.T) {
	for _, name := range []string{"v1", "v2", "lz4", "gzip", "brotli"} {
		got, err := all(golden(t, name+".parquet"), columnar.Wanted{All: true})
		if err != nil {
			t.Fatalf("%s: reading all rows: %v", name, err)
		}
		if *update {
			if err := os.WriteFile("testdata/rows.jsonl", []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if want := string(golden(t, "rows.jsonl")); got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
		for line := range strings.Lines(got) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%s: no JSON: %s", name, line)
			}
		}
	}
}

// TestWanted: rows have the columns that are wanted, those of structs too, and no other is read.
func TestWanted(t *testing.T) {
	data := golden(t, "v1.parquet")
	for _, test := range []struct {
		wanted columnar.Wanted
		want   string
	}{
		{columnar.Wanted{Columns: []string{"text", "id"}}, `{"id":"a0","text":"one \"quoted\"\n"}`},
		{columnar.Wanted{Columns: []string{"meta.tags"}}, `{"meta":{"tags":[]}}`},
		{columnar.Wanted{Columns: []string{"meta.lang", "nothing"}}, `{"meta":{"lang":null}}`},
		{columnar.Wanted{Columns: []string{"blob"}}, `{"blob":"AAD/"}`},
		{columnar.Wanted{Columns: []string{"blob"}, Texts: []string{"blob"}}, "{\"blob\":\"\\u0000\\u0000\xff\"}"},
		{columnar.Wanted{}, `{}`},
	} {
		got, err := all(data, test.wanted)
		if err != nil || !strings.HasPrefix(got, test.want+"\n") || strings.Count(got, "\n") != 7 {
			t.Errorf("%+v: %q, %v; want %q", test.wanted, got, err, test.want)
		}
	}
	r, err := columnar.Open(bytes.NewReader(data), int64(len(data)), columnar.Wanted{})
	if err != nil {
		t.Fatal(err)
	}
	for column, want := range map[string]bool{"text": true, "meta.lang": true, "meta.no": false, "no": false, "": false} {
		if r.Has(column) != want {
			t.Errorf("Has(%s) is %t; want %t", column, !want, want)
		}
	}
	if names := r.Names(); len(names) != 20 || names[0] != "id" {
		t.Errorf("the names of the columns are %v; want 20, the first of them id", names)
	}
}

// TestDamaged: whatever is cut off or changed, there is an error or there are rows; nothing panics.
func TestDamaged(t *testing.T) {
	for _, name := range []string{"v1", "v2", "lz4"} {
		data := golden(t, name+".parquet")
		for cut := 0; cut < len(data); cut += 1 + cut/10 {
			if got, err := all(data[:cut], columnar.Wanted{All: true}); err == nil {
				t.Fatalf("%s cut to %d bytes: %q", name, cut, got)
			}
		}
		for at := 4; at < len(data); at += 41 {
			changed := bytes.Clone(data)
			changed[at] ^= 0x55
			_, err := all(changed, columnar.Wanted{All: true}) // a text may just be another
			checkText(t, name, err)
		}
	}
}

// TestLyingMetadata: a list of two thousand million in metadata of some bytes is refused before memory is made for it.
func TestLyingMetadata(t *testing.T) {
	footer := []byte{0x15, 0x02, 0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07} // version 1; schema: a list of 2^31-1 structs
	data := append([]byte("PAR1"), footer...)
	data = append(data, byte(len(footer)), 0, 0, 0)
	data = append(data, "PAR1"...)
	if _, err := all(data, columnar.Wanted{All: true}); !errors.Is(err, columnar.ErrDamaged) || !strings.Contains(err.Error(), "a list of 2147483647") {
		t.Errorf("reading a footer that lies says %v; want %v by a list of 2147483647", err, columnar.ErrDamaged)
	}
}

func FuzzParquet(f *testing.F) {
	for _, name := range []string{"v1", "v2", "lz4", "gzip"} {
		data, err := os.ReadFile(filepath.Join("testdata", name+".parquet"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, file := range contradictions() {
		f.Add(file.file(f))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := all(data, columnar.Wanted{All: true})
		if err != nil {
			checkText(t, "a file", err)
			return
		}
		for line := range strings.Lines(got) {
			if !json.Valid([]byte(strings.ToValidUTF8(line, "?"))) {
				t.Errorf("no JSON: %q", line)
			}
		}
	})
}

// TestNaNIsNoText: in a column of texts NaN is missing, and not the word; elsewhere it is written as it was.
func TestNaNIsNoText(t *testing.T) {
	type row struct {
		Note  float64 `parquet:"note"`
		Short float32 `parquet:"short"`
	}
	var table bytes.Buffer
	w := parquet.NewGenericWriter[row](&table)
	if _, err := w.Write([]row{{math.NaN(), float32(math.NaN())}, {1.5, 2}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for texts, want := range map[string]string{
		"":      `{"note":"NaN","short":"NaN"}` + "\n" + `{"note":1.5,"short":2}` + "\n",
		"note":  `{"note":null,"short":"NaN"}` + "\n" + `{"note":1.5,"short":2}` + "\n",
		"short": `{"note":"NaN","short":null}` + "\n" + `{"note":1.5,"short":2}` + "\n",
	} {
		got, err := all(table.Bytes(), columnar.Wanted{All: true, Texts: []string{texts}})
		if err != nil || got != want {
			t.Errorf("texts %q: %q, %v; want %q", texts, got, err, want)
		}
	}
}
