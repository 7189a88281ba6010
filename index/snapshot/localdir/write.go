package localdir

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/unecho/unecho/index/snapshot/lockfile"
)

// write puts data at path, completely or not at all. It is durable on return, and was read back before it appeared
// there.
func (s *Store) write(path string, data []byte) (err error) {
	f, err := s.temp()
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreMissing(os.Remove(f.Name())))
		}
	}()
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Sync(); err != nil {
		return errors.Join(err, f.Close())
	}
	forget(f)
	if err := holds(f, data); err != nil {
		return errors.Join(err, f.Close())
	}
	// The file is renamed before it is closed, because closing releases the lock that keeps a cleaner away. What Close
	// could still report, Sync has reported.
	if err := os.Rename(f.Name(), path); err != nil {
		return errors.Join(err, f.Close())
	}
	return errors.Join(f.Close(), syncDir(filepath.Dir(path)))
}

// holds reads a file from its beginning and compares.
func holds(f *os.File, data []byte) error {
	const step = 256 << 10
	buffer := make([]byte, min(step, len(data)))
	for at := 0; at < len(data); at += len(buffer) {
		buffer = buffer[:min(len(buffer), len(data)-at)]
		if _, err := f.ReadAt(buffer, int64(at)); err != nil {
			return fmt.Errorf("read back: %w", err)
		}
		if !bytes.Equal(buffer, data[at:at+len(buffer)]) {
			return &os.PathError{Op: "read back", Path: f.Name(), Err: errOtherBytes}
		}
	}
	return nil
}

var errOtherBytes = fmt.Errorf("it is not what was written (%w)", syscall.EIO)

// temp makes a locked file in tmp. The lock shows cleaners that its writer lives.
func (s *Store) temp() (*os.File, error) {
	for {
		f, err := os.CreateTemp(filepath.Join(s.root, tmpDir), "*")
		if err != nil {
			return nil, err
		}
		// Between creation and lock a cleaner may have removed it as a dead writer's: then it has no name any more.
		locked, err := lockfile.Lock(f)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if locked && lockfile.StillAt(f, f.Name()) {
			return f, nil
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
}

// cleanTemp removes the files of dead writers: a living writer has its file locked.
func (s *Store) cleanTemp() error {
	dir := filepath.Join(s.root, tmpDir)
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, file := range files {
		path := filepath.Join(dir, file.Name())
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		locked, err := lockfile.Lock(f)
		if err == nil && locked {
			err = ignoreMissing(os.Remove(path))
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// now returns the time by the file system's clock, which may be that of another machine.
func (s *Store) now() (at time.Time, err error) {
	f, err := s.temp()
	if err != nil {
		return time.Time{}, err
	}
	defer func() { err = errors.Join(err, ignoreMissing(os.Remove(f.Name())), f.Close()) }()
	if _, err := f.Write([]byte{0}); err != nil {
		return time.Time{}, err
	}
	info, err := f.Stat()
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// makeDir makes a directory and its missing parents, durable on return. It needs no rights on directories that exist.
func makeDir(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return &os.PathError{Op: "mkdir", Path: path, Err: syscall.ENOTDIR}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(path)
	if err := makeDir(parent); err != nil {
		return err
	}
	if err := os.Mkdir(path, dirMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(parent)
}

// syncDir makes the names in a directory durable. Some file systems do not support that, and do not need it.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
