package columnar

import (
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// Annotator copies rows, as a Copier does, with columns of its own behind theirs: those of a record for each row.
type Annotator[T any] struct {
	*Copier
	columns *columns[T]
	first   int // of its own columns
}

// NewAnnotator begins a file with the columns of this schema and those that the tags of T name; integers is as for
// NewRecords. What the files say of themselves is left out: with it, pyarrow, Spark and datasets expect the old columns only.
func NewAnnotator[T any](out io.Writer, s *Schema, integers bool) (a *Annotator[T], err error) {
	of := s.file.Schema()
	a = &Annotator[T]{columns: newColumns[T](integers), first: len(of.Columns())}
	a.Copier, err = newCopier(out, parquet.NewSchema(of.Name(), wider{of, a.columns.written.Fields()}))
	return a, err
}

// Row copies the row of this number, as a Copier does, and the record behind it.
func (a *Annotator[T]) Row(number int64, record *T) error {
	return a.row(number, func(row parquet.Row) parquet.Row { return a.columns.append(row, record, a.first) })
}

// wider is a schema with columns behind its own.
type wider struct {
	parquet.Node
	more []parquet.Field
}

// Fields implements parquet.Node.
func (w wider) Fields() []parquet.Field { return slices.Concat(w.Node.Fields(), w.more) }
