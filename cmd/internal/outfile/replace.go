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
