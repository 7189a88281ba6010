package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
)

// written are the files that a verb will write. Each is held against what the verb reads before anything is written, so that
// nothing is lost by a name that was given twice.
type written []writtenFile

type writtenFile struct {
	place string      // the file itself, where the path is a link to it
	info  fs.FileInfo // nil if there is none yet
}

// writtenBy are the files that these flags name. Standard output, and what is no regular file, such as /dev/null, loses
// nothing by being written to.
func writtenBy(cmd *cobra.Command, flags ...string) (written, error) {
	var all written
	for _, flag := range flags {
		path := cmd.Flag(flag).Value.String()
		if path == "" || path == corpus.Stdin {
			continue
		}
		f, regular, err := writtenAt(path)
		if err != nil {
			return nil, fmt.Errorf("write --%s: %w", flag, err)
		}
		if !regular {
			continue
		}
		if all.holds(f) {
			return nil, exit.Usage(fmt.Errorf("--%s %s: another output goes there as well", flag, path))
		}
		all = append(all, f)
	}
	return all, nil
}

func writtenAt(path string) (f writtenFile, regular bool, err error) {
	if f.place, err = followed(path); err != nil {
		return f, false, err
	}
	info, err := os.Stat(f.place)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, true, nil
	case err != nil:
		return f, false, err
	case info.IsDir():
		return f, false, &fs.PathError{Op: "open", Path: path, Err: errors.New("it is a directory; name a file")}
	}
	f.info = info
	return f, info.Mode().IsRegular(), nil
}

// mostLinks are followed, one to the next.
const mostLinks = 40

// followed is where a path leads to, if it is a link, though nothing may be there yet.
func followed(path string) (string, error) {
	for range mostLinks {
		to, err := os.Readlink(path)
		if err != nil { // no link
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if problem := (*fs.PathError)(nil); errors.As(err, &problem) {
		return "", &fs.PathError{Op: "open", Path: path, Err: problem.Err} // the user's path, not a part of it
	}
	if err != nil {
		return "", err
	}
	dir, err = filepath.Abs(dir)
	return filepath.Join(dir, filepath.Base(path)), err
}

func (w written) holds(f writtenFile) bool {
	for _, other := range w {
		if f.place == other.place || f.info != nil && other.info != nil && os.SameFile(f.info, other.info) {
			return true
		}
	}
	return false
}

// has says whether a file that is there is one of them.
func (w written) has(info fs.FileInfo) bool {
	for _, f := range w {
		if f.info != nil && os.SameFile(f.info, info) {
			return true
		}
	}
	return false
}

// any says that one of them is there already.
func (w written) any() bool {
	for _, f := range w {
		if f.info != nil {
			return true
		}
	}
	return false
}

// spareFiles refuses to write to files that are read, if they are there; an empty path is passed over.
func (w written) spareFiles(paths ...string) error {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && w.has(info) {
			return exit.Usage(fmt.Errorf("read %s: %w", path, corpus.ErrWritten))
		}
	}
	return nil
}

// spare refuses to write to a source. Where there is something to lose, all of them are looked at before the first is read:
// even those of a list, which then are read when its last name is known.
func (w written) spare(sources corpus.Sources) (corpus.Sources, error) {
	if !w.any() {
		return sources, nil
	}
	var all []corpus.Source
	checked := corpus.Except(sources, w.has)
	for {
		switch source, err := checked(); {
		case errors.Is(err, io.EOF):
			return corpus.Those(all), nil
		case errors.Is(err, corpus.ErrWritten):
			return nil, exit.Usage(err)
		case err != nil:
			return nil, err
		default:
			all = append(all, source)
		}
	}
}

// replaceFile writes a file that appears when it is whole: beside its place, under a passing name, until then. What was
// there stays if anything fails. mode is that of a new file.
func replaceFile(path string, mode fs.FileMode, write func(io.Writer) error) error {
	at, regular, err := writtenAt(path)
	if err != nil {
		return err
	}
	if !regular {
		return overwrite(at.place, write)
	}
	f, err := beside(at, mode)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if err := os.Rename(f.Name(), at.place); err != nil { // such as a file that is mounted by itself
		return fmt.Errorf("%w; what was written stands in %s", err, f.Name())
	}
	return nil
}

// beside makes the file that will take another's place. Who may read that one, may read it.
func beside(at writtenFile, mode fs.FileMode) (*os.File, error) {
	if at.info != nil {
		mode = at.info.Mode().Perm()
	}
	name := fmt.Sprintf(".%s-%d", filepath.Base(at.place), rand.Uint64())
	f, err := os.OpenFile(filepath.Join(filepath.Dir(at.place), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
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

// overwrite writes to what has no content to keep: a device, a pipe.
func overwrite(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// replaceable finds out, before long work, whether replaceFile could write there.
func replaceable(path string) error {
	at, regular, err := writtenAt(path)
	if err != nil || !regular {
		return err
	}
	f, err := beside(at, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
