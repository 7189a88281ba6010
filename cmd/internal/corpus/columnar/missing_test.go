package columnar_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/unecho/unecho/cmd/internal/corpus/columnar"
)

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
