package outfile

import (
	"fmt"
	"io"
)

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
	if err := o.file.Truncate(length); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	if _, err := o.file.Seek(length, io.SeekStart); err != nil {
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
