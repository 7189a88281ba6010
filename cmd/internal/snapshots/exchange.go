package snapshots

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
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

type counting struct {
	snapshot.Store
	read func()
}

func (c counting) Segment(ctx context.Context, name string) ([]byte, error) {
	c.read()
	return c.Store.Segment(ctx, name)
}

// Exported is a snapshot in a file. The caller closes it.
type Exported struct {
	io.Closer
	name   string
	reader *archive.Reader
}

// OpenExported opens the file that an export wrote and reads its manifest; - is standard input.
func OpenExported(path string) (*Exported, error) {
	in, err := openFile(path)
	if err != nil {
		return nil, fmt.Errorf("import snapshot: %w", err)
	}
	reader, err := archive.NewReader(bufio.NewReaderSize(in, 1<<20))
	if err != nil {
		_ = in.Close() // it was only read
		return nil, fmt.Errorf("import %s: %w", path, err)
	}
	return &Exported{Closer: in, name: path, reader: reader}, nil
}

func openFile(path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(os.Stdin), nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, exit.NotThere(err)
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is a directory; name the file that `unecho snapshot export` wrote", path)
	}
	return os.Open(path)
}

// Import puts a snapshot into the store, which c is about. With service c is a service's configuration, whose settings
// the snapshot must have.
func (s *Shelf) Import(ctx context.Context, file *Exported, c config.Config, service bool) error {
	m := file.reader.Manifest()
	if err := s.fits(ctx, &m, c, service); err != nil {
		return fmt.Errorf("import %s: %w", file.name, err)
	}
	if err := s.put(ctx, file.reader, &m); err != nil {
		return fmt.Errorf("import %s: %w", file.name, err)
	}
	documents, bytes := m.Totals()
	_, err := fmt.Fprintf(s.Out, "imported the snapshot at offset %d: %s documents, %s\n", m.Position.Offset,
		terminal.Grouped(int(documents)), terminal.Mebibytes(bytes))
	return err
}

// fits returns why a snapshot does not belong into this store.
func (s *Shelf) fits(ctx context.Context, m *snapshot.Manifest, c config.Config, service bool) error {
	if m.Index != c.Consumer.Group {
		return fmt.Errorf("it is of group %q, and the store is opened for %q: set --group, or group", m.Index,
			c.Consumer.Group)
	}
	settings, err := index.CapturedSettings(m.State)
	if err != nil {
		return err
	}
	if service && settings != nil && !index.Same(settings, c.Settings()) {
		return fmt.Errorf("its settings differ from those of this configuration, and no service would restore it:\n    %s",
			strings.Join(index.Diff(c.Settings(), settings), "\n    "))
	}
	return archive.Follows(ctx, s.Store, m)
}

// put stores the snapshot and shows the progress.
func (s *Shelf) put(ctx context.Context, file *archive.Reader, m *snapshot.Manifest) error {
	state, err := RestoreOf(m)
	if err != nil {
		return err
	}
	shown := terminal.NewStages(s.Log)
	defer shown.End()
	done := int64(0)
	return file.Put(ctx, s.Store, state, func() {
		done++
		shown.Stage("importing segments", done, int64(len(m.Segments)))
	})
}
