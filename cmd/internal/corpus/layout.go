package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/unecho/unecho/consumer/document"
)

// layout says how the records of a file are read. Parsers share it; it does not change.
type layout struct {
	format  string
	text    []int // columns of a table
	id      int   // -1 if there is none
	ids     bool  // records may have ids
	columns int
	header  []byte
	guessed bool   // the format was not named
	kept    bool   // what is too large for a document is read as well
	all     uint32 // a bit for each field of the text
	missing uint32 // those that no record has
	rows    RowsAs
	dialect dialect

	reader   *document.Reader
	maxBytes int
}

// newLayout makes the layout of a file; header is the first record of a table.
func newLayout(format string, p Params, header []byte) (*layout, error) {
	l := &layout{
		format: format, id: -1, header: header, guessed: p.Format == Auto, rows: p.Rows, dialect: p.dialect(),
		maxBytes: int(p.Document.MaxBytes), kept: p.Kept, all: 1<<len(p.Fields) - 1,
	}
	d := p.Document.As("raw", nil)
	d.ID = ""
	if isObjects(format) {
		d = p.Document.As("json", p.Fields)
		d.ID = ""
		if p.ID != "" {
			d.ID = "field:" + p.ID
		}
	} else if len(d.ScopeFields()) > 0 {
		return nil, fmt.Errorf("sources.scope %s: only JSON and Parquet have fields that documents could be compared within; "+
			"leave it empty, or convert the file", d.Scope)
	}
	if header != nil {
		if err := l.readHeader(p, Unmarked(header)); err != nil {
			return nil, err
		}
	}
	reader, err := document.New(d)
	if err != nil {
		return nil, fmt.Errorf("read documents: %w", err)
	}
	l.reader, l.ids = reader, d.ID != "" || l.id >= 0
	return l, nil
}

// fields returns the fields of the text that a record has. Of one that is rejected it is not known.
func (l *layout) fields(r *Record) uint32 {
	if r.Bad != nil {
		return 0
	}
	return l.all &^ r.Missing
}

// wholeBytes is how much is wanted of a file that is one document.
func (l *layout) wholeBytes() int {
	if l.kept {
		return MaxRecord
	}
	return l.maxBytes
}

// most is how much is read of such a file: enough to see that it is too large.
func (l *layout) most() int { return l.wholeBytes() + len(mark) + 1 }

// isObjects says whether records are read as JSON objects.
func isObjects(format string) bool { return named(format).record == "json" }

func (l *layout) readHeader(p Params, header []byte) error {
	names, err := l.columnNames(header)
	if err != nil {
		return &fault{line: 1, reason: Unreadable, err: fmt.Errorf("read the first line: %w", err)}
	}
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	for i, field := range p.Fields {
		at := column(names, field)
		if at < 0 && p.lax() {
			l.missing |= 1 << i
			continue
		}
		if at < 0 {
			return noColumn(field, names)
		}
		if slices.Contains(p.Document.HTML, field) || slices.Contains(p.Document.Base64, field) {
			return &MistakeError{fmt.Sprintf("sources.html and sources.base64: columns of a table are taken as text, "+
				"and %q is named there: convert the file to JSON or Parquet", field)}
		}
		l.text = append(l.text, at)
	}
	if len(l.text) == 0 {
		return noColumn(p.Fields[0], names)
	}
	l.id, l.columns = column(names, p.ID), len(names)
	if l.id < 0 && p.MustID {
		return &MistakeError{fmt.Sprintf("no column is called %s; there are %s: name the column with the id by "+
			"--id", quote(p.ID), quoted(names))}
	}
	return nil
}

// column returns the place of the column that a field names. A table has no objects that dots would go into, so that a
// dot in a name needs no backslash, and may have one as everywhere.
func column(names []string, field string) int {
	if at := slices.Index(names, field); at >= 0 {
		return at
	}
	if path, err := document.ParsePath(field); err == nil && len(path) == 1 {
		return slices.Index(names, path[0])
	}
	return -1
}

func noColumn(field string, names []string) error {
	return &MistakeError{fmt.Sprintf("no column is called %s; there are %s: name the columns with the text by "+
		"--fields", quote(field), quoted(names))}
}

func (l *layout) columnNames(header []byte) ([]string, error) {
	if len(bytes.TrimRight(header, "\r\n")) == 0 {
		return nil, errors.New("the file is empty: the names of the columns are expected there")
	}
	if l.format == TSV {
		return strings.Split(strings.TrimRight(string(header), "\r\n"), "\t"), nil
	}
	return l.dialect.reader(header).Read()
}

// quoted lists columns as fields name them.
func quoted(names []string) string {
	const most = 20
	var b strings.Builder
	for i, n := range names {
		if i == most {
			return b.String() + " and more"
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quote(document.PathTo(n)))
	}
	return b.String()
}

// quote quotes a field with its backslashes as they are typed.
func quote(field string) string { return strings.ReplaceAll(strconv.Quote(field), `\\`, `\`) }

// records returns by how much a chunk advances the number of the next record.
func (l *layout) records(data []byte) int {
	switch l.format {
	case JSON:
		return countValues(data)
	case CSV:
		return l.dialect.countRows(data)
	}
	lines := bytes.Count(data, []byte{'\n'})
	if l.format == Parquet && l.rows == RowsWhole {
		return lines / 2
	}
	return lines
}

// Unmarked returns a line without a byte order mark at its beginning. The mark stands at the beginning of a file, and of the lines
// at which files were joined.
func Unmarked(line []byte) []byte { return bytes.TrimPrefix(line, []byte(mark)) }
