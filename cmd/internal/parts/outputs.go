package parts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/reports"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/cmd/internal/written"
	"github.com/unecho/unecho/internal/corpus"
)

// OutputNames lists the outputs.
func OutputNames() []string { return []string{"unique", "duplicates", "removed", "rejected"} }

// Outputs are the files that the outcomes are written to.
type Outputs struct {
	unique, duplicates, removed, rejected *written.File // nil if not asked for

	stdout         io.Writer
	files          written.Files
	begun          bool
	header, latest []byte // first lines: of the documents to come; of the last one written
	refused        reports.Rejections
	counts         Counts
}

// Counts are the numbers of documents and parts so far.
type Counts struct {
	Documents, Untouched, Cut, Emptied, Rejected int64
	Parts, Removed, RemovedBytes                 int64
}

// Open opens the outputs, by OutputNames. Their old content stays until the first document comes.
func Open(paths map[string]string, stdout io.Writer) (*Outputs, error) {
	o := &Outputs{stdout: stdout}
	asked := map[string]**written.File{
		"unique": &o.unique, "duplicates": &o.duplicates, "removed": &o.removed, "rejected": &o.rejected,
	}
	onStdout := ""
	for _, name := range OutputNames() {
		path := paths[name]
		if path == "" {
			continue
		}
		if path == corpus.Stdin {
			if onStdout != "" {
				return nil, errors.Join(exit.Usage(fmt.Errorf("--%s and --%s cannot both go to standard output", onStdout, name)), o.Close())
			}
			onStdout = name
		}
		out, err := written.Open(path, stdout)
		if err != nil {
			return nil, errors.Join(err, o.Close())
		}
		*asked[name] = out
		if err := o.files.Own(path, stdout); err != nil {
			return nil, errors.Join(err, o.Close())
		}
	}
	return o, nil
}

// Writes says whether a file is an output. A list of files that is still being made may name one.
func (o *Outputs) Writes(info fs.FileInfo) bool { return o.files.Has(info) }

// OnTerminal says whether an output is written to the terminal, between messages and progress.
func (o *Outputs) OnTerminal() bool {
	return slices.ContainsFunc(o.all(), (*written.File).OnStdout) && terminal.Is(o.stdout)
}

// Counts returns the numbers so far.
func (o *Outputs) Counts() Counts { return o.counts }

func (o *Outputs) all() []*written.File {
	all := []*written.File{o.unique, o.duplicates, o.removed, o.rejected}
	return slices.DeleteFunc(all, func(out *written.File) bool { return out == nil })
}

// begin empties the files once the first document was read: before that, a mistyped column would destroy their content.
func (o *Outputs) begin() error {
	if o.begun {
		return nil
	}
	o.begun = true
	for _, out := range o.all() {
		if err := out.Begin(); err != nil {
			return err
		}
	}
	return nil
}

// Add writes what became of a document.
func (o *Outputs) Add(d *Outcome) error {
	if err := o.begin(); err != nil {
		return err
	}
	if o.header = d.Header; len(o.latest) == 0 {
		if err := o.lead(); err != nil {
			return err
		}
	}
	o.counts.Documents++
	o.counts.Parts += int64(d.Parts)
	if d.Rejected != nil {
		return o.reject(d)
	}
	if err := o.tell(d); err != nil {
		return err
	}
	switch {
	case d.Emptied:
		o.counts.Emptied++
		return o.duplicates.JSON(emptiedLine{
			ID: written.Name(d.Name), MatchID: written.Name(d.Removed[0].First), Method: "parts",
			Parts: len(d.Removed), File: written.Name(d.File), Line: d.Line,
		})
	case len(d.Removed) > 0:
		o.counts.Cut++
	default:
		o.counts.Untouched++
	}
	if err := o.lead(); err != nil {
		return err
	}
	return o.unique.Line(d.Raw)
}

// lead writes the first line of the next document's table, if another one was written last.
func (o *Outputs) lead() error {
	if len(o.header) == 0 || bytes.Equal(o.header, o.latest) {
		return nil
	}
	o.latest = o.header
	return o.unique.Line(o.header)
}

func (o *Outputs) reject(d *Outcome) error {
	o.counts.Rejected++
	if o.rejected == nil || corpus.OfFile(d.Rejected.Reason) {
		o.refused.Add(string(d.Name), d.Rejected)
	}
	return o.rejected.JSON(rejectedLine{
		written.Name(d.Name), string(d.Rejected.Reason), d.Rejected.Detail, written.Name(d.File), d.Line,
	})
}

// tell writes the parts that were removed.
func (o *Outputs) tell(d *Outcome) error {
	for i := range d.Removed {
		p := &d.Removed[i]
		o.counts.Removed++
		o.counts.RemovedBytes += int64(len(p.Text))
		err := o.removed.JSON(removedLine{
			ID: written.Name(d.Name), At: p.At, Text: string(p.Text), First: written.Name(p.First),
			File: written.Name(d.File), Line: d.Line,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Finish writes what is buffered, and adds what goes wrong to err. Without a document the files are empty.
func (o *Outputs) Finish(err error) error {
	all := []error{err}
	if err == nil {
		all = append(all, o.begin())
	}
	for _, out := range o.all() {
		if more := out.Flush(); !errors.Is(err, more) {
			all = append(all, more)
		}
	}
	return errors.Join(all...)
}

// Tell reports which documents could not be read, and that some are not written because nothing is left of them, unless
// a file says so.
func (o *Outputs) Tell(out io.Writer) {
	o.refused.Tell(out, "")
	if n := o.counts.Emptied; n > 0 && o.duplicates == nil && o.removed == nil {
		fmt.Fprintf(out, "unecho: of %s nothing is left: --duplicates names them, --removed has their parts\n",
			terminal.Several(int(n), "document"))
	}
}

// Close closes all files. What was not flushed is lost.
func (o *Outputs) Close() error {
	var all []error
	for _, out := range o.all() {
		all = append(all, out.Close())
	}
	return errors.Join(all...)
}

// removedLine is a line of --removed. Its JSON is a promise to scripts, as that of the others.
type removedLine struct {
	ID    string `json:"id"`
	At    int    `json:"at"` // in bytes of the document's text
	Text  string `json:"text"`
	First string `json:"first"` // the document that keeps it
	File  string `json:"file"`
	Line  int    `json:"line,omitempty"` // where the document begins
}

// emptiedLine is a line of --duplicates: a document of which nothing is left.
type emptiedLine struct {
	ID      string `json:"id"`
	MatchID string `json:"match_id"` // the document that keeps its first part
	Method  string `json:"method"`
	Parts   int    `json:"parts"`
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
}

// rejectedLine is a line of --rejected.
type rejectedLine struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
	Detail string `json:"detail"`
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"` // where the document begins, or what is wrong
}
