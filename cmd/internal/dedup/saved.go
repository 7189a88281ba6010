package dedup

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/archive"
	"github.com/unecho/unecho/index/window"
)

// ErrForeign is returned for a snapshot that is not an index written by Index.Save.
var ErrForeign = errors.New("it is the snapshot of a service, which belongs to its journal, and not an index of files")

// SettingsError is returned for an index that was saved under other settings.
type SettingsError struct {
	Lines []string // a line for each setting that differs
}

func (e *SettingsError) Error() string {
	return "it was saved under other settings:\n    " + strings.Join(e.Lines, "\n    ")
}

// indexName names the index of files, and journalOfFiles stands in for a journal, as there is none. With these names no
// service takes such a file for a snapshot of its own.
const indexName = "files"

func journalOfFiles() [16]byte { return [16]byte([]byte("unecho/of-files/")) }

// Save writes the index as one file, in the format of `unecho snapshot export`. taken is in ms since 1970. No document
// may be judged meanwhile.
func (x *Index) Save(ctx context.Context, w io.Writer, taken int64) error {
	return x.save(ctx, w, taken, false)
}

// save leaves out what lies in files of the directory, if that stays beside the file.
func (x *Index) save(ctx context.Context, w io.Writer, taken int64, beside bool) error {
	if err := x.series.Skip(x.next); err != nil {
		return err
	}
	c := x.replica.Capture()
	m := snapshot.Manifest{
		Index: indexName, Position: snapshot.Position{JournalTopic: journalOfFiles(), LeaderEpoch: -1, Offset: c.Next},
		Taken: taken, Fingerprint: c.Fingerprint, State: c.State(),
	}
	if beside {
		c.Segments = slices.DeleteFunc(slices.Clone(c.Segments), func(v window.View) bool { return v.File() != "" })
	}
	return archive.WriteCaptured(ctx, w, m, c.Segments, x.params.Directory.Beside())
}

// filed returns the names of the files in which segments lie, the oldest first.
func (x *Index) filed() (names []string) {
	for _, view := range x.replica.Capture().Segments {
		if name := view.File(); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// errUnread is returned if a run is stopped while an index is read.
var errUnread = errors.New("stopped before all of the index was read; nothing was judged")

// LoadIndex reads what Save wrote, and the segments that lie in these files of the directory. Errors are a *SettingsError,
// ErrForeign, those of the archive, and those of reading.
func LoadIndex(ctx context.Context, in io.Reader, p IndexParams, filed ...string) (x *Index, err error) {
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = errUnread
		}
	}()
	file, err := archive.NewReader(in)
	if err != nil {
		return nil, err
	}
	m := file.Manifest()
	if m.Index != indexName || m.Position.JournalTopic != journalOfFiles() {
		return nil, ErrForeign
	}
	settings, err := index.CapturedSettings(m.State)
	if err != nil {
		return nil, err
	}
	if lines := index.DiffAll(p.Settings, settings); len(lines) > 0 {
		return nil, &SettingsError{Lines: lines}
	}
	if err := p.begun(settings); err != nil {
		return nil, err
	}
	replica, err := restore(ctx, file, &m, &p, filed)
	if err != nil {
		return nil, err
	}
	x = newIndex(p, index.ResumeSeries(replica))
	if x.paged = len(replica.Files().Names()) > 0; x.chains != nil {
		if err := x.pager.Each(ctx, x.chains.knows); err != nil {
			return nil, err
		}
	}
	known, ok := replica.Partition(x.series.Source())
	if !ok {
		return nil, fmt.Errorf("%w: it knows of no files", index.ErrCorrupt)
	}
	x.next, x.kept = known.Base, replica.Stats().Documents
	x.Begin()
	return x, nil
}

// restore restores a replica. Where it may take more than its memory, its segments lie in files from the beginning.
func restore(
	ctx context.Context, file *archive.Reader, m *snapshot.Manifest, p *IndexParams, filed []string,
) (*index.Replica, error) {
	state, err := index.NewRestore(p.Index.Untimed(p.bound()), index.Fingerprint(p.Settings), m.State)
	if err != nil {
		return nil, err
	}
	var beside snapshot.Files
	if _, bytes := m.Totals(); len(filed) > 0 || bytes > int64(p.Memory)/2 {
		beside = p.Directory.Beside()
	}
	var old []snapshot.Segment
	for _, name := range filed {
		old = append(old, snapshot.Segment{Name: name, Sealed: true})
	}
	m.Segments = append(old, m.Segments...)
	return file.Restore(ctx, beside, m, state, func(segments int) {
		if p.Shown != nil {
			p.Shown("reading the index", int64(segments), int64(len(m.Segments)))
		}
	})
}

// OpenIndex makes an index that knows no document, or the one of a file.
func OpenIndex(ctx context.Context, path string, p IndexParams) (*Index, error) {
	if path == "" {
		return NewIndex(p)
	}
	in, _, err := corpus.OpenLines(path)
	if err != nil {
		return nil, fmt.Errorf("load index: %w", exit.NotThere(err))
	}
	defer in.Close()
	buffered := bufio.NewReaderSize(in, 1<<20)
	x, err := LoadIndex(ctx, buffered, p)
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
