package columnar_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unecho/unecho/internal/columnar"
)

func openArrow(data []byte, w columnar.Wanted) (*columnar.ArrowRows, error) {
	return columnar.OpenArrow(bytes.NewReader(data), bytes.HasPrefix(data, []byte(columnar.ArrowMagic)), w)
}

func allArrow(data []byte, w columnar.Wanted) (string, error) {
	r, err := openArrow(data, w)
	if err != nil {
		return "", err
	}
	return drain(r)
}

// TestArrow: the table of TestParquet, as a stream and as a file whose batches are compressed, has the same rows.
func TestArrow(t *testing.T) {
	want := string(golden(t, "rows.jsonl"))
	for _, name := range []string{"stream.arrow", "file.arrow"} {
		got, err := allArrow(golden(t, name), columnar.Wanted{All: true})
		if err != nil || got != want {
			t.Errorf("%s: %s, %v\nwant %s", name, got, err, want)
		}
		for columns, want := range map[string]string{
			"text": `{"text":"one \"quoted\"\n"}`, "meta.tags": `{"meta":{"tags":[]}}`, "cat": `{"cat":"news"}`, "no": `{}`,
			"meta": `{"meta":{"lang":null,"tags":[]}}`,
		} {
			got, err := allArrow(golden(t, name), columnar.Wanted{Columns: []string{columns}})
			if err != nil || !strings.HasPrefix(got, want+"\n") || strings.Count(got, "\n") != 7 {
				t.Errorf("%s: %s: %q, %v; want %q", name, columns, got, err, want)
			}
		}
	}
}

// TestArrowWhole: beside what is judged, the whole rows.
func TestArrowWhole(t *testing.T) {
	r, err := openArrow(golden(t, "stream.arrow"), columnar.Wanted{Columns: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	whole := r.Whole(columnar.Wanted{All: true})
	for i, line := range strings.Split(strings.TrimSpace(string(golden(t, "rows.jsonl"))), "\n") {
		row, err := r.Append(nil)
		all, err2 := whole.Append(nil)
		if err != nil || err2 != nil || !bytes.HasPrefix(row, []byte(`{"id":"a`)) || len(row) != len(`{"id":"a0"}`) || string(all) != line {
			t.Errorf("row %d: %s, %s, %v, %v", i, row, all, err, err2)
		}
	}
	for column, want := range map[string]bool{"text": true, "meta.lang": true, "meta.no": false, "no": false, "text.x": false} {
		if r.Has(column) != want {
			t.Errorf("Has(%s) is %t; want %t", column, !want, want)
		}
	}
}

// TestArrowDamaged: whatever is cut off or changed, there is an error or there are rows; nothing panics.
func TestArrowDamaged(t *testing.T) {
	for _, name := range []string{"stream.arrow", "file.arrow"} {
		data := golden(t, name)
		for cut := 0; cut < len(data); cut += 1 + cut/10 {
			_, _ = allArrow(data[:cut], columnar.Wanted{All: true}) // a stream may end behind any batch
		}
		if _, err := allArrow(data[:len(data)/2], columnar.Wanted{All: true}); err == nil {
			t.Errorf("%s cut in half: no error", name)
		}
		for at := 4; at < len(data); at += 41 {
			changed := bytes.Clone(data)
			changed[at] ^= 0x55
			_, _ = allArrow(changed, columnar.Wanted{All: true}) // a text may just be another
		}
	}
}

func FuzzArrow(f *testing.F) {
	for _, name := range []string{"stream.arrow", "file.arrow"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := allArrow(data, columnar.Wanted{All: true})
		if err != nil {
			return
		}
		for line := range strings.Lines(got) {
			if !json.Valid([]byte(strings.ToValidUTF8(line, "?"))) {
				t.Errorf("no JSON: %q", line)
			}
		}
	})
}
