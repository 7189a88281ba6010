package parts

import (
	"errors"
	"fmt"
	"io"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/corpus/columnar"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

// OutputNames lists the outputs.
func OutputNames() []string { return []string{"unique", "duplicates", "removed", "rejected"} }

// Outputs are the files that the outcomes are written to.
type Outputs struct {
	*outfile.Outputs
	unique     outfile.Table // to nothing if not asked for, as the others
	duplicates *outfile.Records[emptiedLine]
	removed    *outfile.Records[removedLine]
	rejected   *outfile.Records[report.Rejected]

	refused report.Rejections
	keep    bool // rejected documents are among the unique ones, where they can be
	left    int  // those that are not
	places  report.Rows
	repeats report.Repeats
	counts  Counts
}

// Counts are the numbers of documents and parts so far.
type Counts struct {
	Documents    int64 `json:"documents"`
	Untouched    int64 `json:"untouched"`
	Cut          int64 `json:"cut"`
	Emptied      int64 `json:"emptied"` // nothing is left of them
	Rejected     int64 `json:"rejected"`
	Unit         Unit  `json:"unit"`
	Parts        int64 `json:"parts"` // of this unit
	Removed      int64 `json:"removed"`
	RemovedBytes int64 `json:"removed_bytes"` // of text
}

// Open opens the outputs, by OutputNames. Their old content stays until the first document comes. keep says that documents
// which cannot be read are to be among the unique ones, integers that all ids are integers.
func Open(paths map[string]string, stdout io.Writer, keep, integers bool) (*Outputs, error) {
	o := &Outputs{Outputs: outfile.NewOutputs(stdout), keep: keep}
	o.IntegerIDs = integers
	o.unique.Out = o.Open("unique", paths["unique"])
	o.duplicates = outfile.OpenRecords[emptiedLine](o.Outputs, "duplicates", paths["duplicates"])
	o.removed = outfile.OpenRecords[removedLine](o.Outputs, "removed", paths["removed"])
	o.rejected = outfile.OpenRecords[report.Rejected](o.Outputs, "rejected", paths["rejected"])
	if err := o.Opened(); err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return o, nil
}

// Add writes what became of a document.
func (o *Outputs) Add(d *Outcome) error {
	if err := o.Begin(); err != nil {
		return err
	}
	if err := o.unique.Below(d.Header); err != nil {
		return err
	}
	o.places.Add(o.counts.Documents, d.File, d.Row)
	o.repeats.Add(o.counts.Documents, d.Name, &o.places)
	o.counts.Documents++
	o.counts.Parts += int64(d.Parts)
	if d.Rejected != nil {
		return o.reject(d)
	}
	if err := o.writeRemoved(d); err != nil {
		return err
	}
	switch {
	case d.Emptied:
		o.counts.Emptied++
		return o.duplicates.JSON(&emptiedLine{
			ID: outfile.ID(d.Name), MatchID: outfile.ID(d.Removed[0].First), Method: "parts",
			Parts: len(d.Removed), File: outfile.Name(d.File), Row: d.Row, Line: d.Line,
			MatchFile: outfile.Name(d.Removed[0].FirstFile), MatchRow: d.Removed[0].FirstRow,
		})
	case len(d.Removed) > 0:
		o.counts.Cut++
	default:
		o.counts.Untouched++
	}
	return o.unique.Line(d.Raw)
}

func (o *Outputs) reject(d *Outcome) error {
	o.counts.Rejected++
	if o.rejected == nil || corpus.OfFile(d.Rejected, d.Row) {
		o.refused.Add(string(d.Name), d.Row, d.Rejected)
	}
	if err := o.rejected.JSON(report.NewRejected(d.Name, d.Rejected, d.File, d.Row, d.Line)); err != nil {
		return err
	}
	if !o.keep || len(d.Raw) == 0 || d.Rejected.Reason == corpus.WrongQuotes { // a wrong row would change those behind it
		o.left++
		return nil
	}
	return o.unique.Line(d.Raw)
}

// writeRemoved writes the parts that were removed.
func (o *Outputs) writeRemoved(d *Outcome) error {
	for i := range d.Removed {
		p := &d.Removed[i]
		o.counts.Removed++
		o.counts.RemovedBytes += int64(len(p.Text))
		err := o.removed.JSON(&removedLine{
			ID: outfile.ID(d.Name), At: p.At, Text: string(p.Text), First: outfile.ID(p.First),
			File: outfile.Name(d.File), Row: d.Row, Line: d.Line,
			FirstFile: outfile.Name(p.FirstFile), FirstRow: p.FirstRow,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Finish ends the outputs, and adds what goes wrong to err. Without a document the files are empty.
func (o *Outputs) Finish(err error) error {
	if err == nil {
		err = o.Begin()
	}
	return o.End(err)
}

// Report reports which documents could not be read, and that some are not written because nothing is left of them, unless
// a file says so.
func (o *Outputs) Report(out io.Writer) {
	o.repeats.Report(out, &o.places)
	o.refused.Report(out, report.Left(o.unique.Out != nil, o.keep, o.left))
	if n := o.counts.Emptied; n > 0 && o.duplicates == nil && o.removed == nil {
		fmt.Fprintf(out, "unecho: of %s nothing is left: --duplicates names them, --removed has their parts\n",
			terminal.Several(int(n), "document"))
	}
}

// removedLine is a line of --removed. Its JSON, and its columns of Parquet, are a promise to scripts, as those of the others.
type removedLine struct {
	ID    columnar.ID `json:"id"             parquet:"id"`
	At    int         `json:"at"             parquet:"at"` // in bytes of the document's text
	Text  string      `json:"text"           parquet:"text"`
	First columnar.ID `json:"first"          parquet:"first"` // the document that keeps it
	File  string      `json:"file"           parquet:"file,dict"`
	Row   int         `json:"row,omitempty"  parquet:"row,optional"`  // its number there, if it is not the whole file
	Line  int         `json:"line,omitempty" parquet:"line,optional"` // where the document begins

	FirstFile string `json:"first_file"          parquet:"first_file,dict"`
	FirstRow  int    `json:"first_row,omitempty" parquet:"first_row,optional"`
}

// emptiedLine is a line of --duplicates: a document of which nothing is left.
type emptiedLine struct {
	ID      columnar.ID `json:"id"             parquet:"id"`
	MatchID columnar.ID `json:"match_id"       parquet:"match_id"` // the document that keeps its first part
	Method  string      `json:"method"         parquet:"method,dict"`
	Parts   int         `json:"parts"          parquet:"parts"`
	File    string      `json:"file"           parquet:"file,dict"`
	Row     int         `json:"row,omitempty"  parquet:"row,optional"`
	Line    int         `json:"line,omitempty" parquet:"line,optional"`

	MatchFile string `json:"match_file"          parquet:"match_file,dict"`
	MatchRow  int    `json:"match_row,omitempty" parquet:"match_row,optional"`
}

// Summary is the result of a run. Its JSON is a promise to scripts.
type Summary struct {
	Counts
	Stats
	report.Cost
}

// Text is for people.
func (s Summary) Text() string {
	grouped := func(n int64) string { return terminal.Grouped(int(n)) }
	return fmt.Sprintf("%s: %s untouched, %s cut, %s emptied, %s rejected; %s of %s removed (%s bytes), %v\n",
		terminal.Several(int(s.Documents), "document"), grouped(s.Untouched), grouped(s.Cut), grouped(s.Emptied), grouped(s.Rejected),
		grouped(s.Removed), terminal.Several(int(s.Parts), string(s.Unit)), grouped(s.RemovedBytes), s.Cost)
}
