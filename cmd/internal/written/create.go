package written

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// ErrExists is returned for a file that exists but must not.
var ErrExists = errors.New("exists already and is left as it is; name another file")

// Create writes a file that must not exist yet. Only its owner may read it, because it may contain passwords or texts.
// If anything fails the file is removed, because half of it is useless.
func Create(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return ErrExists
	}
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path)
	}
	return err
}
