package snapshots

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/archive"
)

// Export writes the snapshot at an offset, or the newest, to a file, or to Out if path is -.
func (s *Shelf) Export(ctx context.Context, at, path string) error {
	_, m, err := s.manifest(ctx, at)
	if err != nil {
		return err
	}
	if path == "-" {
		err = s.exportTo(ctx, s.Out, &m)
	} else {
		err = outfile.Create(path, func(out io.Writer) error { return s.exportTo(ctx, out, &m) })
	}
	if errors.Is(err, outfile.ErrExists) {
		return fmt.Errorf("write %s: it %w", path, err)
	}
	if err != nil {
		return err
	}
	documents, bytes := m.Totals()
	fmt.Fprintf(s.Log, "exported the snapshot at offset %d: %s documents, %s\n", m.Position.Offset,
		terminal.Grouped(int(documents)), terminal.Mebibytes(bytes))
	return nil
}

func (s *Shelf) exportTo(ctx context.Context, out io.Writer, m *snapshot.Manifest) error {
	if terminal.Is(out) {
		return exit.Usage(errors.New("a snapshot is no text for a terminal: name a file with --output, or redirect"))
	}
	buffered := bufio.NewWriterSize(out, 1<<20)
	shown := terminal.NewStages(s.Log)
	defer shown.End()
	done := int64(0)
	read := func() {
		done++
		shown.Stage("exporting segments", done, int64(len(m.Segments)))
	}
	if err := archive.Write(ctx, buffered, counting{s.Store, read}, m); err != nil {
		return err
	}
	return buffered.Flush()
}

// counting counts the segments that are read.
type counting struct {
	snapshot.Store
	read func()
}

func (c counting) Segment(ctx context.Context, name string) ([]byte, error) {
	c.read()
	return c.Store.Segment(ctx, name)
}
