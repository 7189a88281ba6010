package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/dedup"
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
	if err := r.spare(); err != nil {
		return nil, nil, err
	}
	if len(r.old) > 0 {
		if old, err = r.openFiles("", r.old); err != nil {
			return nil, nil, err
		}
	}
	if !r.only() {
		query, err = r.openFiles(r.list, r.query)
	}
	return old, query, err
}

func (r *dedupRun) openFiles(list string, paths []string) (*files, error) {
	p, err := corpusParams(r.cmd, r.config)
	if err != nil {
		return nil, err
	}
	sources, size, err := openSources(list, paths)
	if err != nil {
		return nil, err
	}
	written := func(info fs.FileInfo) bool { return r.out.writes(info) }
	reader, err := corpus.NewReader(p, corpus.Except(sources, written))
	return &files{reader: reader, size: size}, err
}

// spare refuses to write to a file that is read: it would be emptied first. Files of a list are known only when they are read.
func (r *dedupRun) spare() error {
	var outputs []fs.FileInfo
	for _, path := range append(dedupOutputPaths(r.cmd), r.save) {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			outputs = append(outputs, info)
		}
	}
	named := append(append([]string{}, r.old...), r.query...)
	if len(outputs) == 0 || len(named) == 0 {
		return nil
	}
	sources, _, err := corpus.Files(named)
	if err != nil {
		return err
	}
	sources = corpus.Except(sources, func(info fs.FileInfo) bool { return among(outputs, info) })
	for err == nil {
		_, err = sources()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return usageError{err}
}

func among(files []fs.FileInfo, file fs.FileInfo) bool {
	for _, f := range files {
		if os.SameFile(f, file) {
			return true
		}
	}
	return false
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
	f, err := os.CreateTemp(filepath.Dir(r.save), "."+filepath.Base(r.save)+"-*")
	if err != nil {
		return fmt.Errorf("save index: %w", err)
	}
	out := bufio.NewWriterSize(f, 1<<20)
	err = r.index.Save(ctx, out, time.Now().UnixMilli())
	if err == nil {
		err = out.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), r.save)
	}
	if err != nil {
		return fmt.Errorf("save index: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}
