package dedup

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/unecho/unecho/index/text"
)

// temporary is a file that is written and then read again. If the system permits, it has no name, and disappears with
// the process, however that ends.
type temporary struct {
	what    string // is in it, for errors
	file    *os.File
	unnamed bool // else close removes it
	out     *bufio.Writer
}

func newTemporary(what string) (temporary, error) {
	f, err := os.CreateTemp("", "unecho-dedup-")
	if err != nil {
		return temporary{}, fmt.Errorf("keep %s: %w", what, err)
	}
	return temporary{what: what, file: f, unnamed: os.Remove(f.Name()) == nil, out: bufio.NewWriterSize(f, 64<<10)}, nil
}

func (t *temporary) write(all ...[]byte) error {
	for _, data := range all {
		if _, err := t.out.Write(data); err != nil {
			return fmt.Errorf("keep %s: %w", t.what, err)
		}
	}
	return nil
}

func (t *temporary) flush() error {
	if err := t.out.Flush(); err != nil {
		return fmt.Errorf("keep %s: %w", t.what, err)
	}
	return nil
}

// rewind ends the writing, and reads the file from its beginning.
func (t *temporary) rewind() (*bufio.Reader, error) {
	if err := t.flush(); err != nil {
		return nil, err
	}
	_, err := t.file.Seek(0, io.SeekStart)
	return bufio.NewReaderSize(t.file, 64<<10), err
}

func (t *temporary) close() error {
	if t.file == nil {
		return nil
	}
	err := t.file.Close()
	if t.unnamed {
		return err
	}
	return errors.Join(err, os.Remove(t.file.Name()))
}

// spool keeps documents in a temporary file until it is known which of them are unique.
type spool struct {
	temporary
	n int64
}

func newSpool() (*spool, error) {
	f, err := newTemporary("documents until the clusters are known")
	return &spool{temporary: f}, err
}

// noDocument is the number of an item in the file that is not a document.
const noDocument = -1

// spooledHead is before each document: its number and its length, 8 bytes each.
type spooledHead [16]byte

// add adds a document, in one or two parts.
func (s *spool) add(number int64, first []byte, second ...byte) error {
	var head spooledHead
	binary.LittleEndian.PutUint64(head[:], uint64(number))
	binary.LittleEndian.PutUint64(head[8:], uint64(len(first)+len(second)))
	s.n++
	return s.write(head[:], first, second)
}

// each reads all of them again.
func (s *spool) each(visit func(number int64, raw []byte) error) error {
	in, err := s.rewind()
	if err != nil {
		return err
	}
	var head spooledHead
	var raw []byte
	for range s.n {
		if _, err = io.ReadFull(in, head[:]); err == nil {
			size := int(binary.LittleEndian.Uint64(head[8:]))
			raw = slices.Grow(raw[:0], size)[:size]
			_, err = io.ReadFull(in, raw)
		}
		if err != nil {
			return fmt.Errorf("read documents back: %w", err)
		}
		if err := visit(int64(binary.LittleEndian.Uint64(head[:])), raw); err != nil {
			return err
		}
	}
	return nil
}

// textFile keeps the beginnings of texts in a temporary file, to be read back by the numbers of their documents.
type textFile struct {
	temporary
	first int64   // number of the first document
	ends  []int64 // where each text ends in the file
}

// mostText is how much of a text is kept.
const mostText = 16 << 10

func newTextFile(first int64) (*textFile, error) {
	f, err := newTemporary("texts for the page")
	return &textFile{temporary: f, first: first}, err
}

// add keeps the text of the next document.
func (t *textFile) add(whole []byte) error {
	kept := text.Cut(whole, mostText)
	end := int64(len(kept))
	if len(t.ends) > 0 {
		end += t.ends[len(t.ends)-1]
	}
	t.ends = append(t.ends, end)
	return t.write(kept)
}

// text reads the text of a document; known is false for one of an index file, which holds no texts.
func (t *textFile) text(number int64) (text string, known bool, err error) {
	i := number - t.first
	if i < 0 || i >= int64(len(t.ends)) {
		return "", false, nil
	}
	if err := t.flush(); err != nil {
		return "", false, err
	}
	from := int64(0)
	if i > 0 {
		from = t.ends[i-1]
	}
	b := make([]byte, t.ends[i]-from)
	if _, err := t.file.ReadAt(b, from); err != nil && len(b) > 0 {
		return "", false, fmt.Errorf("read texts back: %w", err)
	}
	return string(b), true, nil
}
