package columnar_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/parquet-go/parquet-go"

	"github.com/unecho/unecho/internal/columnar"
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
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "note", Type: arrow.PrimitiveTypes.Float64}, {Name: "short", Type: arrow.PrimitiveTypes.Float32},
	}, nil)
	stream := written(t, schema, `[{"note":"NaN","short":"NaN"},{"note":1.5,"short":2}]`)
	for texts, want := range map[string]string{
		"":      `{"note":"NaN","short":"NaN"}` + "\n" + `{"note":1.5,"short":2}` + "\n",
		"note":  `{"note":null,"short":"NaN"}` + "\n" + `{"note":1.5,"short":2}` + "\n",
		"short": `{"note":"NaN","short":null}` + "\n" + `{"note":1.5,"short":2}` + "\n",
	} {
		wanted := columnar.Wanted{All: true, Texts: []string{texts}}
		got, err := all(table.Bytes(), wanted)
		if err != nil || got != want {
			t.Errorf("texts %q of Parquet: %q, %v; want %q", texts, got, err, want)
		}
		if got, err = allArrow(stream, wanted); err != nil || got != want {
			t.Errorf("texts %q of Arrow: %q, %v; want %q", texts, got, err, want)
		}
	}
}
