package columnar_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/parquet-go/parquet-go"

	"github.com/unecho/unecho/internal/columnar"
)

// copied copies rows of Arrow to Parquet.
func copied(t *testing.T, data []byte, rows ...int64) (out []byte, err error) {
	t.Helper()
	isFile := bytes.HasPrefix(data, []byte(columnar.ArrowMagic))
	schema, err := columnar.ArrowSchemaOf(bytes.NewReader(data), isFile)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	c, err := columnar.NewCopier(&b, schema)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.FromArrow(bytes.NewReader(data), isFile); err != nil {
		return nil, err
	}
	for _, row := range rows {
		if err := c.Row(row); err != nil {
			return nil, err
		}
	}
	err = c.Close()
	return b.Bytes(), err
}

// TestCopierOfArrow: rows of Arrow, as a file and as a stream, come out as Parquet with all columns and types, as those that
// another program wrote as Parquet do.
func TestCopierOfArrow(t *testing.T) {
	lines := strings.SplitAfter(string(golden(t, "rows.jsonl")), "\n")
	theirs := golden(t, "v2.parquet")
	want, err := columnar.SchemaOf(bytes.NewReader(theirs), int64(len(theirs)))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"stream.arrow", "file.arrow"} {
		out, err := copied(t, golden(t, name), 1, 3, 4, 7)
		if err != nil {
			t.Fatalf("%s: copying 4 rows: %v", name, err)
		}
		if got, err := all(out, columnar.Wanted{All: true}); err != nil || got != lines[0]+lines[2]+lines[3]+lines[6] {
			t.Errorf("%s: %s, %v\nwant %s", name, got, err, lines[0]+lines[2]+lines[3]+lines[6])
		}
		schema, err := columnar.SchemaOf(bytes.NewReader(out), int64(len(out)))
		if err != nil {
			t.Fatal(err)
		}
		if column, same := schema.Same(want); !same {
			t.Errorf("%s: column %s is another than pyarrow writes", name, column)
		}
		file, err := parquet.OpenFile(bytes.NewReader(out), int64(len(out)))
		if err != nil {
			t.Fatal(err)
		}
		if said, ok := file.Lookup("ARROW:schema"); !ok || len(said) < 100 {
			t.Errorf("%s: the schema of Arrow is %q", name, said)
		}
		if _, err := copied(t, golden(t, name), 8); err == nil || !strings.Contains(err.Error(), "it has 7 rows, and no row 8") {
			t.Errorf("%s: copying row 8 says %v; want that it has 7 rows", name, err)
		}
	}
}

// written is a stream of one batch, from JSON.
func written(t *testing.T, schema *arrow.Schema, rows string) []byte {
	t.Helper()
	batch, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	if err := w.Write(batch); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestCopierOfArrowTypes: each type comes back as it is read of Arrow, or is refused before there is a file.
func TestCopierOfArrowTypes(t *testing.T) {
	list := arrow.ListOf
	for _, test := range []struct {
		of   arrow.DataType
		rows string // of the column c
	}{
		{arrow.PrimitiveTypes.Int8, `[-128, 127, null]`},
		{arrow.PrimitiveTypes.Uint8, `[0, 255]`},
		{arrow.PrimitiveTypes.Uint16, `[65535]`},
		{arrow.PrimitiveTypes.Uint32, `[4294967295]`},
		{arrow.PrimitiveTypes.Uint64, `[18446744073709551615]`},
		{arrow.PrimitiveTypes.Int64, `[-9223372036854775808, null]`},
		{arrow.PrimitiveTypes.Float64, `[0.1, -5]`},
		{arrow.FixedWidthTypes.Boolean, `[true, null, false]`},
		{arrow.BinaryTypes.LargeString, `["a", "", null]`},
		{arrow.BinaryTypes.StringView, `["a long text that is no part of its view", "b"]`},
		{&arrow.Decimal128Type{Precision: 38, Scale: 2}, `["-1.25", "123456789012345678901234567890123456.78", null]`},
		{&arrow.Decimal256Type{Precision: 50, Scale: 0}, `["-7"]`},
		{arrow.FixedWidthTypes.Date32, `["1969-12-31"]`},
		{arrow.FixedWidthTypes.Time32s, `["23:59:59"]`},
		{arrow.FixedWidthTypes.Time64ns, `["23:59:59.000000001"]`},
		{&arrow.TimestampType{Unit: arrow.Second, TimeZone: "UTC"}, `["1969-07-20T20:17:40Z"]`},
		{&arrow.TimestampType{Unit: arrow.Nanosecond}, `["2026-01-01T00:00:00.000000001"]`},
		{list(arrow.PrimitiveTypes.Int32), `[[1, null, 3], [], null, [4]]`},
		{list(list(arrow.BinaryTypes.String)), `[[["a"], [], null, ["b", null]], null, [], [[]]]`},
		{arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float32), `[[1, 2], null, [3, null]]`},
		{arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, arrow.Field{Name: "b", Type: list(arrow.BinaryTypes.String)}), `[{"a": 1, "b": ["x"]}, {"a": null, "b": []}]`},
		{list(arrow.StructOf(arrow.Field{Name: "k", Type: arrow.BinaryTypes.String, Nullable: true}, arrow.Field{Name: "l", Type: list(arrow.PrimitiveTypes.Int16), Nullable: true})), `[[{"k": "a", "l": [1, 2]}, {"k": null, "l": null}, null], []]`},
		{arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64), `[[{"key": "a", "value": 1}, {"key": "b", "value": null}], [], null]`},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, `["x", "y", null, "x"]`},
	} {
		schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: test.of, Nullable: true}}, nil)
		data := written(t, schema, inRows(t, test.rows))
		want, err := allArrow(data, columnar.Wanted{All: true})
		if err != nil {
			t.Fatal(err)
		}
		numbers := []int64{}
		for i := range strings.Split(strings.TrimSpace(want), "\n") {
			numbers = append(numbers, int64(i+1))
		}
		out, err := copied(t, data, numbers...)
		if err != nil {
			t.Errorf("copying all rows of %s: %v", test.of, err)
			continue
		}
		if got, err := all(out, columnar.Wanted{All: true}); err != nil || got != want {
			t.Errorf("%s: %s, %v\nwant %s", test.of, got, err, want)
		}
	}
	for _, of := range []arrow.DataType{arrow.StructOf(), arrow.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.Float16} {
		schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: of, Nullable: true}}, nil)
		if _, err := copied(t, written(t, schema, `[]`)); err == nil || !strings.Contains(err.Error(), "column c ") && !strings.Contains(err.Error(), "column c:") {
			t.Errorf("copying a column of %s says %v; want an error that names column c", of, err)
		}
	}
}

// inRows makes rows of the values of a column.
func inRows(t *testing.T, values string) string {
	t.Helper()
	var rows []string
	for _, value := range elements(t, values) {
		rows = append(rows, fmt.Sprintf(`{"c": %s}`, value))
	}
	return "[" + strings.Join(rows, ",") + "]"
}

func elements(t *testing.T, list string) (all []json.RawMessage) {
	t.Helper()
	if err := json.Unmarshal([]byte(list), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestCopierOfDamagedArrow: whatever is cut off or changed, there is an error or there are rows; nothing panics.
func TestCopierOfDamagedArrow(t *testing.T) {
	data := golden(t, "stream.arrow")
	for at := 4; at < len(data); at += 37 {
		changed := bytes.Clone(data)
		changed[at] ^= 0x55
		_, _ = copied(t, changed, 1, 2, 7)         // a value may just be another
		_, _ = copied(t, data[:at], 1, 2, 3, 4, 7) // a stream may end behind any batch
	}
}
