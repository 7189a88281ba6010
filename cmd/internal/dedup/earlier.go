package dedup

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/unecho/unecho/index"
)

// earlier are the matches that documents have in the shares before theirs, in a temporary file, in the order of the
// documents. It is written in one pass and read in the next.
//
//	number, number of the match, similarity (two numbers), method, length of the name, all as varints; the name
type earlier struct {
	file    *os.File
	unnamed bool
	out     *bufio.Writer
	in      *bufio.Reader
	number  int64 // of the record that is read next; -1 behind the last
	match   Match
	line    []byte
}

func newEarlier() (*earlier, error) {
	f, err := os.CreateTemp("", "unecho-dedup-")
	if err != nil {
		return nil, fmt.Errorf("keep matches for the next pass: %w", err)
	}
	// If the system permits, the file has no name from now on, and disappears with the process, however that ends.
	unnamed := os.Remove(f.Name()) == nil
	return &earlier{file: f, unnamed: unnamed, out: bufio.NewWriterSize(f, 64<<10)}, nil
}

// add adds the match of a document.
func (e *earlier) add(number int64, m *Match) error {
	e.line = binary.AppendVarint(e.line[:0], number)
	e.line = binary.AppendVarint(e.line, m.Number)
	e.line = binary.AppendUvarint(e.line, uint64(m.Similarity.Num))
	e.line = binary.AppendUvarint(e.line, uint64(m.Similarity.Den))
	e.line = binary.AppendUvarint(e.line, uint64(m.Method))
	e.line = binary.AppendUvarint(e.line, uint64(len(m.Name)))
	e.line = append(e.line, m.Name...)
	if _, err := e.out.Write(e.line); err != nil {
		return fmt.Errorf("keep matches for the next pass: %w", err)
	}
	return nil
}

// rewind ends the writing, and begins to read.
func (e *earlier) rewind() error {
	if err := e.out.Flush(); err != nil {
		return fmt.Errorf("keep matches for the next pass: %w", err)
	}
	if _, err := e.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read matches of the pass before: %w", err)
	}
	e.in = bufio.NewReaderSize(e.file, 64<<10)
	return e.next()
}

// of returns the match of a document, or nil if it has none. Numbers ascend from call to call. The match is valid until the
// next call.
func (e *earlier) of(number int64) (*Match, error) {
	if e == nil {
		return nil, nil
	}
	for e.number >= 0 && e.number < number {
		if err := e.next(); err != nil {
			return nil, err
		}
	}
	if e.number != number {
		return nil, nil
	}
	return &e.match, nil
}

// next reads a record.
func (e *earlier) next() error {
	number, err := binary.ReadVarint(e.in)
	if errors.Is(err, io.EOF) {
		e.number = -1
		return nil
	}
	if err != nil {
		return fmt.Errorf("read matches of the pass before: %w", err)
	}
	e.number = number
	if e.match.Number, err = binary.ReadVarint(e.in); err != nil {
		return fmt.Errorf("read matches of the pass before: %w", err)
	}
	var values [4]uint64
	for i := range values {
		if values[i], err = binary.ReadUvarint(e.in); err != nil {
			return fmt.Errorf("read matches of the pass before: %w", err)
		}
	}
	e.match.Similarity = index.Similarity{Num: uint32(values[0]), Den: uint32(values[1])} //nolint:gosec // they were
	e.match.Method = index.Method(values[2])                                              //nolint:gosec // it was one
	e.match.Name = make([]byte, values[3])
	if _, err := io.ReadFull(e.in, e.match.Name); err != nil {
		return fmt.Errorf("read matches of the pass before: %w", err)
	}
	return nil
}

func (e *earlier) close() error {
	if e == nil {
		return nil
	}
	err := e.file.Close()
	if e.unnamed {
		return err
	}
	return errors.Join(err, os.Remove(e.file.Name()))
}
