package outfile

import (
	"strings"

	"github.com/unecho/unecho/cmd/internal/corpus/columnar"
)

// IsTable says whether an output of this name is Parquet.
func IsTable(path string) bool { return strings.HasSuffix(strings.ToLower(path), ".parquet") }

// Records is a file of records of one kind. Where it is named .parquet they are rows, and the tags of T name the columns;
// else they are lines. Writing to a nil Records does nothing.
type Records[T any] struct {
	*File
	rows *columnar.Records[T] // nil where they are lines
	line []byte
}

func newRecords[T any](path string, out *File) (*Records[T], error) {
	r := &Records[T]{File: out}
	if !IsTable(path) {
		return r, nil
	}
	var err error
	if r.rows, err = columnar.NewRecords[T](out); err != nil {
		return nil, err
	}
	out.Rows(r.rows.Close)
	return r, nil
}

// JSON writes a record, as a line of JSON where it is no row.
func (r *Records[T]) JSON(record *T) error {
	switch {
	case r == nil:
		return nil
	case r.rows != nil:
		return r.rows.Write(record)
	}
	return r.File.JSON(record)
}

// TSV writes a record, as a line of columns where it is no row.
func (r *Records[T]) TSV(record *T, columns ...string) error {
	switch {
	case r == nil:
		return nil
	case r.rows != nil:
		return r.rows.Write(record)
	}
	r.line = AppendTSV(r.line[:0], columns...)
	return r.Line(r.line)
}
