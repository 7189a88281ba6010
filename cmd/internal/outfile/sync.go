package outfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

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
