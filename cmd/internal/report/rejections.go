package report

import (
	"fmt"
	"io"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/corpus/columnar"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/document"
)

// Rejections count documents that cannot be compared, and keep why the first of them cannot.
type Rejections struct {
	Count int
	first string
	files []string // those that could not be read, as far as they are listed
	more  int      // the others
}

// mostFiles is how many files are named that could not be read.
const mostFiles = 20

// Add takes a document, by its name and its number in the file; without a rejection there is nothing to count.
func (r *Rejections) Add(name string, number int, bad *document.Rejection) {
	switch {
	case bad == nil:
		return
	case !corpus.OfFile(bad, number):
	case len(r.files) < mostFiles:
		r.files = append(r.files, name+": "+bad.Detail)
		return
	default:
		r.more++
		return
	}
	if r.Count++; r.Count == 1 {
		r.first = name + ": " + string(bad.Reason) + ": " + bad.Detail
	}
}

// Rejected is how many documents and files were rejected.
func (r *Rejections) Rejected() int { return r.Count + len(r.files) + r.more }

// Report writes a line for each file that could not be read, and one if documents were rejected; meaning says what
// follows from it.
func (r *Rejections) Report(out io.Writer, meaning string) {
	for _, file := range r.files {
		fmt.Fprintf(out, "unecho: %s\n", terminal.Printable(file, terminal.LongLine))
	}
	if r.more > 0 {
		fmt.Fprintf(out, "unecho: %s more could not be read\n", terminal.Several(r.more, "file"))
	}
	if r.Count > 0 {
		fmt.Fprintf(out, "unecho: %s rejected%s; the first is %s\n", terminal.Several(r.Count, "document"), meaning,
			terminal.Printable(r.first, terminal.LongLine))
	}
}

// Left says what became of documents that were rejected: whether unique ones are written, rejected ones are kept among them,
// and how many are not.
func Left(written, kept bool, left int) string {
	switch {
	case written && kept && left > 0:
		return fmt.Sprintf(", of which --keep-rejected cannot keep %s in --unique (--rejected lists them)", terminal.Grouped(left))
	case written && kept:
		return " and kept in --unique (--rejected lists them)"
	case written:
		return " and left out of --unique (--keep-rejected keeps them there, --rejected lists them)"
	}
	return " (--rejected lists them)"
}

// Rejected is a line of --rejected. Its JSON, and its columns of Parquet, are a promise to scripts.
type Rejected struct {
	ID     columnar.ID `json:"id"             parquet:"id"`
	Reason string      `json:"reason"         parquet:"reason,dict"`
	Detail string      `json:"detail"         parquet:"detail"`
	File   string      `json:"file"           parquet:"file,dict"`
	Row    int         `json:"row,omitempty"  parquet:"row,optional"`  // its number in the file, if it is not the whole file
	Line   int         `json:"line,omitempty" parquet:"line,optional"` // where the document begins, or what is wrong
}

// NewRejected returns the line of a document.
func NewRejected(id []byte, bad *document.Rejection, file string, row, line int) *Rejected {
	return &Rejected{
		ID: outfile.ID(id), Reason: string(bad.Reason), Detail: bad.Detail, File: outfile.Name(file), Row: row, Line: line,
	}
}
