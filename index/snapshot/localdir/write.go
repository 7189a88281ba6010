package localdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/unecho/unecho/index/snapshot/durable"
	"github.com/unecho/unecho/index/snapshot/lockfile"
)

// explain adds the remedy to an error of the file system.
func explain(err error) error { return durable.Explain(err, "snapshots.directory.path") }

// wrap adds what was done and the remedy to an error.
func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), explain(err))
}

// write puts data at path, completely or not at all. It is durable on return, and was read back before it appeared
// there.
func (d directory) write(path string, data []byte) error {
	f, err := d.temp()
	if err != nil {
		return err
	}
	return durable.Write(d.disk, f, path, durable.Data(data))
}

// temp makes a locked file in tmp. The lock shows cleaners that its writer lives.
func (d directory) temp() (*os.File, error) {
	for {
		f, err := os.CreateTemp(filepath.Join(d.root, tmpDir), "*")
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
func (d directory) cleanTemp() error {
	dir := filepath.Join(d.root, tmpDir)
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
			err = durable.IgnoreMissing(os.Remove(path))
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// Now implements objects.Place. It returns the time by the file system's clock, which may be that of another machine.
func (d directory) Now() (at time.Time, err error) {
	f, err := d.temp()
	if err != nil {
		return time.Time{}, err
	}
	defer func() { err = errors.Join(err, durable.IgnoreMissing(os.Remove(f.Name())), f.Close()) }()
	if _, err := f.Write([]byte{0}); err != nil {
		return time.Time{}, err
	}
	info, err := f.Stat()
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}
