package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/cmd/internal/written"
)

// dedupOutputs are the files that dedup writes. Those that can be are written as the verdicts fall; what needs to know the
// clusters waits for the end, the documents meanwhile in a temporary file.
type dedupOutputs struct {
	unique, duplicates, pairs, clusters, rejected *written.File // nil if not asked for
	files                                         written.Files

	options    *dedupOptions
	onTerminal bool   // one of them is
	begun      bool   // what the files held before is gone
	header     []byte // of the table that the document before stands in, where documents wait
	written    uniqueFile
	refused    corpus.Rejections
	first      int64 // number of the first document that is judged
	indexed    bool  // there are documents before it
	counts     dedup.Counts
	groups     *dedup.Groups // nil where nothing waits
	later      *spool        // nil where the unique documents don't wait
	shown      *shownPairs   // nil where they are not
	line       []byte
}

// dedupOutputNames are the flags of the outputs.
func dedupOutputNames() []string {
	return []string{"unique", "duplicates", "pairs", "clusters", "rejected"}
}

// dedupOutputPaths are the files that the outputs go to.
func dedupOutputPaths(cmd *cobra.Command) (paths []string) {
	for _, name := range dedupOutputNames() {
		if path := cmd.Flag(name).Value.String(); path != "" && path != "-" {
			paths = append(paths, path)
		}
	}
	return paths
}

func openDedupOutputs(cmd *cobra.Command, o *dedupOptions) (*dedupOutputs, error) {
	d := &dedupOutputs{options: o}
	asked := map[string]**written.File{
		"unique": &d.unique, "duplicates": &d.duplicates, "pairs": &d.pairs, "clusters": &d.clusters, "rejected": &d.rejected,
	}
	onStdout := ""
	for _, name := range dedupOutputNames() {
		path := cmd.Flag(name).Value.String()
		if path == "" {
			continue
		}
		if path == "-" && onStdout != "" {
			return nil, errors.Join(exit.Usage(fmt.Errorf("--%s and --%s cannot both go to standard output", onStdout, name)), d.close())
		}
		if path == "-" {
			onStdout = name
		}
		out, err := written.Open(path, cmd.OutOrStdout())
		if err != nil {
			return nil, errors.Join(err, d.close())
		}
		*asked[name] = out
		if err := d.files.Own(path); err != nil {
			return nil, errors.Join(err, d.close())
		}
	}
	if onStdout == "" && len(dedupOutputPaths(cmd)) == 0 && o.save == "" && !flagBool(cmd, "json") {
		d.unique, _ = written.Open("-", cmd.OutOrStdout())
	}
	d.onTerminal = slices.ContainsFunc(d.all(), func(out *written.File) bool { return out.OnStdout() }) && terminal.Is(cmd.OutOrStdout())
	d.written.out = d.unique
	return d, d.prepare(cmd)
}

// writes says whether a file is an output.
func (d *dedupOutputs) writes(info fs.FileInfo) bool { return d.files.Has(info) }

// prepare finds out what waits for the end.
func (d *dedupOutputs) prepare(cmd *cobra.Command) (err error) {
	if d.options.verbose {
		if d.shown, err = newShownPairs(cmd.ErrOrStderr(), d.options.config.Judge.Similarity); err != nil {
			return err
		}
	}
	if d.waits() && d.unique != nil {
		d.later, err = newSpool()
	}
	return err
}

// waits says that who is unique is known only at the end: a chain of matches may connect two clusters, or another document
// than the first stand for one.
func (d *dedupOutputs) waits() bool {
	return d.options.all || d.options.representative != dedup.First
}

// judge says which number the first document that is judged will have.
func (d *dedupOutputs) judge(first int64) {
	d.first, d.indexed = first, first > 0
	if d.waits() || d.clusters != nil {
		d.groups = dedup.NewGroups(d.options.representative, first)
	}
}

// begin empties the files, once documents are really read: before, a mistyped column would cost what they hold.
func (d *dedupOutputs) begin() error {
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

// remember takes a document of the index.
func (d *dedupOutputs) remember(o *dedup.Outcome) error {
	d.refused.Add(string(o.Name), o.Rejected)
	d.shown.add(o)
	return nil
}

// add takes a document that is judged.
func (d *dedupOutputs) add(o *dedup.Outcome) error {
	if err := errors.Join(d.begin(), d.table(o.Header)); err != nil {
		return err
	}
	d.counts.Add(o)
	d.shown.add(o)
	if d.groups != nil {
		d.groups.Add(o)
	}
	if o.Rejected != nil {
		if d.rejected == nil {
			d.refused.Add(string(o.Name), o.Rejected)
		}
		return d.rejected.JSON(rejectedLine{string(o.Name), string(o.Rejected.Reason), o.Rejected.Detail})
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
		return d.written.document(o.Raw)
	}
	return d.duplicates.JSON(d.duplicate(string(o.Name), best, string(best.Name)))
}

// table says which table the next unique document stands in, if any.
func (d *dedupOutputs) table(header []byte) error {
	if d.later == nil {
		return d.written.table(header)
	}
	if bytes.Equal(header, d.header) {
		return nil
	}
	d.header = header
	return d.later.add(noDocument, header)
}

// match takes the matches of a document that was added before.
func (d *dedupOutputs) match(number int64, found []dedup.Match) error {
	return d.verified(number, d.groups.Name(number), found)
}

// verified takes the matches of a document.
func (d *dedupOutputs) verified(number int64, name []byte, found []dedup.Match) error {
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
		d.line = written.AppendTSV(d.line[:0], string(m.Name), string(name), terminal.FourPlaces(m.Similarity.TenThousandths()))
		if err := d.pairs.Line(d.line); err != nil {
			return err
		}
	}
	return nil
}

func (d *dedupOutputs) duplicate(id string, m *dedup.Match, cluster string) duplicateLine {
	line := duplicateLine{
		ID: id, MatchID: string(m.Name), Similarity: json.Number(terminal.FourPlaces(m.Similarity.TenThousandths())),
		Method: m.Method.String(), Cluster: cluster,
	}
	if d.indexed {
		line.In = "query"
		if m.Number < d.first {
			line.In = "index"
		}
	}
	return line
}

// finish writes what has waited, and everything out.
func (d *dedupOutputs) finish() error {
	if err := d.begin(); err != nil {
		return err
	}
	if d.groups != nil {
		if err := d.finishGroups(d.groups); err != nil {
			return err
		}
	}
	return d.flush()
}

func (d *dedupOutputs) finishGroups(g *dedup.Groups) error {
	g.Choose()
	duplicate := int64(0)
	first, end := g.Numbers()
	for i := first; i < end; i++ {
		cluster := g.Cluster(i)
		if d.clusters != nil {
			d.line = written.AppendTSV(d.line[:0], string(g.Name(i)), string(g.Name(cluster)))
			if err := d.clusters.Line(d.line); err != nil {
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
		if err := d.duplicates.JSON(d.duplicate(string(g.Name(i)), &partner, string(g.Name(cluster)))); err != nil {
			return err
		}
	}
	d.counts.Unique += d.counts.Duplicate - duplicate
	d.counts.Duplicate = duplicate
	if d.later == nil {
		return nil
	}
	return d.later.each(func(number int64, raw []byte) error {
		switch {
		case number == noDocument:
			return d.written.table(bytes.Clone(raw))
		case g.Cluster(number) != number:
			return nil
		}
		return d.written.document(raw)
	})
}

func (d *dedupOutputs) all() []*written.File {
	all := []*written.File{d.unique, d.duplicates, d.pairs, d.clusters, d.rejected}
	return slices.DeleteFunc(all, func(out *written.File) bool { return out == nil })
}

// flush writes out what has been written so far.
func (d *dedupOutputs) flush() error {
	var all []error
	for _, out := range d.all() {
		all = append(all, out.Flush())
	}
	return errors.Join(all...)
}

func (d *dedupOutputs) close() error {
	var all []error
	for _, out := range d.all() {
		all = append(all, out.Close())
	}
	if d.later != nil {
		all = append(all, d.later.close())
	}
	return errors.Join(all...)
}

// duplicateLine is a line of --duplicates. Its JSON is a promise to scripts.
type duplicateLine struct {
	ID         string      `json:"id"`
	MatchID    string      `json:"match_id"`
	In         string      `json:"in,omitempty"` // where the match is: index or query; only where there is an index
	Similarity json.Number `json:"similarity"`
	Method     string      `json:"method"`
	Cluster    string      `json:"cluster"`
}

// rejectedLine is a line of --rejected.
type rejectedLine struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
	Detail string `json:"detail"`
}
