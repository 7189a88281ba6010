package outfile

import (
	"bytes"

	"github.com/unecho/unecho/cmd/internal/corpus"
)

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
