package written

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// ErrExists says that a file which must not exist does.
var ErrExists = errors.New("exists already and is left as it is; name another file")

// Create writes a file that must not exist. It is readable by its owner only, for it may hold passwords, or texts. If anything
// fails it is gone: half a file helps nobody.
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
