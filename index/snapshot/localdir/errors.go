package localdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// explain adds the remedy to an error of the file system. It wraps the cause.
func explain(err error) error {
	remedy := ""
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		remedy = "make room there, or remember fewer documents (window)"
	case errors.Is(err, syscall.EROFS):
		remedy = "mount it writable, or name another directory in snapshots.directory.path"
	case errors.Is(err, fs.ErrPermission):
		remedy = fmt.Sprintf("give the directory to the user with id %d, who runs this process, or name another in "+
			"snapshots.directory.path", os.Geteuid())
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EEXIST):
		remedy = "a file stands where a directory is needed: move it, or name another directory in snapshots.directory.path"
	case errors.Is(err, fs.ErrNotExist):
		remedy = "was the directory removed or unmounted while this process ran? Bring it back, or start again"
	case errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOTSUP):
		remedy = "it takes a file system with locks (flock): a local one, or NFSv4"
	case errors.Is(err, syscall.EIO), errors.Is(err, syscall.ESTALE):
		remedy = "the disk or the network file system fails: look at the system's log"
	default:
		return err
	}
	return fmt.Errorf("%w: %s", err, remedy)
}
