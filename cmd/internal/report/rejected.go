package report

import (
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/consumer/document"
)

// Rejected is a line of --rejected. Its JSON, and its columns of Parquet, are a promise to scripts.
type Rejected struct {
	ID     string `json:"id"             parquet:"id"`
	Reason string `json:"reason"         parquet:"reason,dict"`
	Detail string `json:"detail"         parquet:"detail"`
	File   string `json:"file"           parquet:"file,dict"`
	Row    int    `json:"row,omitempty"  parquet:"row,optional"`  // its number in the file, if it is not the whole file
	Line   int    `json:"line,omitempty" parquet:"line,optional"` // where the document begins, or what is wrong
}

// NewRejected returns the line of a document.
func NewRejected(id []byte, bad *document.Rejection, file string, row, line int) *Rejected {
	return &Rejected{
		ID: outfile.Name(id), Reason: string(bad.Reason), Detail: bad.Detail, File: outfile.Name(file), Row: row, Line: line,
	}
}
