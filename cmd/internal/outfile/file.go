package outfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

// File is a file that is written, or standard output. Writing to a nil File does nothing. Full buffers are written in
// the background, so an error may be returned by a later line, or by Flush.
type File struct {
	*bufio.Writer
	packer packer // between both; nil if the file is not compressed
	behind *behind
	file   *os.File     // nil for standard output
	rows   func() error // ends the rows of a table; nil for lines
	begun  bool
	ended  bool
}

// Open opens a file. Its content stays until Begin. It is opened for writing only: a pipe that was open for reading too
// would always have a reader, and writing would wait for ever once the other one is gone.
func Open(path string, stdout io.Writer) (*File, error) {
	if path == "-" {
		return newFile(stdout, nil), nil
	}
	if _, err := newPacker(path, io.Discard); err != nil { // before there is a file
		return nil, exit.Usage(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("write results: %w", err)
	}
	o := newFile(f, f)
	if o.packer, err = newPacker(path, o.behind); err != nil {
		return nil, err
	}
	if o.packer != nil {
		o.Reset(o.packer)
	}
	return o, nil
}

func newFile(out io.Writer, f *os.File) *File {
	b := &behind{out: out}
	return &File{Writer: bufio.NewWriterSize(b, blockBytes), behind: b, file: f}
}

// Begin empties the file. Nothing may have been flushed before.
func (o *File) Begin() error {
	o.begun = true
	if o.file == nil {
		return nil
	}
	info, err := o.file.Stat()
	if err == nil && info.Mode().IsRegular() {
		err = o.file.Truncate(0)
	}
	if err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	return nil
}

// Rows says what ends the rows of a table, which are written to this file.
func (o *File) Rows(end func() error) { o.rows = end }

// OnStdout says whether the file is standard output.
func (o *File) OnStdout() bool { return o.file == nil }

// Line writes a line, with a line break if it has none.
func (o *File) Line(line []byte) error {
	if o == nil {
		return nil
	}
	_, err := o.Write(line)
	if err == nil && (len(line) == 0 || line[len(line)-1] != '\n') {
		err = o.WriteByte('\n')
	}
	return err
}

// JSON writes a line of JSON.
func (o *File) JSON(line any) error {
	if o == nil {
		return nil
	}
	return terminal.WriteJSON(o, line)
}

// Flush writes what is buffered, and returns when everything is written.
func (o *File) Flush() error {
	if o == nil {
		return nil
	}
	if err := o.Writer.Flush(); err != nil {
		return err
	}
	if o.packer != nil {
		if err := o.packer.Flush(); err != nil {
			return err
		}
	}
	return o.behind.wait()
}

// End ends what was begun: the rows of a table, and what is compressed. It returns when everything is written. Nothing may be
// written afterwards. Where writing has failed before, it returns that error again.
func (o *File) End() error {
	if o == nil || o.ended {
		return nil
	}
	if err := o.Flush(); err != nil || !o.begun {
		return err
	}
	o.ended = true
	if o.rows != nil {
		if err := o.rows(); err != nil {
			return err
		}
	}
	if err := o.Writer.Flush(); err != nil {
		return err
	}
	if o.packer != nil {
		if err := o.packer.Close(); err != nil {
			return err
		}
	}
	return o.behind.wait()
}

// Close closes the file, and ends what is compressed, if End was not called; what was not flushed may be lost.
func (o *File) Close() error {
	if o == nil {
		return nil
	}
	var err error
	if o.packer != nil && o.begun && !o.ended {
		err = o.packer.Close()
	}
	o.behind.close()
	if err == nil && o.packer != nil {
		err = o.behind.err()
	}
	if o.file == nil {
		return err
	}
	return errors.Join(err, o.file.Close())
}
