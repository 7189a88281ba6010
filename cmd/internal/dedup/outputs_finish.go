package dedup

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/unecho/unecho/cmd/internal/written"
)

// finish writes the documents that have waited, and flushes all outputs.
func (d *Outputs) finish() error {
	if err := d.begin(); err != nil {
		return err
	}
	if d.groups != nil {
		if err := d.finishGroups(d.groups); err != nil {
			return err
		}
	}
	return d.flush(nil)
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
			return d.table.below(bytes.Clone(raw))
		case g.Cluster(number) != number:
			return nil
		}
		return d.table.document(raw)
	})
}

func (d *Outputs) all() []*written.File {
	all := []*written.File{d.unique, d.duplicates, d.pairs, d.clusters, d.listed, d.rejected}
	return slices.DeleteFunc(all, func(out *written.File) bool { return out == nil })
}

// flush writes what is buffered, and adds what goes wrong to err. A file that ended with err returns that again.
func (d *Outputs) flush(err error) error {
	all := []error{err}
	if d.begun {
		all = append(all, d.table.rows.end())
	}
	for _, out := range d.all() {
		if more := out.Flush(); !errors.Is(err, more) {
			all = append(all, more)
		}
	}
	return errors.Join(all...)
}

// Close closes all files. What was not flushed is lost.
func (d *Outputs) Close() error {
	var all []error
	if d.table.rows != nil && !d.begun {
		all = append(all, d.table.rows.table.Close())
	}
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
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"` // where the document begins, or what is wrong
}
