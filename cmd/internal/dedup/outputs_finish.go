package dedup

import (
	"bytes"
	"errors"

	"github.com/unecho/unecho/cmd/internal/outfile"
)

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
	if d.later == nil {
		return nil
	}
	return d.later.each(func(number int64, raw []byte) error {
		switch {
		case number == noDocument:
			return d.table.Below(bytes.Clone(raw))
		case g.Cluster(number) != number:
			return nil
		}
		return d.table.document(raw)
	})
}

// cluster writes which cluster a document is in.
func (d *Outputs) cluster(g *Groups, number, cluster int64) error {
	name, of := string(g.Name(number)), string(g.Name(cluster))
	line := clusterLine{ID: outfile.Name(name), Cluster: outfile.Name(of)}
	line.File, line.Row = d.rowOf(number, name)
	line.ClusterFile, line.ClusterRow = d.rowOf(cluster, of)
	return d.clusters.TSV(&line, name, of, line.File, rowText(line.Row), line.ClusterFile, rowText(line.ClusterRow))
}

// Close closes all files. What was not ended is lost.
func (d *Outputs) Close() error {
	all := []error{d.table.rows.close(), d.Outputs.Close()}
	if d.later != nil {
		all = append(all, d.later.close())
	}
	return errors.Join(all...)
}
