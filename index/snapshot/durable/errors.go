package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Explain adds the remedy to an error of the file system, given the setting that names the directory. It wraps the cause,
// and returns other errors as they are.
func Explain(err error, setting string) error {
	remedy := ""
	switch {
	case err == nil:
		return nil
	case Full(err):
		remedy = "make room there, or remember fewer documents (duplicates.remember)"
	case errors.Is(err, syscall.EROFS):
		remedy = "mount it writable, or name another directory in " + setting
	case errors.Is(err, fs.ErrPermission):
		remedy = fmt.Sprintf("give the directory to the user with id %d, who runs this process, or name another in %s",
			os.Geteuid(), setting)
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EEXIST):
		remedy = "a file stands where a directory is needed: move it, or name another directory in " + setting
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

// Full says whether an error is that a disk, or the share of it that a user may take, is full.
func Full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
