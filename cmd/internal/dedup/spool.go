package dedup

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// spool keeps documents in a temporary file until it is known which of them are unique.
type spool struct {
	temporary
	n int64
}

func newSpool() (*spool, error) {
	f, err := newTemporary()
	if err != nil {
		return nil, fmt.Errorf("keep documents until the clusters are known: %w", err)
	}
	return &spool{temporary: f}, nil
}

// noDocument is the number of an item in the file that is not a document.
const noDocument = -1

// add writes a document: its number and its length, then itself.
func (s *spool) add(number int64, raw []byte) error {
	var head [2 * binary.MaxVarintLen64]byte
	n := binary.PutVarint(head[:], number)
	n += binary.PutUvarint(head[n:], uint64(len(raw)))
	if _, err := s.out.Write(head[:n]); err != nil {
		return fmt.Errorf("keep documents until the clusters are known: %w", err)
	}
	if _, err := s.out.Write(raw); err != nil {
		return fmt.Errorf("keep documents until the clusters are known: %w", err)
	}
	s.n++
	return nil
}

// each reads all of them again.
func (s *spool) each(visit func(number int64, raw []byte) error) error {
	if err := s.out.Flush(); err != nil {
		return fmt.Errorf("keep documents until the clusters are known: %w", err)
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read documents back: %w", err)
	}
	in := bufio.NewReaderSize(s.file, 64<<10)
	var raw []byte
	for range s.n {
		number, err := binary.ReadVarint(in)
		if err != nil {
			return fmt.Errorf("read documents back: %w", err)
		}
		size, err := binary.ReadUvarint(in)
		if err != nil {
			return fmt.Errorf("read documents back: %w", err)
		}
		if uint64(cap(raw)) < size {
			raw = make([]byte, size)
		}
		raw = raw[:size]
		if _, err := io.ReadFull(in, raw); err != nil {
			return fmt.Errorf("read documents back: %w", err)
		}
		if err := visit(number, raw); err != nil {
			return err
		}
	}
	return nil
}
