package audit

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/unecho/unecho/index"
)

// journalCopy keeps records of the journal in a temporary file. It is needed where members trim the journal: they may
// delete the next records while the twin still works.
//
//	offset (varint) · log append time (varint) · length (varint) · value, again and again
type journalCopy struct {
	file *os.File
	out  *bufio.Writer
	head []byte
}

func newJournalCopy(directory string) (*journalCopy, error) {
	f, err := createTemp(directory)
	if err != nil {
		return nil, fmt.Errorf("copy journal: %w", err)
	}
	return &journalCopy{file: f, out: bufio.NewWriterSize(f, mergeBuffer)}, nil
}

func (c *journalCopy) add(at index.Stamp, value []byte) error {
	c.head = binary.AppendVarint(c.head[:0], at.Offset)
	c.head = binary.AppendVarint(c.head, at.LogAppendTime)
	c.head = binary.AppendUvarint(c.head, uint64(len(value)))
	_, err := c.out.Write(c.head)
	_, err2 := c.out.Write(value)
	if err := errors.Join(err, err2); err != nil {
		return fmt.Errorf("copy journal: %w", err)
	}
	return nil
}

// each visits the records in their order. A value is valid during the visit.
func (c *journalCopy) each(visit func(at index.Stamp, value []byte) error) error {
	err := c.out.Flush()
	if err == nil {
		_, err = c.file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("copy journal: %w", err)
	}
	in := bufio.NewReaderSize(c.file, mergeBuffer)
	for value := []byte(nil); ; {
		var at index.Stamp
		if at.Offset, err = binary.ReadVarint(in); errors.Is(err, io.EOF) {
			return nil
		}
		var length uint64
		if err == nil {
			at.LogAppendTime, err = binary.ReadVarint(in)
		}
		if err == nil {
			length, err = binary.ReadUvarint(in)
		}
		if err == nil {
			value = slices.Grow(value[:0], int(length))[:length]
			_, err = io.ReadFull(in, value)
		}
		if err != nil {
			return fmt.Errorf("read copy of journal: %w", err)
		}
		if err := visit(at, value); err != nil {
			return err
		}
	}
}

func (c *journalCopy) close() error { return closeTemp(c.file) }
