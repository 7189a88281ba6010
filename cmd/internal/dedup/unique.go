package dedup

import (
	"bytes"

	"github.com/unecho/unecho/cmd/internal/written"
)

// uniqueFile takes the unique documents. Those of tables stand below the first line of their file, so that they are a table
// again: the first such line is written in any case, and another one before the first document that stands below it.
type uniqueFile struct {
	out            *written.File
	header, latest []byte // of the documents that come; of those written
}

// below says which line the documents that come stand below, if any. It lives on.
func (u *uniqueFile) below(header []byte) error {
	u.header = header
	if len(u.latest) > 0 {
		return nil
	}
	return u.lead()
}

func (u *uniqueFile) document(raw []byte) error {
	if err := u.lead(); err != nil {
		return err
	}
	return u.out.Line(raw)
}

func (u *uniqueFile) lead() error {
	if len(u.header) == 0 || bytes.Equal(u.header, u.latest) {
		return nil
	}
	u.latest = u.header
	return u.out.Line(u.header)
}
