package corpus

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/unecho/unecho/internal/columnar"
	"github.com/unecho/unecho/sink"
)

// rows are those of an open file of columns. What is judged of a row is read apart from the row as a whole: how large a
// document is, and so the verdict, does not depend on what is written of it.
type rows struct {
	judged  columnar.Rows
	whole   columnar.Rows // nil unless Raw is the whole row
	size    int64         // of the file
	counted int64         // bytes of it, by the rows that were read: columns are not read in the file's order
}

func (r *rows) close() error {
	if r == nil {
		return nil
	}
	err := r.judged.Close()
	if r.whole != nil {
		err = errors.Join(err, r.whole.Close())
	}
	return err
}

// openRows opens the open file as one of columns.
func (r *Reader) openRows() error {
	opened := &rows{}
	open, err := r.opener(&opened.size)
	if err != nil {
		return &fault{reason: Unreadable, err: err}
	}
	texts := r.columns()
	if opened.judged, err = open(columnar.Wanted{Columns: texts, Texts: texts}); err != nil {
		return &fault{reason: Unreadable, err: err}
	}
	r.rows = opened
	if r.params.Rows == RowsWhole {
		if opened.whole, err = open(columnar.Wanted{All: true, Texts: texts}); err != nil {
			return &fault{reason: Unreadable, err: err}
		}
	}
	return r.checkColumns()
}

// checkColumns returns an error if a column is missing without which there are no documents.
func (r *Reader) checkColumns() error {
	for _, column := range r.required() {
		if r.rows.judged.Has(column) {
			continue
		}
		err := &MistakeError{fmt.Sprintf("no column is called %q; there are %s: name those with the text by --fields, that with "+
			"the id by --id", column, quoted(r.rows.judged.Names()))}
		if r.good > 0 {
			return &fault{reason: WrongColumns, err: err}
		}
		return fmt.Errorf("read %s: %w", name(r.file), err)
	}
	return nil
}

// opener returns what opens the file, and its size.
func (r *Reader) opener(size *int64) (func(columnar.Wanted) (columnar.Rows, error), error) {
	if r.in.packed {
		return nil, errors.New("a Parquet file is read from its end, and this one is compressed as a whole: unpack it")
	}
	info, err := r.in.file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("a Parquet file is read from its end: name it, or redirect it by <, in place of a pipe")
	}
	*size = info.Size()
	return func(w columnar.Wanted) (columnar.Rows, error) { return columnar.OpenParquet(r.in.file, *size, w) }, nil
}

// columns are those with text, id and scope.
func (r *Reader) columns() []string {
	all := slices.Clone(r.params.Fields)
	if r.params.ID != "" {
		all = append(all, r.params.ID)
	}
	if scope, ok := strings.CutPrefix(r.params.Document.Scope, "field:"); ok {
		all = append(all, scope)
	}
	return all
}

// required are the columns without which a file has no documents.
func (r *Reader) required() []string {
	all := r.columns()
	if r.params.MustID || slices.Contains(r.params.Fields, r.params.ID) {
		return all
	}
	return slices.DeleteFunc(all, func(column string) bool { return column == r.params.ID })
}

// moreRows reads a row: a line with what is judged of it, and where the whole row is wanted, a line with that.
func (r *Reader) moreRows() {
	before := len(r.rest)
	line, err := r.rows.judged.Append(r.rest)
	if whole := r.rows.whole; whole != nil && (err == nil || errors.Is(err, columnar.ErrTooLarge)) {
		var also error
		line, also = whole.Append(append(line, '\n'))
		err = errors.Join(err, also)
	}
	switch {
	case err == nil:
		r.rest = append(line, '\n')
	case errors.Is(err, columnar.ErrTooLarge):
		r.skipped = &fault{number: r.number + r.layout.records(r.rest[:before]), reason: sink.TooLarge, err: err}
	default:
		if r.ended = true; !errors.Is(err, io.EOF) {
			read, _ := r.rows.judged.Share()
			r.failed = &fault{number: int(read), reason: Unreadable, err: err}
		}
	}
	r.countRows()
}

// countRows counts what was read of the file.
func (r *Reader) countRows() {
	read, all := r.rows.judged.Share()
	if all <= 0 {
		return
	}
	bytes := int64(float64(r.rows.size) * float64(read) / float64(all))
	r.read.Add(bytes - r.rows.counted)
	r.rows.counted = bytes
}

// rows reads a chunk of rows: lines with what is judged of them, each before the whole row if that is wanted.
func (p *Parser) rows(c *Chunk, visit func(*Record) bool) error {
	for number, data := c.First, c.Data; len(data) > 0; number++ {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte{'\n'})
		p.record = Record{File: c.File, Number: number, Raw: line}
		if err := p.read(c.layout, line); err != nil {
			return err
		}
		switch c.layout.rows {
		case RowsWhole:
			p.record.Raw, data, _ = bytes.Cut(data, []byte{'\n'})
		case RowsPlaced:
			p.record.Raw = Place{File: c.File, Row: number}.Append(nil)
		case RowsWanted:
		}
		if !p.give(c, visit) {
			return nil
		}
	}
	return nil
}

// Place is where a row is.
type Place struct {
	File string
	Row  int // from 1
}

// Append appends a place, for Raw.
func (p Place) Append(dst []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(p.Row)), p.File...) //nolint:gosec // from 1
}

// PlaceOf returns the place that Raw is.
func PlaceOf(raw []byte) (Place, error) {
	row, n := binary.Uvarint(raw)
	if n <= 0 {
		return Place{}, errors.New("a row has no place: this is a bug")
	}
	return Place{File: string(raw[n:]), Row: int(row)}, nil //nolint:gosec // it was one
}
