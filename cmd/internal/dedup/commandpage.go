package dedup

import (
	"io"
	"maps"
	"slices"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/infile"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/internal/corpus"
)

// beginReport has what the page shows gathered, if a page is asked for.
func (r *dedupRun) beginReport(judge Judge) (err error) {
	if r.HTML == "" {
		return nil
	}
	least := r.Config.Judge.Similarity.Least()
	first := judge.Next() // an index file holds no texts
	r.report, err = NewReport(float64(least.Num)/float64(least.Den), first)
	return err
}

// page is the file of the page, if one is asked for.
func (r *dedupRun) page() outfile.Single {
	return outfile.Single{Flag: "html", Path: r.HTML, Stdout: r.cmd.OutOrStdout()}
}

// pageReady checks, before anything is read, whether the page can be written.
func (r *dedupRun) pageReady() error {
	onStdout := func(path string) bool { return path == corpus.Stdin }
	return r.page().Ready(r.JSON || slices.ContainsFunc(slices.Collect(maps.Values(r.outputs().Paths)), onStdout))
}

// writeReport writes the page, if one is asked for.
func (r *dedupRun) writeReport(summary Summary) error {
	if r.report == nil {
		return nil
	}
	told := Told{Summary: summary, Settings: r.Config.Judge.Similarity, Text: r.Config.Judge.Text}
	for _, flag := range []string{"matches", "representative", "memory"} {
		told.Flags = append(told.Flags, Line{Name: flag, Value: cmdline.Text(r.cmd, flag)})
	}
	for _, name := range OutputNames() {
		if path := r.outputs().Paths[name]; path != "" {
			told.Outputs = append(told.Outputs, Line{Name: name, Value: path})
		}
	}
	about := infile.About(r.cmd, append(r.Query[:len(r.Query):len(r.Query)], r.Old...), "unecho dedup", r.version)
	return r.page().Write(func(out io.Writer) error { return r.report.WritePage(out, about, told) })
}
