package dedup

import "github.com/unecho/unecho/cmd/internal/outfile"

// uniqueFile writes the unique documents.
type uniqueFile struct {
	outfile.Table
	rows *tableFile // where the output is Parquet
}

func (u *uniqueFile) document(raw []byte) error {
	if u.rows != nil {
		return u.rows.row(raw)
	}
	return u.Line(raw)
}
