package dedup

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/index/snapshot"
)

// OpenIndex makes an index that knows no document, or the one of a file.
func OpenIndex(path string, p IndexParams) (*Index, error) {
	if path == "" {
		return NewIndex(p)
	}
	in, _, err := corpus.OpenLines(path)
	if err != nil {
		return nil, fmt.Errorf("load index: %w", exit.NotThere(err))
	}
	defer in.Close()
	buffered := bufio.NewReaderSize(in, 1<<20)
	x, err := LoadIndex(buffered, p)
	if err == nil {
		x.places, err = report.ReadRows(buffered)
	}
	var settings *SettingsError
	if errors.As(err, &settings) {
		for i, line := range settings.Lines {
			settings.Lines[i] = strings.Replace(line, "in the journal", "in the file", 1)
		}
		return nil, fmt.Errorf("load index %s: %w\nset them alike, or build the index anew", path, err)
	}
	if corrupt := (*snapshot.CorruptError)(nil); errors.As(err, &corrupt) {
		return nil, fmt.Errorf("load index %s: %w; it should be a file that --save-index wrote", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("load index %s: %w", path, err)
	}
	return x, nil
}

// saveFile writes the index to a file, which appears when it is whole. Behind it stands where its documents are.
func (x *Index) saveFile(ctx context.Context, path string, places *report.Rows) error {
	err := outfile.Replace(path, 0o600, func(f io.Writer) error {
		out := bufio.NewWriterSize(f, 1<<20)
		if err := x.Save(ctx, out, time.Now().UnixMilli()); err != nil {
			return err
		}
		return errors.Join(places.Write(out), out.Flush())
	})
	if err != nil {
		return fmt.Errorf("save index: %w", err)
	}
	return nil
}
