package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
)

// anyHalf is the name of a temporary file that no other has.
func anyHalf() string { return ".unecho-" + strconv.FormatUint(rand.Uint64(), 10) }

// Replace writes a file that appears only when it is complete: until then it is written next to its place, under a
// temporary name. If anything fails, the old content stays. mode is that of a new file.
func Replace(path string, mode fs.FileMode, write func(io.Writer) error) error {
	return ReplaceBy(anyHalf(), path, mode, write)
}

// ReplaceBy does what Replace does, by a temporary file whose name is half: who knows it knows what a crash left.
func ReplaceBy(half, path string, mode fs.FileMode, write func(io.Writer) error) error {
	at, regular, err := writtenAt(path)
	if err != nil {
		return err
	}
	if !regular {
		return overwrite(at.place, write)
	}
	f, err := beside(half, at, mode)
	if err != nil {
		return err
	}
	if err := complete(f, write); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), at.place); err != nil { // such as a file that is mounted by itself
		return fmt.Errorf("%w; what was written stands in %s", err, f.Name())
	}
	return syncDir(filepath.Dir(at.place))
}

// complete writes a file to its end, onto the disk, and closes it. If anything fails it is removed.
func complete(f *os.File, write func(io.Writer) error) error {
	err := write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// beside creates the file that will replace another. Whoever may read the old file may read the new one. Its name does
// not contain that of the other, which may be as long as a name can be.
func beside(half string, at target, mode fs.FileMode) (*os.File, error) {
	if at.info != nil {
		mode = at.info.Mode().Perm()
	}
	f, err := os.OpenFile(filepath.Join(filepath.Dir(at.place), half), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	if at.info != nil {
		if err := f.Chmod(mode); err != nil { // whatever the umask is
			return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}
	return f, nil
}

// overwrite writes to something that has no content to keep: a device, a pipe.
func overwrite(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// Replaceable checks, before long work, whether Replace could write there.
func Replaceable(path string) error {
	at, regular, err := writtenAt(path)
	if err != nil || !regular {
		return err
	}
	f, err := beside(anyHalf(), at, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// ErrExists is returned for a file that exists but must not.
var ErrExists = errors.New("exists already and is left as it is; name another file")

// Create writes a file that must not exist yet, and that appears only when it is complete, as that of Replace. Only its
// owner may read it, because it may contain passwords or texts.
func Create(path string, write func(io.Writer) error) error {
	switch _, err := os.Lstat(path); {
	case err == nil:
		return ErrExists
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	f, err := beside(anyHalf(), target{place: path}, 0o600)
	if problem := (*fs.PathError)(nil); errors.As(err, &problem) {
		return &fs.PathError{Op: "open", Path: path, Err: problem.Err} // the name beside it means nothing to a person
	}
	if err != nil {
		return err
	}
	if err := complete(f, write); err != nil {
		return err
	}
	if err := link(f.Name(), path); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncDir(filepath.Dir(path))
}

// link gives a file its name, unless another has taken it by now. A link never replaces a file. Where the file system
// has no links, a look before the renaming must do.
func link(from, to string) error {
	if os.Link(from, to) == nil {
		return os.Remove(from)
	}
	if _, err := os.Lstat(to); err == nil {
		return ErrExists
	}
	return os.Rename(from, to)
}

// syncDir makes the names in a directory durable. Some file systems do not support that, and a directory that may be
// written may still not be read.
func syncDir(path string) error {
	d, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

// Single is a file that a flag names and that is written whole at the end of a verb: a page, a report.
type Single struct {
	Flag   string
	Path   string // - is standard output; empty: nothing is written
	Stdout io.Writer
}

// OnStdout says whether it is written to standard output.
func (s Single) OnStdout() bool { return s.Path == corpus.Stdin }

// Ready checks, before long work, whether it can be written. taken says that something else goes to standard output.
func (s Single) Ready(taken bool) error {
	switch {
	case s.Path == "" || s.OnStdout() && !taken:
		return nil
	case s.OnStdout():
		return exit.Usage(fmt.Errorf("--%s -: standard output is taken already", s.Flag))
	}
	return s.named(Replaceable(s.Path))
}

// Write writes it, if it was asked for.
func (s Single) Write(write func(io.Writer) error) error {
	switch {
	case s.Path == "":
		return nil
	case s.OnStdout():
		return write(s.Stdout)
	}
	return s.named(Replace(s.Path, 0o666, write))
}

func (s Single) named(err error) error {
	if err != nil {
		err = fmt.Errorf("write --%s: %w", s.Flag, err)
	}
	return err
}
