package dedup

import (
	"errors"
	"fmt"
	"io"

	"github.com/unecho/unecho/cmd/internal/exit"
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

// onlyStdout refuses a second output to standard output beside the page.
func (r *dedupRun) onlyStdout() error {
	if r.HTML != corpus.Stdin {
		return nil
	}
	for _, path := range r.outputs().Paths {
		if path == corpus.Stdin {
			return exit.Usage(errors.New("--html -: standard output is taken already"))
		}
	}
	if r.JSON {
		return exit.Usage(errors.New("--html -: standard output is taken already"))
	}
	return nil
}

// writeReport writes the page, if one is asked for.
func (r *dedupRun) writeReport(summary Summary) error {
	if r.report == nil {
		return nil
	}
	told := Told{Summary: summary, Settings: r.Config.Judge.Similarity, Text: r.Config.Judge.Text}
	for _, flag := range []string{"matches", "representative", "memory"} {
		told.Flags = append(told.Flags, Line{Name: flag, Value: r.cmd.Flag(flag).Value.String()})
	}
	for _, name := range OutputNames() {
		if path := r.outputs().Paths[name]; path != "" {
			told.Outputs = append(told.Outputs, Line{Name: name, Value: path})
		}
	}
	about := infile.About(r.cmd, append(r.Query[:len(r.Query):len(r.Query)], r.Old...), "unecho dedup", r.version)
	write := func(out io.Writer) error { return r.report.WritePage(out, about, told) }
	if r.HTML == corpus.Stdin {
		return write(r.cmd.OutOrStdout())
	}
	return outfile.Replace(r.HTML, 0o666, write)
}

// pageReady checks, before anything is read, whether the page can be written.
func (r *dedupRun) pageReady() error {
	if err := r.onlyStdout(); err != nil || r.HTML == "" || r.HTML == corpus.Stdin {
		return err
	}
	if err := outfile.Replaceable(r.HTML); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}
