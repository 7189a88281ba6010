package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/cmd/internal/written"
	"github.com/unecho/unecho/index/snapshot"
)

// files are some that are read one after another.
type files struct {
	reader *corpus.Reader
	size   int64 // of all of them; -1 if it is unknown
}

// open looks at all files that are named, before anything is written. old is nil if there is no --index, query if there is
// nothing else.
func (r *dedupRun) open() (old, query *files, err error) {
	spared, err := r.spared()
	if err != nil {
		return nil, nil, err
	}
	if r.save != "" {
		if err := written.Replaceable(r.save); err != nil {
			return nil, nil, fmt.Errorf("save index: %w", err)
		}
	}
	if len(r.old) > 0 {
		if old, err = r.openFiles("", r.old, spared); err != nil {
			return nil, nil, err
		}
	}
	if !r.only() {
		query, err = r.openFiles(r.list, r.query, spared)
	}
	return old, query, err
}

func (r *dedupRun) openFiles(list string, paths []string, spared written.Files) (*files, error) {
	p, err := corpusParams(r.cmd, r.config)
	if err != nil {
		return nil, err
	}
	sources, size, err := openSources(list, paths, spared)
	if err != nil {
		return nil, err
	}
	written := func(info fs.FileInfo) bool { return r.out.Writes(info) }
	reader, err := corpus.NewReader(p, corpus.Except(sources, written))
	return &files{reader: reader, size: size}, err
}

// spared are all files that will be written, of which none may be read, but for an index that a new one takes the place of.
func (r *dedupRun) spared() (written.Files, error) {
	all, err := writtenBy(r.cmd, append(dedup.OutputNames(), "save-index")...)
	if err != nil {
		return nil, err
	}
	outputs, err := writtenBy(r.cmd, dedup.OutputNames()...)
	if err != nil {
		return nil, err
	}
	return all, errors.Join(outputs.SpareFiles(r.load), all.SpareFiles(configOf(r.cmd)))
}

// makeIndex makes an index that knows no document, or the one of a file.
func (r *dedupRun) makeIndex() (*dedup.Index, error) {
	p := dedup.IndexParams{Index: r.config.Judge, Settings: r.settings(), Memory: r.memory, All: r.all}
	if r.load == "" {
		return dedup.NewIndex(p)
	}
	in, _, err := openInput(r.load)
	if err != nil {
		return nil, fmt.Errorf("load index: %w", err)
	}
	defer in.Close()
	x, err := dedup.LoadIndex(bufio.NewReaderSize(in, 1<<20), p)
	var settings *dedup.SettingsError
	if errors.As(err, &settings) {
		for i, line := range settings.Lines {
			settings.Lines[i] = strings.Replace(line, "in the journal", "in the file", 1)
		}
		return nil, fmt.Errorf("load index %s: %w\nset them alike, or build the index anew", r.load, err)
	}
	if corrupt := (*snapshot.CorruptError)(nil); errors.As(err, &corrupt) {
		return nil, fmt.Errorf("load index %s: %w; it should be a file that --save-index wrote", r.load, err)
	}
	if err != nil {
		return nil, fmt.Errorf("load index %s: %w", r.load, err)
	}
	return x, nil
}

// keep writes the index, if that is asked for. The file appears when it is whole.
func (r *dedupRun) keep(ctx context.Context) (err error) {
	if r.save == "" {
		return nil
	}
	err = written.Replace(r.save, 0o600, func(f io.Writer) error {
		out := bufio.NewWriterSize(f, 1<<20)
		if err := r.index.Save(ctx, out, time.Now().UnixMilli()); err != nil {
			return err
		}
		return out.Flush()
	})
	if err != nil {
		return fmt.Errorf("save index: %w", err)
	}
	return nil
}
