package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/unecho/unecho/cmd/internal/corpus/columnar"
	"github.com/unecho/unecho/sink"
)

// rows are those of an open file of columns. What is judged of a row is read apart from the row as a whole: how large a
// document is, and so the verdict, does not depend on what is written of it.
type rows struct {
	judged  *columnar.Rows
	whole   *columnar.Rows // nil unless Raw is the whole row
	size    int64          // of the file
	counted int64          // bytes of it, by the rows that were read: columns are not read in the file's order
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
	opened, err := r.openParquet()
	if err != nil {
		return &fault{reason: Unreadable, err: err}
	}
	r.rows = opened
	return r.checkColumns()
}

// checkColumns returns an error if a column is missing without which there are no documents.
func (r *Reader) checkColumns() error {
	for _, column := range r.required() {
		if r.rows.judged.Has(column) {
			continue
		}
		err := &MistakeError{fmt.Sprintf("no column is called %s; there are %s: name the columns with the text "+
			"by --fields, and the one with the id by --id", quote(column), quoted(r.rows.judged.Names()))}
		return r.mistaken(err, 0)
	}
	return nil
}

// openParquet opens the open file as Parquet, which is read here and there.
func (r *Reader) openParquet() (*rows, error) {
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
	opened, texts := &rows{size: info.Size()}, r.columns()
	opened.judged, err = columnar.Open(r.in.file, opened.size, columnar.Wanted{Columns: texts, Texts: texts})
	if err == nil && r.params.Rows == RowsWhole {
		opened.whole, err = columnar.Open(r.in.file, opened.size, columnar.Wanted{All: true, Texts: texts})
	}
	return opened, err
}

// columns are those with text, id and scope.
func (r *Reader) columns() []string {
	all := slices.Clone(r.params.Fields)
	if r.params.ID != "" {
		all = append(all, r.params.ID)
	}
	return append(all, r.params.Document.ScopeFields()...)
}

// required are the columns without which a file has no documents. Of fields that may be missing it is the first one that the
// file has.
func (r *Reader) required() []string {
	fields := r.params.Fields
	if r.params.lax() {
		at := max(0, slices.IndexFunc(fields, r.rows.judged.Has))
		fields = fields[at : at+1]
	}
	all := append(slices.Clone(fields), r.params.Document.ScopeFields()...)
	if r.params.MustID {
		all = append(all, r.params.ID)
	}
	return all
}

// moreRows reads a row: a line with what is judged of it, and where the whole row is wanted, a line with that.
func (r *Reader) moreRows() {
	before := len(r.rest)
	line, err := r.rows.judged.Append(r.rest)
	if whole := r.rows.whole; whole != nil && (err == nil || errors.Is(err, columnar.ErrTooLarge)) {
		var also error
		line, also = whole.Append(append(line, '\n'))
		if err == nil || !errors.Is(also, columnar.ErrTooLarge) { // it is said once
			err = errors.Join(err, also)
		}
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
		p.record = Record{File: c.File, Number: number, Raw: line, ids: c.layout.ids}
		if err := p.read(c.layout, line); err != nil {
			return err
		}
		if c.layout.rows == RowsWhole {
			p.record.Raw, data, _ = bytes.Cut(data, []byte{'\n'})
		}
		if !p.give(c, visit) {
			return nil
		}
	}
	return nil
}

// IDs say of which kind the ids of files are. Those of several files are of the greatest kind.
type IDs int

// Kinds of ids.
const (
	NoIDs      IDs = iota // so far
	IntegerIDs            // in Parquet
	OtherIDs
)

// IDs says of which kind the ids of all sources are, as far as they can be read.
func (next Sources) IDs(id string) (same Sources, ids IDs, err error) {
	all, err := next.All()
	if err != nil {
		return nil, OtherIDs, err
	}
	for _, s := range all {
		if info, err := Stat(s.Path); err == nil && !info.Mode().IsRegular() { // opening a pipe twice ends it
			return Those(all), OtherIDs, nil
		}
		table, err := OpenTable(s.Path)
		if err != nil {
			continue // who reads it reports the error
		}
		ids = max(ids, table.ids(id))
		if err := table.Close(); err != nil {
			return nil, OtherIDs, fmt.Errorf("read %s: %w", NameOf(s.Path), err)
		}
		if ids == OtherIDs {
			break
		}
	}
	return Those(all), ids, nil
}

func (t Table) ids(id string) IDs {
	if t.Isnt != "" {
		return OtherIDs
	}
	rows, err := columnar.Open(t, t.Size, columnar.Wanted{Columns: []string{id}})
	if err != nil || !rows.Has(id) {
		return NoIDs
	}
	switch integers, others := rows.Integers(id); {
	case integers:
		return IntegerIDs
	case others:
		return OtherIDs
	}
	return NoIDs
}

// Table is a Parquet file that is open, to be read anew.
type Table struct {
	*os.File
	Size int64
	Isnt string // of what is none, or cannot be read anew: what it is, and what to do
}

// OpenTable opens a file of columns.
func OpenTable(path string) (t Table, err error) {
	f := os.Stdin
	if path != Stdin {
		if f, err = openFile(path); err != nil {
			return t, fmt.Errorf("read %s: %w", path, err)
		}
	}
	info, err := f.Stat()
	if err != nil {
		return t, errors.Join(fmt.Errorf("read %s: %w", NameOf(path), err), Table{File: f}.Close())
	}
	t = Table{File: f, Size: info.Size()}
	head := make([]byte, headBytes)
	n, _ := f.ReadAt(head, 0) // who reads it reports the error
	switch {
	case !info.Mode().IsRegular():
		t.Isnt = "comes through a pipe, and its rows are read a second time: write it to a file first"
	case isParquet(head[:n]):
	case isPacked(head[:n]):
		t.Isnt = "is compressed as a whole, and its rows are read a second time: unpack it"
	case recognise(head[:n], true) != nil:
		t.Isnt = fmt.Sprintf("is refused: %v", recognise(head[:n], true))
	default:
		t.Isnt = "is no Parquet, and has no types for its columns: name the output .jsonl"
	}
	return t, nil
}

// Close closes the file, unless it is standard input.
func (t Table) Close() error {
	if t.File == os.Stdin || t.File == nil {
		return nil
	}
	return t.File.Close()
}
