package dedup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/reports"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/cmd/internal/written"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/internal/columnar"
	"github.com/unecho/unecho/internal/corpus"
)

// OutputParams say what is written, and where to.
type OutputParams struct {
	Paths          map[string]string // by OutputNames; - is Stdout, empty is not written
	Stdout         io.Writer
	Shown          io.Writer // verified pairs are shown here with their sketches; nil shows none
	Similarity     index.SimilarityParams
	All            bool // a document may have several matches, or has them at the end
	Representative Representative
	Report         *Report          // gathers what a page shows; nil if there is none
	Schema         *columnar.Schema // of the unique rows, where they are written as Parquet
}

// Outputs are the files that the verdicts are written to. Outputs that depend on a single verdict are written at once.
// Those that depend on the clusters are written at the end; meanwhile the documents are in a temporary file.
type Outputs struct {
	unique, duplicates, pairs, clusters, listed, rejected *written.File // nil if not asked for
	files                                                 written.Files

	params  OutputParams
	begun   bool   // the old content of the files is deleted
	header  []byte // first line of the previous document's table, if documents wait
	table   uniqueFile
	refused reports.Rejections
	first   int64 // number of the first document that is judged
	usable  int64 // documents of the index that are not rejected
	indexed bool  // there are documents before it
	counts  Counts
	groups  *Groups     // nil if nothing waits
	later   *spool      // nil if the unique documents do not wait
	shown   *shownPairs // nil if they are not shown
	line    []byte
}

// OutputNames lists the outputs.
func OutputNames() []string {
	return []string{"unique", "duplicates", "pairs", "clusters", "groups", "rejected"}
}

// OpenOutputs opens the outputs. Their old content stays until the first document is judged.
func OpenOutputs(p OutputParams) (*Outputs, error) {
	d := &Outputs{params: p}
	asked := map[string]**written.File{
		"unique": &d.unique, "duplicates": &d.duplicates, "pairs": &d.pairs, "clusters": &d.clusters, "groups": &d.listed,
		"rejected": &d.rejected,
	}
	onStdout := ""
	for _, name := range OutputNames() {
		path := p.Paths[name]
		if path == "" {
			continue
		}
		if name != "unique" && IsTable(path) {
			return nil, errors.Join(exit.Usage(fmt.Errorf("--%s %s: only the unique documents are written as Parquet: name it otherwise",
				name, path)), d.Close())
		}
		if path == corpus.Stdin && onStdout != "" {
			return nil, errors.Join(exit.Usage(fmt.Errorf("--%s and --%s cannot both go to standard output", onStdout, name)), d.Close())
		}
		if path == corpus.Stdin {
			onStdout = name
		}
		out, err := written.Open(path, p.Stdout)
		if err != nil {
			return nil, errors.Join(err, d.Close())
		}
		*asked[name] = out
		if err := d.files.Own(path, p.Stdout); err != nil {
			return nil, errors.Join(err, d.Close())
		}
	}
	d.table.out = d.unique
	var err error
	if p.Schema != nil {
		if d.table.rows, err = newTableFile(d.unique, p.Schema); err != nil {
			return nil, errors.Join(err, d.Close())
		}
	}
	if p.Shown != nil {
		if d.shown, err = newShownPairs(p.Shown, p.Similarity); err != nil {
			return nil, errors.Join(err, d.Close())
		}
	}
	if d.waits() && d.unique != nil {
		d.later, err = newSpool()
	}
	return d, err
}

// OnTerminal says whether an output is written to the terminal, between messages and progress.
func (d *Outputs) OnTerminal() bool {
	return slices.ContainsFunc(d.all(), (*written.File).OnStdout) && terminal.Is(d.params.Stdout)
}

// KeepsUnique says whether the unique documents are written.
func (d *Outputs) KeepsUnique() bool { return d.unique != nil }

// Writes says whether a file is an output. A list of files that is still being made may name one.
func (d *Outputs) Writes(info fs.FileInfo) bool { return d.files.Has(info) }

// TellRejected reports how many documents cannot be compared, unless they are written to a file of their own.
func (d *Outputs) TellRejected(out io.Writer) { d.refused.Tell(out, "") }

// waits says whether the unique documents are known only at the end, because a chain of matches may connect two
// clusters, or a later document than the first may represent one.
func (d *Outputs) waits() bool {
	return d.params.All || d.params.Representative != First
}

// judge is called before the first Add. It sets the number of the first document that is judged.
func (d *Outputs) judge(first int64) {
	d.first, d.indexed = first, first > 0
	if d.waits() || d.clusters != nil || d.listed != nil || d.params.Report != nil {
		d.groups = NewGroups(d.params.Representative, first)
	}
}

// begin empties the files once the first document was read: before that, a mistyped column would destroy their content.
func (d *Outputs) begin() error {
	if d.begun {
		return nil
	}
	d.begun = true
	for _, out := range d.all() {
		if err := out.Begin(); err != nil {
			return err
		}
	}
	return nil
}

// remember adds a document of the index.
func (d *Outputs) remember(o *Outcome) error {
	d.refused.Add(string(o.Name), o.Rejected)
	d.shown.add(o)
	if o.Rejected == nil {
		d.usable++
	}
	return d.params.Report.remember(o)
}

// add adds a judged document.
func (d *Outputs) add(o *Outcome) error {
	if err := errors.Join(d.begin(), d.below(o.Header), d.params.Report.add(o)); err != nil {
		return err
	}
	d.counts.Add(o)
	d.shown.add(o)
	if d.groups != nil {
		d.groups.Add(o)
	}
	if o.Rejected != nil {
		if d.rejected == nil || corpus.OfFile(o.Rejected.Reason) {
			d.refused.Add(string(o.Name), o.Rejected)
		}
		return d.rejected.JSON(rejectedLine{
			written.Name(o.Name), string(o.Rejected.Reason), o.Rejected.Detail, written.Name(o.File), o.Line,
		})
	}
	if err := d.verified(o.Number, o.Name, o.Matches); err != nil {
		return err
	}
	if d.later != nil {
		return d.later.add(o.Number, o.Raw)
	}
	best := o.Best()
	switch {
	case d.waits():
		return nil
	case best == nil:
		return d.table.document(o.Raw)
	}
	return d.duplicates.JSON(d.duplicate(string(o.Name), best, string(best.Name)))
}

// below notes the first line of the next unique document's table, if it is in one.
func (d *Outputs) below(header []byte) error {
	if d.later == nil {
		return d.table.below(header)
	}
	if bytes.Equal(header, d.header) {
		return nil
	}
	d.header = header
	return d.later.add(noDocument, header)
}

// match adds the matches of a document that was added before.
func (d *Outputs) match(number int64, found []Match) error {
	return d.verified(number, d.groups.Name(number), found)
}

// verified writes the matches of a document.
func (d *Outputs) verified(number int64, name []byte, found []Match) error {
	d.params.Report.met(number, name, found)
	for i := range found {
		m := &found[i]
		if d.groups != nil {
			d.groups.Join(number, m)
		}
		if err := d.shown.show(number, name, m); err != nil {
			return err
		}
		if d.pairs == nil {
			continue
		}
		d.line = written.AppendTSV(d.line[:0], string(m.Name), string(name),
			terminal.FourPlaces(m.Similarity.TenThousandths()))
		if err := d.pairs.Line(d.line); err != nil {
			return err
		}
	}
	return nil
}

func (d *Outputs) duplicate(id string, m *Match, cluster string) duplicateLine {
	line := duplicateLine{
		ID: written.Name(id), MatchID: written.Name(m.Name), Similarity: json.Number(terminal.FourPlaces(m.Similarity.TenThousandths())),
		Method: m.Method.String(), Cluster: written.Name(cluster),
	}
	if d.indexed {
		line.In = "query"
		if m.Number < d.first {
			line.In = "index"
		}
	}
	return line
}
