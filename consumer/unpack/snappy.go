package unpack

import (
	"encoding/binary"
	"io"
	"slices"

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

// snappy unpacks blocks of any size piece by piece. It remembers only some of a block's output. Java's blocks are 32
// KiB, and most encoders look back 64 KiB at most, but an encoder may look back on all of a block. If a block looks
// back further than the window, snappy cannot go on.
type snappy struct {
	src    []byte
	java   bool
	block  []byte
	left   int    // unpacked bytes of the block that are still to come
	window []byte // the output that was unpacked last
	ready  int    // where the unread part of window begins
}

const lookBack = 16 << 20

func newSnappy(src []byte) *snappy {
	blocks, java := javaBlocks(src)
	return &snappy{src: blocks, java: java}
}

func (s *snappy) Read(p []byte) (int, error) {
	for s.ready == len(s.window) {
		if err := s.more(); err != nil {
			return 0, err
		}
	}
	n := copy(p, s.window[s.ready:])
	s.ready += n
	return n, nil
}

// more unpacks the next element, after all before it was read.
func (s *snappy) more() error {
	if len(s.block) == 0 {
		return s.nextBlock()
	}
	if len(s.window) > 2*lookBack {
		s.window = s.window[:copy(s.window, s.window[len(s.window)-lookBack:])]
		s.ready = len(s.window)
	}
	before := len(s.window)
	var ok bool
	if s.block[0]&3 == 0 {
		ok = s.literal()
	} else {
		ok = s.copied()
	}
	if s.left -= len(s.window) - before; !ok || s.left < 0 {
		return errUnreadable
	}
	return nil
}

func (s *snappy) nextBlock() error {
	switch {
	case s.left > 0:
		return errUnreadable
	case len(s.src) == 0:
		return io.EOF
	}
	block, rest, ok := nextBlock(s.src, s.java)
	n, size := binary.Uvarint(block)
	if !ok || size <= 0 || n > 1<<32 {
		return errUnreadable
	}
	s.src, s.block, s.left = rest, block[size:], int(n)
	s.window, s.ready = slices.Grow(s.window[:0], min(s.left, 2*lookBack+lookBack/8)), 0
	return nil
}

// literal copies bytes as they stand. The first byte is their number less one, or says how many bytes hold that number.
func (s *snappy) literal() bool {
	n, at := int(s.block[0]>>2), 1
	if n >= 60 {
		var number [8]byte
		if at += n - 59; len(s.block) < at {
			return false
		}
		copy(number[:], s.block[1:at])
		n = int(binary.LittleEndian.Uint64(number[:]))
	}
	n++
	if n > len(s.block)-at {
		return false
	}
	s.window = append(s.window, s.block[at:at+n]...)
	s.block = s.block[at+n:]
	return true
}

// copied repeats earlier output. Length and distance stand in 2, 3 or 5 bytes.
func (s *snappy) copied() bool {
	size := []int{0, 2, 3, 5}[s.block[0]&3]
	if len(s.block) < size {
		return false
	}
	n, distance := int(s.block[0]>>2)+1, 0
	switch size {
	case 2:
		n, distance = 4+int(s.block[0]>>2&7), int(s.block[0]>>5)<<8|int(s.block[1])
	case 3:
		distance = int(binary.LittleEndian.Uint16(s.block[1:]))
	default:
		distance = int(binary.LittleEndian.Uint32(s.block[1:]))
	}
	s.block = s.block[size:]
	if distance == 0 || distance > len(s.window) {
		return false
	}
	for range n {
		s.window = append(s.window, s.window[len(s.window)-distance])
	}
	return true
}
