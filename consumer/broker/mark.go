package broker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// markFile stands in the broker's data from before the broker starts until it is closed. It lies within the data, so that
// whoever sets these aside sets the mark aside with them.
const markFile = "unecho.running"

const markText = "An embedded broker writes here. If none runs, it was not closed, and a transaction may be half written.\n"

// mark refuses data that bear the mark, and marks others. It is on disk when mark returns, so that a power cut leaves it, too.
func mark(data string) error {
	path := filepath.Join(data, markFile)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the user names the directory
	if errors.Is(err, fs.ErrExist) {
		return notClosed(data)
	}
	if err != nil {
		return fmt.Errorf("mark the data of the embedded broker: %w", err)
	}
	_, err = f.WriteString(markText)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("mark the data of the embedded broker: %w", errors.Join(err, unmark(data)))
	}
	syncNames(data)
	return nil
}

// unmark says that the broker was closed. The mark goes after all else was written.
func unmark(data string) error { return os.Remove(filepath.Join(data, markFile)) }

// syncNames makes the names in a directory durable, where the file system can do that.
func syncNames(dir string) {
	if d, err := os.Open(dir); err == nil { //nolint:gosec // the user names the directory
		_ = d.Sync()
		_ = d.Close()
	}
}

func notClosed(data string) *Fault {
	return &Fault{
		What: fmt.Sprintf("will not use %s: the embedded broker there was not closed (its process was killed, or the machine stopped), "+
			"and a transaction may be half written", data),
		Remedy: fmt.Sprintf("name another directory, or begin anew in this one: mv %s %s.killed, or remove it, and produce the documents again. "+
			"Where a kill must lose nothing, use Kafka", data, data),
	}
}
