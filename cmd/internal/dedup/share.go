package dedup

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

// share is the judge of one of several passes. It judges as many documents as the memory has room for, which are its
// share, and then only looks for what is like those of its share.
//
// The verdicts are those of one pass with room for all, as far as bounds leave none out, and what is popular among all is
// popular in each share: a document is compared with all unique ones before it, share by share, and its match is the most
// similar of them, of equally similar ones the first. One that has a match in an earlier share is no unique document, so
// it is looked for and not remembered.
type share struct {
	*Index
	before *earlier // matches in the shares before this one; nil if it is the first
	after  *earlier // matches of what is behind this one
	begins int64    // number of its first document
	end    int64    // number of the first document behind it; -1 if there is none yet
}

// newShare makes the judge of the documents from a number on, by an index that knows none yet. It owns before and after.
func newShare(x *Index, begins int64, before, after *earlier) *share {
	x.reach(begins)
	return &share{Index: x, before: before, after: after, begins: begins, end: -1}
}

// close closes the files that it has still.
func (s *share) close() error {
	if s == nil {
		return nil
	}
	err := errors.Join(s.before.close(), s.after.close())
	s.before, s.after = nil, nil
	return err
}

// has says whether a document is one of the share.
func (s *share) has(number int64) bool { return s.end < 0 || number < s.end }

// apply returns the matches of documents of the share, together with those of the shares before.
func (s *share) apply(_ context.Context, some *signed) (*matches, error) {
	s.found.reset()
	if s.end < 0 && !s.fits(some.entries) {
		if s.next == s.begins {
			return nil, fmt.Errorf("%w of %s: it has no room for %d documents", ErrMemory, s.params.Memory, len(some.entries))
		}
		s.end = s.next
	}
	for rest := some.entries; len(rest) > 0; {
		n := 0
		var known *Match
		for n < len(rest) && known == nil {
			var err error
			if known, err = s.before.of(rest[n].Offset); err != nil {
				return nil, err
			}
			if known != nil || s.end >= 0 {
				break
			}
			n++
		}
		if n > 0 { // neither is known to be a copy, and they belong to the share
			if err := s.judge(rest[:n]); err != nil {
				return nil, err
			}
		}
		if rest = rest[n:]; len(rest) > 0 {
			if err := s.look(&rest[0], known); err != nil {
				return nil, err
			}
			rest = rest[1:]
		}
	}
	return &s.found, nil
}

// fits says whether the window has room for so many documents.
func (s *share) fits(entries []entry.Entry) bool {
	bytes := s.replica.Stats().WindowBytes
	for i := range entries {
		bytes += index.EntryBytes(s.params.Index, &entries[i]) + index.MostFineBytes
	}
	return bytes <= int64(s.params.Memory)
}

// look finds the match of a document that is not remembered.
func (s *share) look(e *entry.Entry, known *Match) error {
	best := known
	for _, m := range s.replica.Lookup(e, 1) {
		if best == nil || best.Similarity.Less(m.Similarity) {
			best = &Match{Number: m.Offset, Name: []byte(m.ID), Similarity: m.Similarity, Method: m.Method}
		}
	}
	defer s.found.next(false)
	switch {
	case best == nil:
		return nil
	case s.end >= 0:
		return s.after.add(e.Offset, best)
	}
	s.found.add(best.Number, best.Name, best.Similarity, best.Method)
	return nil
}

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
