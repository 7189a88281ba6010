package dedup

import (
	"bytes"

	"github.com/unecho/unecho/cmd/internal/written"
	"github.com/unecho/unecho/internal/corpus"
)

// uniqueFile writes the unique documents. Those of tables come after the first line of their file, so that the output
// is a table again: the first such line is always written, and a different one before the first document that belongs
// to it.
type uniqueFile struct {
	out            *written.File
	rows           *tableFile // where the output is Parquet
	header, latest []byte     // first lines: of the documents to come; of the last one written
}

// below sets the first line of the documents to come, if they have one. It must stay valid.
func (u *uniqueFile) below(header []byte) error {
	u.header = header
	if len(u.latest) > 0 {
		return nil
	}
	return u.lead()
}

func (u *uniqueFile) document(raw []byte) error {
	if u.rows != nil {
		return u.rows.row(raw)
	}
	if err := u.lead(); err != nil {
		return err
	}
	return u.out.Line(raw)
}

func (u *uniqueFile) lead() error {
	line := corpus.Unmarked(u.header)
	if len(line) == 0 || bytes.Equal(line, corpus.Unmarked(u.latest)) {
		return nil
	}
	if len(u.latest) == 0 { // Excel and others know UTF-8 by the byte order mark
		line = u.header
	}
	u.latest = u.header
	return u.out.Line(line)
}
