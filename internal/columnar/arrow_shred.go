package columnar

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/parquet-go/parquet-go"
)

// rowValues bounds the values of a row of lists.
const rowValues = 1 << 24

// shredder takes rows of Arrow apart into values of columns, each with the levels that say what of it is there
// (Melnik et al. 2010, Dremel).
type shredder struct {
	fields  []shred
	columns [][]parquet.Value
	values  int // of the row
}

// shred is a field of a schema.
type shred struct {
	name     string
	optional bool
	element  []shred // of a list one, of a map two
	below    []shred // of a struct
	repeats  int     // the repetition level of elements
	from, to int     // the columns below it
}

func newShredder(of *arrow.Schema) *shredder {
	s := &shredder{}
	columns := 0
	s.fields = shredsOf(of.Fields(), 0, &columns)
	s.columns = make([][]parquet.Value, columns)
	return s
}

func shredsOf(fields []arrow.Field, repeats int, columns *int) []shred {
	all := make([]shred, len(fields))
	for i, f := range fields {
		part := &all[i]
		*part = shred{name: f.Name, optional: f.Nullable || f.Type.ID() == arrow.NULL, repeats: repeats + 1, from: *columns}
		switch t := storedAs(f.Type).(type) {
		case *arrow.StructType:
			part.below = shredsOf(t.Fields(), repeats, columns)
		case *arrow.MapType:
			key := t.KeyField()
			key.Nullable = false
			part.element = shredsOf([]arrow.Field{key, t.ItemField()}, repeats+1, columns)
		case arrow.ListLikeType:
			part.element = shredsOf([]arrow.Field{t.ElemField()}, repeats+1, columns)
		default:
			*columns++
		}
		part.to = *columns
	}
	return all
}

// row appends a row of a batch.
func (s *shredder) row(dst parquet.Row, batch arrow.RecordBatch, i int) (parquet.Row, error) {
	for c := range s.columns {
		s.columns[c] = s.columns[c][:0]
	}
	s.values = 0
	for n := range s.fields {
		if err := s.take(&s.fields[n], batch.Column(n), i, levels{}); err != nil {
			return dst, err
		}
	}
	for _, values := range s.columns {
		dst = append(dst, values...)
	}
	return dst, nil
}

type levels struct{ repetition, definition int }

func (s *shredder) take(f *shred, of arrow.Array, i int, at levels) error {
	for !missing(of, i) {
		if encoded, ok := of.(*array.Dictionary); ok {
			of, i = encoded.Dictionary(), encoded.GetValueIndex(i)
			continue
		}
		extended, ok := of.(array.ExtensionArray)
		if !ok {
			break
		}
		of = extended.Storage()
	}
	switch {
	case missing(of, i) && !f.optional:
		return damaged("column %s has nothing where something must be", f.name)
	case missing(of, i):
		return s.none(f, at)
	case f.optional:
		at.definition++
	}
	switch {
	case f.below != nil:
		part, ok := of.(*array.Struct)
		if !ok {
			return damaged("column %s is %s", f.name, of.DataType())
		}
		for n := range f.below {
			if err := s.take(&f.below[n], part.Field(n), i, at); err != nil {
				return err
			}
		}
		return nil
	case f.element != nil:
		return s.list(f, of, i, at)
	}
	v, err := valueOf(of, i)
	if err != nil {
		return fmt.Errorf("column %s: %w", f.name, err)
	}
	return s.add(f.from, v, at)
}

func missing(of arrow.Array, i int) bool { return of.DataType().ID() == arrow.NULL || of.IsNull(i) }

// list takes the elements of a list or a map.
func (s *shredder) list(f *shred, of arrow.Array, i int, at levels) error {
	list, ok := of.(array.ListLike)
	if !ok {
		return damaged("column %s is %s", f.name, of.DataType())
	}
	parts := []arrow.Array{list.ListValues()}
	if pairs, ok := of.(*array.Map); ok {
		parts = []arrow.Array{pairs.Keys(), pairs.Items()}
	}
	from, to := list.ValueOffsets(i)
	if from >= to {
		return s.none(f, at)
	}
	at.definition++
	for element := from; element < to; element++ {
		for n := range f.element {
			if err := s.take(&f.element[n], parts[n], int(element), at); err != nil {
				return err
			}
		}
		at.repetition = f.repeats
	}
	return nil
}

// none says that there is nothing in the columns of a field.
func (s *shredder) none(f *shred, at levels) error {
	for column := f.from; column < f.to; column++ {
		if err := s.add(column, parquet.NullValue(), at); err != nil {
			return err
		}
	}
	return nil
}

func (s *shredder) add(column int, v parquet.Value, at levels) error {
	if s.values++; s.values > rowValues {
		return fmt.Errorf("a row has more than %d values", rowValues)
	}
	s.columns[column] = append(s.columns[column], v.Level(at.repetition, at.definition, column))
	return nil
}
