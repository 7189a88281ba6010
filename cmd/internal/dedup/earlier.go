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
// documents: an earlierHead and the name of the match for each. It is written in one pass and read in the next.
type earlier struct {
	temporary
	kept   bool // for a run that goes on; a checkpoint removes it
	length int64
	in     *bufio.Reader
	number int64 // of the record that is read next; -1 behind the last
	match  Match
	line   []byte
}

// earlierHead is a match but for its name.
type earlierHead struct {
	Document, Match int64  // numbers
	Num, Den        uint32 // similarity
	Method, Name    uint32 // the method, and the length of the name
}

// newEarlier makes an empty file: a temporary one, or if a path is given one that a run can go on with.
func newEarlier(path string) (*earlier, error) {
	if path != "" {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return nil, fmt.Errorf("keep %s: %w", earlierMatches, err)
		}
		return keptEarlier(f), nil
	}
	f, err := newTemporary(earlierMatches)
	return &earlier{temporary: f}, err
}

// earlierMatches is what is in the file.
const earlierMatches = "matches for the next pass"

func keptEarlier(f *os.File) *earlier {
	return &earlier{temporary: temporary{what: earlierMatches, file: f, out: bufio.NewWriterSize(f, 64<<10)}, kept: true}
}

// openEarlier goes on with a file that had this length when sync returned.
func openEarlier(path string, length int64) (*earlier, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("read matches of the pass before: %w", err)
	}
	e := keptEarlier(f)
	e.length = length
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
	if err := e.flush(); err != nil {
		return 0, err
	}
	if err := e.file.Sync(); err != nil {
		return 0, fmt.Errorf("keep %s: %w", earlierMatches, err)
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
	head := earlierHead{number, m.Number, m.Similarity.Num, m.Similarity.Den, uint32(m.Method), uint32(len(m.Name))}
	e.line, _ = binary.Append(e.line[:0], binary.LittleEndian, &head) // its size is fixed
	e.line = append(e.line, m.Name...)
	e.length += int64(len(e.line))
	return e.write(e.line)
}

// begin ends the writing, and begins to read.
func (e *earlier) begin() (err error) {
	if e.in, err = e.rewind(); err != nil {
		return err
	}
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

// next reads a match.
func (e *earlier) next() error {
	var head earlierHead
	err := binary.Read(e.in, binary.LittleEndian, &head)
	if errors.Is(err, io.EOF) {
		e.number = -1
		return nil
	}
	name := make([]byte, head.Name)
	if err == nil {
		_, err = io.ReadFull(e.in, name)
	}
	if err != nil {
		return fmt.Errorf("read matches of the pass before: %w", err)
	}
	e.number = head.Document
	e.match = Match{head.Match, name, compare.Similarity{Num: head.Num, Den: head.Den}, compare.Method(head.Method)}
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
