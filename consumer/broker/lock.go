package broker

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// lock reserves a directory for one process. The operating system releases it when the process ends, however it ends.
type lock struct{ file *os.File }

// takeLock takes the lock or says who holds it. The file stays when the lock is released. If it were removed, one
// process could hold the lock of a file that another no longer finds.
func takeLock(path string) (*lock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) // the user names the directory
	if err != nil {
		return nil, &Fault{
			What: "cannot lock the directory of the embedded broker", Err: err,
			Remedy: "name one that this process may write to",
		}
	}
	if err := lockNow(f); err != nil {
		holder, _ := os.ReadFile(path)
		_ = f.Close()
		who := "another process"
		if pid := strings.TrimSpace(string(holder)); pid != "" {
			who = "process " + pid
		}
		return nil, &Fault{
			What:   fmt.Sprintf("cannot use %s: an embedded broker of %s runs there", strings.TrimSuffix(path, lockFile), who),
			Err:    err,
			Remedy: "stop that process, use its broker, or name another directory",
		}
	}
	if err := writePID(f); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return &lock{f}, nil
}

func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

func (l *lock) release() error { return l.file.Close() }
