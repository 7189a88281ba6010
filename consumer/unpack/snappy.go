package unpack

import (
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/s2"
)

// Snappy comes in two forms. Most clients write one block. Java writes several blocks, each with its length before it:
//
//	magic 8 · version 4 · compatible version 4 · each: length 4, big endian · block
const javaMagic = "\x82SNAPPY\x00"

const javaHeader = 16

// nextBlock cuts a block off src. ok is false if there is none.
func nextBlock(src []byte, java bool) (block, rest []byte, ok bool) {
	if !java {
		return src, nil, true
	}
	if len(src) < 4 {
		return nil, nil, false
	}
	n := binary.BigEndian.Uint32(src)
	if src = src[4:]; int64(n) > int64(len(src)) {
		return nil, nil, false
	}
	return src[:n], src[n:], true
}

func javaBlocks(src []byte) (blocks []byte, java bool) {
	if len(src) > javaHeader && string(src[:len(javaMagic)]) == javaMagic {
		return src[javaHeader:], true
	}
	return src, false
}

// snappyWhole unpacks to no more than limit bytes. It adds up the sizes that the blocks claim before it takes memory.
func snappyWhole(src []byte, limit int) ([]byte, error) {
	src, java := javaBlocks(src)
	sum := 0
	for rest := src; len(rest) > 0; {
		block, behind, ok := nextBlock(rest, java)
		if !ok {
			return nil, errUnreadable
		}
		n, err := s2.DecodedLen(block)
		if err != nil {
			return nil, err
		}
		if sum += n; sum > limit {
			return nil, errTooMuch
		}
		rest = behind
	}
	out := make([]byte, sum)
	for room := out; len(src) > 0; {
		block, behind, _ := nextBlock(src, java)
		n, _ := s2.DecodedLen(block) // it was read above
		if _, err := s2.Decode(room[:n:n], block); err != nil {
			return nil, err
		}
		room, src = room[n:], behind
	}
	return out, nil
}

// snappy unpacks one block after the other. Java's blocks are 32 KiB; others write one for all of a batch.
type snappy struct {
	src   []byte
	java  bool
	block []byte // unpacked
	ready []byte // the part of it that was not read yet
}

// largestBlock is how many bytes a block may unpack to.
const largestBlock = 32 << 20

func newSnappy(src []byte) *snappy {
	blocks, java := javaBlocks(src)
	return &snappy{src: blocks, java: java}
}

func (s *snappy) Read(p []byte) (int, error) {
	for len(s.ready) == 0 {
		if len(s.src) == 0 {
			return 0, io.EOF
		}
		block, rest, ok := nextBlock(s.src, s.java)
		if n, err := s2.DecodedLen(block); !ok || err != nil || n > largestBlock {
			return 0, errUnreadable
		}
		var err error
		if s.block, err = s2.Decode(s.block, block); err != nil {
			return 0, errUnreadable
		}
		s.src, s.ready = rest, s.block
	}
	n := copy(p, s.ready)
	s.ready = s.ready[n:]
	return n, nil
}
