package corpus

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/sink"
)

// Params say how files become documents.
type Params struct {
	Format   string
	Fields   []string          // where the text is: fields of JSON objects (document.ParsePath), columns of a table
	ID       string            // the field or column with the id; a record without one has its number as its name
	MustID   bool              // it is a mistake if no document has the id
	Asked    []string          // those of LayoutFlags that were given: it is a mistake if they decide nothing in any file
	Called   *strings.Replacer // what details of rejected documents call settings; nil: as they are
	Strict   bool              // the first record that is rejected is an error
	Kept     bool              // Raw is wanted of files, too, that are one document and larger than Document allows
	Rows     RowsAs
	Objects  bool // each file must be one of objects, to which fields can be added: JSON or Parquet
	Comma    byte // between the columns of CSV; 0 is a comma, and any other makes tables of files that have no format by name
	Lenient  bool // quotation marks may stand anywhere in CSV
	Document document.Params
}

// RowsAs says what Raw is of a row of Parquet.
type RowsAs uint8

// What Raw is of a row.
const (
	RowsWhole  RowsAs = iota // the row as a JSON object
	RowsWanted               // of it, the columns with text, id and scope
)

// DefaultParams finds the format by the file's name, the text in text and the id in id.
func DefaultParams() Params {
	return Params{Format: Auto, Fields: []string{"text"}, ID: "id", Document: document.DefaultParams()}
}

func (p Params) validate() error {
	if !slices.Contains(Formats(), p.Format) {
		return fmt.Errorf("read documents: format %q is not one of %s", p.Format, strings.Join(Formats(), ", "))
	}
	if len(p.Fields) == 0 {
		return fmt.Errorf("read documents: no field is named that holds the text")
	}
	if p.Comma == '"' || p.Comma == '\n' || p.Comma == '\r' || p.Comma >= utf8.RuneSelf {
		return &MistakeError{fmt.Sprintf("--delimiter %q: name one character of ASCII that is no quotation mark or line break", p.Comma)}
	}
	return nil
}

// lax says whether one of several fields may be missing.
func (p Params) lax() bool { return !p.Document.Rejects(sink.MissingField) }

func (p Params) dialect() dialect {
	if p.Comma == 0 {
		return dialect{',', p.Lenient}
	}
	return dialect{p.Comma, p.Lenient}
}
