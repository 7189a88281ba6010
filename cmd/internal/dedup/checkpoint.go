package dedup

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/lockfile"
)

// Checkpoint is where a run goes on after it was stopped: one file in a directory, which a newer one replaces as a whole.
// It is a line of JSON, and behind it the index as Index.Save writes it, but for the segments that lie in a directory.
//
//	{"version":1, "run":{...}, "documents":N, "front":"...", "outputs":{name: length}, ...}\n  an archive of snapshots
//
// What was read is read again, but not judged; what the outputs had got behind the checkpoint is cut off. So outputs are
// those of a run that was never stopped.
type Checkpoint struct {
	lock  *os.File // nil when it is closed, or where the file system knows no locks
	path  string
	every time.Duration
	run   map[string]string
	state *checkpointState // of the run that is resumed; nil if this one begins
	next  time.Time        // when the next one is due
	saved int64            // documents that were judged before the last one
}

// checkpointState is the line of JSON.
type checkpointState struct {
	Version   int               `json:"version"`
	Run       map[string]string `json:"run"` // what was asked for
	Documents int64             `json:"documents"`
	Front     uint64            `json:"front"`
	Counts    Counts            `json:"counts"`
	Cuts      index.Cuts        `json:"cuts"`
	Latest    []byte            `json:"latest"` // the first line of the last table
	Outputs   map[string]int64  `json:"outputs"`
	Window    int64             `json:"window_bytes"`    // what the index counts against its memory
	Files     []string          `json:"files,omitempty"` // of the directory, in which its first segments lie
}

// halfName is the file of a checkpoint that is being written. After a crash it is there, as large as an index.
const halfName = "dedup.checkpoint.half"

const checkpointVersion = 1

// mostOfTime is how much of the time may go into checkpoints: one of so many parts.
const mostOfTime = 20

// OpenCheckpoint opens a directory, which is made if it is not there, and which one run has at a time. run says what is
// asked for; a run that was stopped goes on only with the same.
func OpenCheckpoint(dir string, every time.Duration, run map[string]string) (c *Checkpoint, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("--checkpoint: %w", err)
	}
	c = &Checkpoint{path: filepath.Join(dir, "dedup.checkpoint"), every: every, run: run, next: time.Now().Add(every)}
	if c.lock, err = lockfile.Take(filepath.Join(dir, "dedup.lock")); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, fmt.Errorf("--checkpoint %s: %w", dir, err)
	}
	if err := os.Remove(filepath.Join(dir, halfName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("--checkpoint: %w", err), c.Close())
	}
	if err = c.open(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// open reads the state of the run that goes on, if there is one.
func (c *Checkpoint) open() error {
	in, err := os.Open(c.path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := outfile.Replaceable(c.path); err != nil {
			return fmt.Errorf("--checkpoint: %w", err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("--checkpoint: %w", err)
	}
	defer in.Close()
	if c.state, err = readState(bufio.NewReader(in)); err != nil {
		return fmt.Errorf("go on from %s: %w: remove it to begin anew", c.path, err)
	}
	c.saved = c.state.Documents
	if lines := differences(c.state.Run, c.run); len(lines) > 0 {
		return exit.Usage(fmt.Errorf("--checkpoint: the run that was stopped was another one:\n    %s\nrun it as it was, or "+
			"remove %s to begin anew", strings.Join(lines, "\n    "), c.path))
	}
	return nil
}

// Close lets another run have the directory. The checkpoint stays.
func (c *Checkpoint) Close() error {
	if c == nil || c.lock == nil {
		return nil
	}
	lock := c.lock
	c.lock = nil
	if err := lockfile.Release(lock); err != nil {
		return fmt.Errorf("--checkpoint: %w", err)
	}
	return nil
}

func readState(in *bufio.Reader) (*checkpointState, error) {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	var s checkpointState
	if err := json.Unmarshal(line, &s); err != nil {
		return nil, fmt.Errorf("it is no checkpoint: %w", err)
	}
	if s.Version != checkpointVersion {
		return nil, fmt.Errorf("it has version %d, and this program reads %d", s.Version, checkpointVersion)
	}
	return &s, nil
}

// differences returns a line for each thing that is asked for otherwise.
func differences(was, now map[string]string) (lines []string) {
	all := maps.Clone(was)
	maps.Copy(all, now)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		old, there := was[key]
		new, here := now[key]
		switch {
		case !here:
			lines = append(lines, fmt.Sprintf("%s was %s, and is left out now", key, old))
		case !there:
			lines = append(lines, fmt.Sprintf("%s was left out, and is %s now", key, new))
		case old != new:
			lines = append(lines, fmt.Sprintf("%s was %s, and is %s now", key, old, new))
		}
	}
	return lines
}

func (c *Checkpoint) resumed() (s *checkpointState, ok bool) {
	if c == nil || c.state == nil {
		return nil, false
	}
	return c.state, true
}

// Index loads the index of the run that goes on, or makes one for a run that begins.
func (c *Checkpoint) Index(ctx context.Context, p IndexParams) (x *Index, err error) {
	if c.state == nil {
		return NewIndex(p)
	}
	if len(c.state.Files) > 0 && p.Directory == nil {
		return nil, exit.Usage(errors.New("--checkpoint: the index of the run that was stopped lies in files: name them by --directory"))
	}
	if had := c.state.Window; had > int64(p.bound()) && p.bound() > 0 {
		return nil, exit.Usage(fmt.Errorf("--memory %s: the index of the run that was stopped has %d bytes already: give it as much as it had",
			p.Memory, had))
	}
	f, err := os.Open(c.path)
	if err != nil {
		return nil, fmt.Errorf("go on: %w", err)
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<20)
	if _, err := readState(in); err != nil {
		return nil, fmt.Errorf("go on from %s: %w", c.path, err)
	}
	x, err = LoadIndex(ctx, in, p, c.state.Files...)
	if settings := (*SettingsError)(nil); errors.As(err, &settings) {
		return nil, exit.Usage(fmt.Errorf("--checkpoint: the run that was stopped had other settings:\n    %s\nset them alike, or remove "+
			"%s to begin anew", strings.Join(settings.Lines, "\n    "), c.path))
	}
	if errors.Is(err, errUnread) {
		return nil, fmt.Errorf("%w, and the same command goes on", err)
	}
	if err != nil {
		return nil, fmt.Errorf("go on from %s: %w: %s", c.path, err, c.mend(err))
	}
	if x.next != c.saved {
		return nil, fmt.Errorf("go on from %s: it has an index of %d documents, and %d were read: remove it to begin anew", c.path,
			x.next, c.saved)
	}
	x.first = 0 // its documents belong to this run
	return x, nil
}

// mend is what to do about an error of reading it, and the files that it names.
func (c *Checkpoint) mend(err error) string {
	var corrupt *snapshot.CorruptError
	switch {
	case errors.Is(err, files.ErrFull):
		return "make room there, and the same command goes on"
	case errors.As(err, &corrupt) || errors.Is(err, index.ErrCorrupt) || errors.Is(err, ErrForeign):
		return "remove " + c.path + " to begin anew"
	case errors.Is(err, snapshot.ErrMissingSegment):
		return "name the --directory that the run had, and look at its disk; if its files are gone, remove " + c.path + " to begin anew"
	}
	return "mend that, and the same command goes on; or remove " + c.path + " to begin anew"
}

// stands says whether a run can go on from it.
func (c *Checkpoint) stands() bool { return c != nil && c.saved > 0 }

func (c *Checkpoint) due() bool { return c != nil && !time.Now().Before(c.next) }

// save writes a checkpoint of what was judged and written so far.
func (c *Checkpoint) save(ctx context.Context, x *Index, out *Outputs, s checkpointState) error {
	began := time.Now()
	s.Run, s.Counts, s.Latest, s.Outputs = c.run, out.counts, out.table.Latest, map[string]int64{}
	s.Files = x.filed()
	for name, file := range out.Named() {
		length, err := file.Sync()
		if err != nil {
			return err
		}
		s.Outputs[name] = length
	}
	line, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("write a checkpoint: %w", err)
	}
	err = outfile.ReplaceBy(halfName, c.path, 0o600, func(f io.Writer) error {
		out := bufio.NewWriterSize(f, 1<<20)
		_, err := out.Write(append(line, '\n'))
		if err == nil {
			err = x.save(context.WithoutCancel(ctx), out, began.UnixMilli(), true)
		}
		return errors.Join(err, out.Flush())
	})
	if err != nil {
		return fmt.Errorf("write a checkpoint: %w", err)
	}
	took := time.Since(began)
	c.saved, c.next = s.Documents, time.Now().Add(max(c.every, mostOfTime*took))
	return nil
}

// remove removes the checkpoint of a run that is done.
func (c *Checkpoint) remove() error {
	if c == nil {
		return nil
	}
	if err := os.Remove(c.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the checkpoint: %w", err)
	}
	return nil
}

// Resumable returns an error if the outputs cannot be cut off where a checkpoint was taken.
func (d *Outputs) Resumable() error {
	for name, out := range d.Named() {
		if !out.Resumable() {
			return exit.Usage(fmt.Errorf("--checkpoint: --%s goes to standard output, a pipe or a device, which "+
				"cannot be continued: name a file", name))
		}
	}
	return nil
}

// resume goes on with outputs that a checkpoint has the lengths of.
func (d *Outputs) resume(s *checkpointState) error {
	d.counts, d.table.Latest = s.Counts, s.Latest
	return d.Resume(s.Outputs)
}
