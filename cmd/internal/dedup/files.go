package dedup

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/outfile"
)

// open checks all named files before anything is written. old is nil if there is no --index, query if there are no
// other files.
func (r *dedupRun) open() (old, query *Input, err error) {
	spared, err := r.willWrite()
	if err != nil {
		return nil, nil, err
	}
	if err := r.pageReady(); err != nil {
		return nil, nil, err
	}
	if r.Save != "" {
		if err := outfile.Replaceable(r.Save); err != nil {
			return nil, nil, fmt.Errorf("save index: %w", err)
		}
	}
	if len(r.Old) > 0 {
		if old, err = r.openFiles("", r.Old, spared, corpus.RowsWanted); err != nil {
			return nil, nil, err
		}
	}
	if r.Only() {
		return old, nil, nil
	}
	rows := corpus.RowsWanted
	switch unique := r.outputs().Paths["unique"]; {
	case outfile.IsTable(unique):
		rows = corpus.RowsLocated
	case unique != "":
		rows = corpus.RowsWhole
	}
	query, err = r.openFiles(r.List, r.Query, spared, rows)
	return old, query, err
}

func (r *dedupRun) openFiles(list string, paths []string, spared outfile.Files, rows corpus.RowsAs) (*Input, error) {
	p, err := cmdline.FileParams(r.cmd, r.Config)
	if err != nil {
		return nil, err
	}
	p.Rows, p.Kept = rows, r.Keep
	named := cmdline.NamedFiles(r.cmd, list, paths)
	sources, size, err := spared.Sources(named)
	if err != nil {
		return nil, err
	}
	if rows == corpus.RowsLocated {
		if sources, r.schema, err = OneSchema(sources); err != nil {
			return nil, err
		}
	}
	in := &Input{Size: size, Params: p, Named: r.Params().Named}
	if size >= 0 && list == "" {
		if in.Files, err = sources.All(); err != nil {
			return nil, err
		}
		sources = corpus.Those(in.Files)
	}
	written := func(info fs.FileInfo) bool { return r.out.Writes(info) }
	in.Reader, err = corpus.NewReader(p, corpus.Except(sources, written))
	return in, err
}

// willWrite returns all files that will be written. None of them may be read, except for an index that a new one
// replaces.
func (r *dedupRun) willWrite() (outfile.Files, error) {
	all, err := cmdline.WrittenBy(r.cmd, append(OutputNames(), "html", "save-index")...)
	if err != nil {
		return nil, err
	}
	all.Stdout(r.cmd.OutOrStdout())
	outputs, err := cmdline.WrittenBy(r.cmd, append(OutputNames(), "html")...)
	if err != nil {
		return nil, err
	}
	return all, errors.Join(outputs.SpareFiles(r.Load), all.SpareFiles(cmdline.ConfigFile(r.cmd)))
}
