package unpack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/twmb/franz-go/pkg/kgo"
)

// whole unpacks a batch to no more than limit bytes; if there are more, it returns errTooMuch. It returns src itself if
// that is not compressed.
func (u *Unpacker) whole(src []byte, codec kgo.CompressionCodecType, limit int) ([]byte, error) {
	switch codec {
	case kgo.CodecSnappy:
		return snappyWhole(src, limit)
	case kgo.CodecZstd:
		return u.zstdWhole(src, limit)
	case plain:
		if len(src) > limit && !u.entire { // what was fetched takes no more for being read
			return nil, errTooMuch
		}
		return src, nil
	case kgo.CodecNone, kgo.CodecGzip, kgo.CodecLz4, kgo.CodecError:
	}
	from, err := u.stream(src, codec)
	if err != nil {
		return nil, err
	}
	return u.drain(from, limit)
}

// drain reads all of a stream of unknown length, first into pieces and then into a slice of the right size.
func (u *Unpacker) drain(from io.Reader, limit int) ([]byte, error) {
	if u.piece == nil {
		u.piece = make([]byte, firstPiece)
	}
	from = io.LimitReader(from, int64(limit)+1)
	var pieces [][]byte
	sum := 0
	for piece := u.piece; ; piece = make([]byte, min(2*len(piece), largestPiece)) {
		n, err := fill(from, piece)
		pieces = append(pieces, piece[:n])
		switch sum += n; {
		case sum > limit:
			return nil, errTooMuch
		case errors.Is(err, io.EOF):
			return slices.Concat(pieces...), nil
		case err != nil:
			return nil, err
		}
	}
}

// fill reads until p is full. Unlike io.ReadFull it passes errors on unchanged, because a batch may be cut off.
func fill(from io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var more int
		more, err = from.Read(p[n:])
		n += more
	}
	return n, err
}

const (
	firstPiece   = 1 << 20 // it is kept for later batches
	largestPiece = 8 << 20
)

// stream unpacks a batch of any size piece by piece. The reader is valid until the next call.
func (u *Unpacker) stream(src []byte, codec kgo.CompressionCodecType) (io.Reader, error) {
	switch codec {
	case kgo.CodecGzip:
		return &u.gzip, u.gzip.Reset(bytes.NewReader(src))
	case kgo.CodecLz4:
		if u.lz4 == nil {
			u.lz4 = lz4.NewReader(nil)
		}
		u.lz4.Reset(bytes.NewReader(src))
		return u.lz4, nil
	case kgo.CodecZstd:
		return zstdStream(src)
	case kgo.CodecSnappy:
		blocks, java := javaBlocks(src)
		return &snappy{src: blocks, java: java}, nil
	case plain:
		return bytes.NewReader(src), nil
	case kgo.CodecNone, kgo.CodecError:
	}
	return nil, fmt.Errorf("codec %d is unknown", codec)
}

// The window is how far a decoder of zstd looks back. A stream needs memory for its window. A batch that is unpacked
// whole needs none, because the output serves as window, and so the window may be as large as producers ask for: level
// 22 asks for 128 MiB.
const (
	streamWindow = 32 << 20 // level 20
	wholeWindow  = 128 << 20
)

// zstdWhole trusts a frame's own statement of its size only up to the limit. If the frame states none, it tries with
// more and more room, because the library reports too little room with various errors.
func (u *Unpacker) zstdWhole(src []byte, limit int) ([]byte, error) {
	if u.zstd == nil {
		var err error
		u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(wholeWindow), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return nil, err
		}
	}
	var said zstd.Header // of the first frame
	known := said.Decode(src) == nil && said.HasFCS
	if known && said.FrameContentSize > uint64(limit) {
		return nil, errTooMuch
	}
	room := max(64<<10, 6*len(src))
	if known {
		room = max(int(said.FrameContentSize), zstdSpare)
	}
	for ; ; room *= 4 {
		room = min(limit, room)
		out, err := u.zstd.DecodeAll(src, make([]byte, 0, room+zstdSpare))
		switch {
		case err == nil && len(out) > limit, err != nil && room == limit:
			return nil, errTooMuch // or the batch is damaged, which is found when it is read record by record
		case err == nil && cap(out)-len(out) > len(out)/4+zstdSpare:
			return bytes.Clone(out), nil
		case err == nil:
			return out, nil
		}
	}
}

// zstdSpare is room, in bytes, that the library likes to have behind its output.
const zstdSpare = 4 << 10

func zstdStream(src []byte) (io.Reader, error) {
	d, err := zstd.NewReader(bytes.NewReader(src), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(streamWindow), zstd.WithDecoderMaxMemory(2*streamed))
	if err != nil {
		return nil, err
	}
	return d, nil
}

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
