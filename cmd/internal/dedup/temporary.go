package dedup

import (
	"bufio"
	"errors"
	"os"
)

// temporary is a file that is written and then read again. If the system permits, it has no name, and disappears with
// the process, however that ends.
type temporary struct {
	file    *os.File
	unnamed bool // else close removes it
	out     *bufio.Writer
}

func newTemporary() (temporary, error) {
	f, err := os.CreateTemp("", "unecho-dedup-")
	if err != nil {
		return temporary{}, err
	}
	return temporary{file: f, unnamed: os.Remove(f.Name()) == nil, out: bufio.NewWriterSize(f, 64<<10)}, nil
}

func (t *temporary) close() error {
	err := t.file.Close()
	if t.unnamed {
		return err
	}
	return errors.Join(err, os.Remove(t.file.Name()))
}
