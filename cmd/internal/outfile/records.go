package outfile

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/corpus/columnar"
)

// IsTable says whether an output of this name is Parquet.
func IsTable(path string) bool { return strings.HasSuffix(strings.ToLower(path), ".parquet") }

// AnyTable says whether one of these outputs is Parquet with columns of its own, which --unique has not.
func AnyTable(paths map[string]string) bool {
	for name, path := range paths {
		if name != "unique" && IsTable(path) {
			return true
		}
	}
	return false
}

// Records is a file of records of one kind. Where it is named .parquet they are rows, and the tags of T name the columns;
// else they are lines. Writing to a nil Records does nothing.
type Records[T any] struct {
	*File
	rows *columnar.Records[T] // nil where they are lines
	line []byte
}

func newRecords[T any](path string, out *File, integers bool) (*Records[T], error) {
	r := &Records[T]{File: out}
	if !IsTable(path) {
		return r, nil
	}
	var err error
	if r.rows, err = columnar.NewRecords[T](out, integers); err != nil {
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

// Name returns a name as text, for JSON: of one that is no UTF-8, such as a file may have, each byte that belongs to no
// character is \xHH, and a backslash two. So different names stay different.
func Name[T string | []byte](name T) string {
	text := string(name)
	if utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case r == '\\':
			b.WriteString(`\\`)
		default:
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

// ID returns the id of a document for a record.
func ID[T string | []byte](name T) columnar.ID { return columnar.ID(Name(name)) }

// AppendTSV appends a line of columns, which UnescapeTSV reads. Characters that would end a column or a line are
// written as in Go: \t, \n, \r, and \\.
func AppendTSV(dst []byte, columns ...string) []byte {
	for i, c := range columns {
		if i > 0 {
			dst = append(dst, '\t')
		}
		if strings.ContainsAny(c, "\\\t\n\r") {
			c = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`).Replace(c)
		}
		dst = append(dst, c...)
	}
	return append(dst, '\n')
}

// UnescapeTSV returns a column as it was before AppendTSV. Any other backslash stands for itself.
func UnescapeTSV(column string) string {
	if !strings.Contains(column, "\\") {
		return column
	}
	return strings.NewReplacer(`\\`, "\\", `\t`, "\t", `\n`, "\n", `\r`, "\r").Replace(column)
}

// Table writes documents. Those of tables come after the first line of their file, so that the output is a table again:
// the first such line is always written, and a different one before the first document that belongs to it.
type Table struct {
	Out    *File
	Latest []byte // first line that was written last
	header []byte // that of the documents to come
}

// Below sets the first line of the documents to come, if they have one. It must stay valid.
func (t *Table) Below(header []byte) error {
	t.header = header
	if len(t.Latest) > 0 {
		return nil
	}
	return t.lead()
}

// Line writes a document.
func (t *Table) Line(raw []byte) error {
	if err := t.lead(); err != nil {
		return err
	}
	return t.Out.Line(raw)
}

func (t *Table) lead() error {
	line := corpus.Unmarked(t.header)
	if len(line) == 0 || bytes.Equal(line, corpus.Unmarked(t.Latest)) {
		return nil
	}
	if len(t.Latest) == 0 { // Excel and others know UTF-8 by the byte order mark
		line = t.header
	}
	t.Latest = t.header
	return t.Out.Line(line)
}
