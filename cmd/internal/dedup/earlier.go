package dedup

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/unecho/unecho/index/compare"
)

// earlier are the matches that documents have in the shares before theirs, in a temporary file, in the order of the
// documents. It is written in one pass and read in the next.
//
//	number, number of the match, similarity (two numbers), method, length of the name, all as varints; the name
type earlier struct {
	temporary
	kept   bool // for a run that goes on; a checkpoint removes it
	length int64
	in     *bufio.Reader
	number int64 // of the record that is read next; -1 behind the last
	match  Match
	line   []byte
}

// newEarlier makes an empty file: a temporary one, or if a path is given one that a run can go on with.
func newEarlier(path string) (*earlier, error) {
	if path != "" {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return nil, fmt.Errorf("keep matches for the next pass: %w", err)
		}
		return &earlier{temporary: temporary{file: f, out: bufio.NewWriterSize(f, 64<<10)}, kept: true}, nil
	}
	f, err := newTemporary()
	if err != nil {
		return nil, fmt.Errorf("keep matches for the next pass: %w", err)
	}
	return &earlier{temporary: f}, nil
}

// openEarlier goes on with a file that had this length when settle returned.
func openEarlier(path string, length int64) (*earlier, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("read matches of the pass before: %w", err)
	}
	e := &earlier{temporary: temporary{file: f, out: bufio.NewWriterSize(f, 64<<10)}, kept: true, length: length}
	end, err := f.Seek(0, io.SeekEnd)
	if err == nil && end < length {
		err = fmt.Errorf("%s has %d bytes and had %d", path, end, length)
	}
	if err == nil {
		err = f.Truncate(length)
	}
	if err == nil {
		_, err = f.Seek(length, io.SeekStart)
	}
	if err != nil {
		return nil, fmt.Errorf("read matches of the pass before: %w", errors.Join(err, f.Close()))
	}
	return e, nil
}

// sync writes what was added onto the disk, and returns the length of the file.
func (e *earlier) sync() (int64, error) {
	if e == nil || e.in != nil {
		return e.len(), nil
	}
	if err := e.out.Flush(); err != nil {
		return 0, fmt.Errorf("keep matches for the next pass: %w", err)
	}
	if err := e.file.Sync(); err != nil {
		return 0, fmt.Errorf("keep matches for the next pass: %w", err)
	}
	return e.length, nil
}

func (e *earlier) len() int64 {
	if e == nil {
		return 0
	}
	return e.length
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
	e.length += int64(len(e.line))
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
	e.match.Similarity = compare.Similarity{Num: uint32(values[0]), Den: uint32(values[1])}
	e.match.Method = compare.Method(values[2])
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
	if e.kept {
		return e.file.Close()
	}
	return e.temporary.close()
}
