// Package durable writes files that are there completely or not at all, and whose names are still there when the power
// comes back. It says what to do about an error of the file system.
package durable

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/cespare/xxhash/v2"
)

// File is a file that is being written. An *os.File is one.
type File interface {
	io.Writer
	io.ReaderAt
	io.Closer
	Name() string // the path under which it was made
	Sync() error
}

// Names are the names that a file system has for files.
type Names interface {
	Rename(from, to string) error
	Remove(path string) error
	SyncDir(path string) error // makes the names in a directory durable
}

// piece is how many bytes are written or read back at once.
const piece = 64 << 10

// Write fills a new file with what write writes, as a stream, and gives it the name path. The file is there completely
// or not at all, is durable on return, and was read back before it appeared at path. Write closes the file. After an
// error, also one of write, the name that the file was made under is gone, if it can be removed.
func Write(d Names, f File, path string, write func(io.Writer) error) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, IgnoreMissing(d.Remove(f.Name())))
		}
	}()
	if err := fill(f, write); err != nil {
		return errors.Join(err, f.Close())
	}
	// The file is renamed before it is closed, because closing releases the lock that keeps a cleaner away. What Close
	// could still report, Sync has reported.
	if err := d.Rename(f.Name(), path); err != nil {
		return errors.Join(err, f.Close())
	}
	return errors.Join(f.Close(), d.SyncDir(filepath.Dir(path)))
}

// Data returns what writes data.
func Data(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

func fill(f File, write func(io.Writer) error) error {
	sum := xxhash.New()
	w := bufio.NewWriterSize(io.MultiWriter(f, sum), piece)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil { // also an error that write has ignored
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if file, ok := f.(*os.File); ok {
		forget(file)
	}
	return holds(f, sum.Sum64())
}

// holds reads a file to its end and compares its checksum.
func holds(f File, sum uint64) error {
	read := xxhash.New()
	buffer := make([]byte, piece)
	n := piece
	for at := int64(0); n == piece; at += piece {
		var err error
		if n, err = f.ReadAt(buffer, at); err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read back: %w", err)
		}
		_, _ = read.Write(buffer[:n]) // it never fails
	}
	if read.Sum64() != sum {
		return &os.PathError{Op: "read back", Path: f.Name(), Err: errOtherBytes}
	}
	return nil
}

var errOtherBytes = fmt.Errorf("it is not what was written (%w)", syscall.EIO)

// OS is the file system of this machine.
type OS struct{}

// Rename implements Names.
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements Names.
func (OS) Remove(path string) error { return os.Remove(path) }

// SyncDir implements Names. Some file systems do not support that, and do not need it.
func (OS) SyncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

// MakeDir makes a directory and its missing parents with mode 0700, durable on return. It needs no rights on
// directories that exist.
func (d OS) MakeDir(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return &os.PathError{Op: "mkdir", Path: path, Err: syscall.ENOTDIR}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(path)
	if err := d.MakeDir(parent); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return d.SyncDir(parent)
}

// IgnoreMissing returns nil for the error that a file is not there, as its removal may.
func IgnoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
