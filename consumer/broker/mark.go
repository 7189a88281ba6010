package broker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// markFile is in the broker's data from before the broker starts until it is closed. It lies within the data, so that
// whoever sets the data aside sets the mark aside as well.
const markFile = "unecho.running"

const markText = "An embedded broker writes here. If none runs, it was not closed, and a transaction may be half " +
	"written.\n"

// mark refuses data that have the mark, and marks other data. The mark is on disk when the function returns, so that it
// survives a power cut.
func mark(data string) error {
	path := filepath.Join(data, markFile)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) // the user names the directory
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

// unmark removes the mark, to say that the broker was closed. It comes after everything else was written.
func unmark(data string) error { return os.Remove(filepath.Join(data, markFile)) }

// syncNames makes the names in a directory durable, if the file system can do that.
func syncNames(dir string) {
	if d, err := os.Open(dir); err == nil { // the user names the directory
		_ = d.Sync()
		_ = d.Close()
	}
}

func notClosed(data string) *Fault {
	return &Fault{
		What: fmt.Sprintf("will not use %s: the embedded broker there was not closed (its process was killed, or the "+
			"machine stopped), "+
			"and a transaction may be half written", data),
		Remedy: fmt.Sprintf("name another directory, or begin anew in this one: mv %s %s.killed, or remove it, and produce "+
			"the documents again. "+
			"Where a kill must lose nothing, use Kafka", data, data),
	}
}
