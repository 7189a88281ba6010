package dedup

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/corpus/columnar"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index"
)

// OutputParams say what is written, and where to.
type OutputParams struct {
	Paths          map[string]string // by OutputNames; - is Stdout, empty is not written
	Stdout         io.Writer
	Shown          io.Writer // verified pairs are shown here with their sketches; nil shows none
	Similarity     index.DuplicatesParams
	All            bool // a document may have several matches, or has them at the end
	Representative Representative
	Report         *Report          // gathers what a page shows; nil if there is none
	Schema         *columnar.Schema // of all rows, where some are written as Parquet
	Keep           bool             // rejected documents are among the unique ones, where they can be
	IntegerIDs     bool             // all ids are integers
}

// Outputs are the files that the verdicts are written to. Outputs that depend on a single verdict are written at once.
// Those that depend on the clusters are written at the end; meanwhile the documents are in a temporary file.
type Outputs struct {
	*outfile.Outputs
	unique, listed *outfile.File // nil if not asked for, as the others
	duplicates     *outfile.Records[duplicateLine]
	pairs          *outfile.Records[pairLine]
	clusters       *outfile.Records[clusterLine]
	rejected       *outfile.Records[report.Rejected]
	cut            *outfile.Records[cutLine]

	params    OutputParams
	annotated *annotatedFile

	header  []byte // first line of the previous document's table, if documents wait
	table   uniqueFile
	refused report.Rejections
	places  report.Rows
	repeats report.Repeats
	left    int   // rejected documents that are not among the unique ones
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
	return []string{"unique", "duplicates", "pairs", "clusters", "groups", "rejected", "cut", "annotated"}
}

// OpenOutputs opens the outputs. Their old content stays until the first document is judged.
func OpenOutputs(p OutputParams) (*Outputs, error) {
	if path := p.Paths["groups"]; outfile.IsTable(path) {
		return nil, exit.Usage(fmt.Errorf("--groups %s: lists of ids have no columns: name it otherwise, or write --clusters, which "+
			"have columns, as Parquet", path))
	}
	d := &Outputs{params: p, Outputs: outfile.NewOutputs(p.Stdout)}
	if p.Report != nil {
		p.Report.places = &d.places
	}
	d.IntegerIDs = p.IntegerIDs
	err := d.open(p.Paths)
	if err == nil && outfile.IsTable(p.Paths["unique"]) {
		d.table.rows, err = newTableFile(d.unique, p.Schema)
	}
	if err == nil && p.Shown != nil {
		d.shown, err = newShownPairs(p.Shown, p.Similarity)
	}
	if err == nil && d.waits() && d.unique != nil {
		d.later, err = newSpool()
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Outputs) open(paths map[string]string) error {
	d.unique = d.Open("unique", paths["unique"])
	d.duplicates = outfile.OpenRecords[duplicateLine](d.Outputs, "duplicates", paths["duplicates"])
	d.pairs = outfile.OpenRecords[pairLine](d.Outputs, "pairs", paths["pairs"])
	d.clusters = outfile.OpenRecords[clusterLine](d.Outputs, "clusters", paths["clusters"])
	d.listed = d.Open("groups", paths["groups"])
	d.cut = outfile.OpenRecords[cutLine](d.Outputs, "cut", paths["cut"])
	d.rejected = outfile.OpenRecords[report.Rejected](d.Outputs, "rejected", paths["rejected"])
	d.table.Out = d.unique
	annotated := d.Open("annotated", paths["annotated"])
	if err := d.Opened(); annotated == nil || err != nil {
		return err
	}
	schema := d.params.Schema
	if !outfile.IsTable(paths["annotated"]) {
		schema = nil
	}
	var err error
	d.annotated, err = newAnnotatedFile(annotated, schema, d.IntegerIDs, d.waits())
	return err
}

// note notes where a document is. One that was noted before the run was stopped is passed over.
func (d *Outputs) note(number int64, name []byte, file string, row int) {
	if number < d.places.Next() {
		return
	}
	d.places.Add(number, file, row)
	d.repeats.Add(number, name, &d.places)
}

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

// remember adds a document of the index.
func (d *Outputs) remember(o *Outcome) error {
	d.note(o.Number, o.Name, o.File, o.Row)
	d.refused.Add(string(o.Name), o.Row, o.Rejected)
	d.shown.add(o)
	if o.Rejected == nil {
		d.usable++
	}
	return d.params.Report.remember(o)
}

func (d *Outputs) add(o *Outcome) error {
	if err := errors.Join(d.Begin(), d.below(o.Header), d.params.Report.add(o)); err != nil {
		return err
	}
	d.note(o.Number, o.Name, o.File, o.Row)
	d.counts.Add(o)
	if best := o.Best(); best != nil && d.params.Similarity.Doubtful(best.Method, best.Similarity) {
		d.counts.Doubtful++
	}
	d.shown.add(o)
	if d.groups != nil {
		d.groups.Add(o)
	}
	if err := d.annotate(o); err != nil {
		return err
	}
	if o.Rejected != nil {
		return d.reject(o)
	}
	if err := errors.Join(d.verified(o.Number, o.Name, o.Matches), d.writeCut(o)); err != nil {
		return err
	}
	if d.later != nil {
		return d.wait(o)
	}
	best := o.Best()
	switch {
	case d.waits():
		return nil
	case best == nil:
		return d.table.document(o.File, o.Row, o.Raw)
	}
	return d.duplicates.JSON(d.duplicate(o.Number, o.Name, best, best.Number, best.Name))
}

// writeCut writes which document was not compared with all that may be like it.
func (d *Outputs) writeCut(o *Outcome) error {
	if !o.Cut {
		return nil
	}
	line := cutLine{ID: outfile.ID(o.Name)}
	line.File, line.Row = d.rowOf(o.Number, string(o.Name))
	return d.cut.JSON(&line)
}

// reject writes why a document cannot be compared, and if it is to be kept, the document itself. What has no end, such as a row
// with a wrong quotation mark, would change what is written behind it.
func (d *Outputs) reject(o *Outcome) error {
	if d.rejected == nil || corpus.OfFile(o.Rejected, o.Row) {
		d.refused.Add(string(o.Name), o.Row, o.Rejected)
	}
	if err := d.rejected.JSON(report.NewRejected(o.Name, o.Rejected, o.File, o.Row, o.Line)); err != nil {
		return err
	}
	switch {
	case !d.params.Keep || len(o.Raw) == 0 || o.Rejected.Reason == corpus.WrongQuotes:
		d.left++
		return nil
	case d.later != nil:
		return d.wait(o)
	}
	return d.table.document(o.File, o.Row, o.Raw)
}

// wait keeps a document until it is known whether it is unique. A row that is read anew needs its place only.
func (d *Outputs) wait(o *Outcome) error {
	if d.table.rows != nil {
		return d.later.add(o.Number, nil)
	}
	return d.later.add(o.Number, o.Raw)
}

// below notes the first line of the next unique document's table, if it is in one.
func (d *Outputs) below(header []byte) error {
	if d.later == nil {
		return d.table.Below(header)
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
		if err := d.pair(number, string(name), m); err != nil {
			return err
		}
	}
	return nil
}

// pair writes a document and one before it.
func (d *Outputs) pair(number int64, b string, m *Match) error {
	a := string(m.Name)
	line := pairLine{A: outfile.ID(a), B: outfile.ID(b), Similarity: fourDecimalsOf(m.Similarity)}
	line.AFile, line.ARow = d.rowOf(m.Number, a)
	line.BFile, line.BRow = d.rowOf(number, b)
	return d.pairs.TSV(&line, a, b, terminal.FourDecimals(m.Similarity.TenThousandths()), line.AFile, rowText(line.ARow),
		line.BFile, rowText(line.BRow))
}

// rowOf returns where a document is, as it is written.
func (d *Outputs) rowOf(number int64, name string) (file string, row int) {
	file, row = d.places.Of(number, name)
	return outfile.Name(file), row
}

func (d *Outputs) duplicate(number int64, name []byte, m *Match, cluster int64, of []byte) *duplicateLine {
	line := &duplicateLine{
		ID: outfile.ID(name), MatchID: outfile.ID(m.Name), Similarity: fourDecimalsOf(m.Similarity), Method: m.Method.String(),
		Cluster: outfile.ID(of),
	}
	line.File, line.Row = d.rowOf(number, string(name))
	line.MatchFile, line.MatchRow = d.rowOf(m.Number, string(m.Name))
	line.ClusterFile, line.ClusterRow = d.rowOf(cluster, string(of))
	if d.indexed {
		line.In = "query"
		if m.Number < d.first {
			line.In = "index"
		}
	}
	return line
}

// finish writes the documents that have waited, and ends all outputs.
func (d *Outputs) finish() error {
	if err := d.Begin(); err != nil {
		return err
	}
	if d.groups != nil {
		if err := d.finishGroups(d.groups); err != nil {
			return err
		}
	}
	return d.End(nil)
}

func (d *Outputs) finishGroups(g *Groups) error {
	g.Choose()
	if err := d.list(g); err != nil {
		return err
	}
	d.params.Report.group(g)
	duplicate := int64(0)
	first, end := g.Numbers()
	for i := first; i < end; i++ {
		cluster := g.Cluster(i)
		if d.clusters != nil {
			if err := d.cluster(g, i, cluster); err != nil {
				return err
			}
		}
		if cluster == i {
			continue
		}
		duplicate++
		if !d.waits() {
			continue
		}
		partner := g.Partner(i)
		if err := d.duplicates.JSON(d.duplicate(i, g.Name(i), &partner, cluster, g.Name(cluster))); err != nil {
			return err
		}
	}
	d.counts.Unique += d.counts.Duplicate - duplicate
	d.counts.Duplicate = duplicate
	if err := d.finishAnnotated(g); err != nil || d.later == nil {
		return err
	}
	return d.later.each(func(number int64, raw []byte) error {
		switch {
		case number == noDocument:
			return d.table.Below(bytes.Clone(raw))
		case g.Cluster(number) != number:
			return nil
		}
		file, row := d.places.Of(number, "")
		return d.table.document(file, row, raw)
	})
}

// cluster writes which cluster a document is in.
func (d *Outputs) cluster(g *Groups, number, cluster int64) error {
	name, of := string(g.Name(number)), string(g.Name(cluster))
	line := clusterLine{ID: outfile.ID(name), Cluster: outfile.ID(of)}
	line.File, line.Row = d.rowOf(number, name)
	line.ClusterFile, line.ClusterRow = d.rowOf(cluster, of)
	return d.clusters.TSV(&line, name, of, line.File, rowText(line.Row), line.ClusterFile, rowText(line.ClusterRow))
}

// Close closes all files. What was not ended is lost.
func (d *Outputs) Close() error {
	all := []error{d.table.rows.close(), d.annotated.close(), d.Outputs.Close()}
	if d.later != nil {
		all = append(all, d.later.close())
	}
	return errors.Join(all...)
}
