package outfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

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

// Sync writes what is buffered onto the disk, and returns the length of the file. What is compressed ends there, so
// that more can follow.
func (o *File) Sync() (length int64, err error) {
	if err := o.Writer.Flush(); err != nil {
		return 0, err
	}
	if o.packer != nil {
		if err := o.packer.Close(); err != nil {
			return 0, err
		}
		if o.packer, err = newPacker(o.file.Name(), o.behind); err != nil {
			return 0, err
		}
		o.Reset(o.packer)
	}
	if err := o.behind.wait(); err != nil {
		return 0, err
	}
	if err := o.file.Sync(); err != nil {
		return 0, fmt.Errorf("write results: %w", err)
	}
	return o.file.Seek(0, io.SeekCurrent)
}

// Resume takes the place of Begin: the file keeps what it had when Settle returned a length, and goes on behind it.
func (o *File) Resume(length int64) error {
	info, err := o.file.Stat()
	if err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	if info.Size() < length {
		return fmt.Errorf("go on with %s: it has %d bytes and had %d: it was changed, or is another file", o.file.Name(), info.Size(), length)
	}
	if err = o.file.Truncate(length); err == nil {
		_, err = o.file.Seek(length, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	o.begun = true
	return nil
}

// Resumable says whether the file is one that Resume can shorten: neither standard output, nor a pipe or a device.
func (o *File) Resumable() bool {
	if o.file == nil {
		return false
	}
	info, err := o.file.Stat()
	return err == nil && info.Mode().IsRegular()
}

// packer compresses what is written to it; closing it ends what is compressed.
type packer interface {
	io.WriteCloser
	Flush() error
}

// newPacker returns what compresses a file of this name: by gzip if it ends in .gz, by zstd in .zst; else nil.
func newPacker(path string, out io.Writer) (packer, error) {
	name := strings.ToLower(path)
	for _, packed := range []string{".gz", ".zst", ".zstd", ".xz", ".bz2"} {
		if inner, ok := strings.CutSuffix(name, packed); ok && IsTable(inner) {
			return nil, fmt.Errorf("write %s: a Parquet file compresses its columns itself: name it .parquet", path)
		}
	}
	switch {
	case strings.HasSuffix(name, ".gz"):
		return gzip.NewWriter(out), nil
	case strings.HasSuffix(name, ".zst"), strings.HasSuffix(name, ".zstd"):
		return zstd.NewWriter(out, zstd.WithEncoderConcurrency(1))
	case strings.HasSuffix(name, ".xz"), strings.HasSuffix(name, ".bz2"):
		return nil, fmt.Errorf("write %s: outputs are compressed by gzip or zstd: name it .gz or .zst", path)
	}
	return nil, nil // it is not compressed
}
