package unpack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/twmb/franz-go/pkg/kgo"
)

// whole unpacks no more than limit bytes: errTooMuch. What is not compressed it returns where it is.
func (u *Unpacker) whole(src []byte, codec kgo.CompressionCodecType, limit int) ([]byte, error) {
	switch codec {
	case kgo.CodecSnappy:
		return snappyWhole(src, limit)
	case kgo.CodecZstd:
		return u.zstdWhole(src, limit)
	case plain:
		if len(src) > limit {
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

// drain reads all of a stream, of which nobody knows the length, first into pieces and then into what is just large enough.
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

// fill reads until p is full. Unlike io.ReadFull it passes on errors as they are: a batch may be cut off.
func fill(from io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var more int
		more, err = from.Read(p[n:])
		n += more
	}
	return n, err
}

const (
	firstPiece   = 1 << 20 // and it stays
	largestPiece = 8 << 20
)

// stream unpacks a batch of whatever size piece by piece. The reader is good until the next call.
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
		return newSnappy(src), nil
	case plain:
		return bytes.NewReader(src), nil
	case kgo.CodecNone, kgo.CodecError:
	}
	return nil, fmt.Errorf("codec %d is unknown", codec)
}

// A window is what a decoder of zstd looks back on. That of a stream is its own memory; where a batch is unpacked whole the
// output serves, and the window may be as large as producers ask for: level 22 does for 128 MiB.
const (
	streamWindow = 32 << 20 // level 20
	wholeWindow  = 128 << 20
)

// zstdWhole trusts what a frame says of its size only as far as the limit. Where it says nothing, it tries with more and more
// room, for the library tells too little of it by various errors.
func (u *Unpacker) zstdWhole(src []byte, limit int) ([]byte, error) {
	if u.zstd == nil {
		var err error
		u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(wholeWindow), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return nil, err
		}
	}
	said, known := zstdSize(src)
	if known && said > uint64(limit) {
		return nil, errTooMuch
	}
	room := max(64<<10, 6*len(src))
	if known {
		room = max(int(said), zstdSpare)
	}
	for ; ; room *= 4 {
		room = min(limit, room)
		out, err := u.zstd.DecodeAll(src, make([]byte, 0, room+zstdSpare))
		switch {
		case err == nil && len(out) > limit, err != nil && room == limit:
			return nil, errTooMuch // or it is damaged, which will be found when it is looked through
		case err == nil && cap(out)-len(out) > len(out)/4+zstdSpare:
			return bytes.Clone(out), nil
		case err == nil:
			return out, nil
		}
	}
}

// zstdSpare is room that the library likes to have behind what it writes.
const zstdSpare = 4 << 10

// zstdSize is what the first frame says it unpacks to.
func zstdSize(src []byte) (uint64, bool) {
	var h zstd.Header
	err := h.Decode(src)
	return h.FrameContentSize, err == nil && h.HasFCS
}

func zstdStream(src []byte) (io.Reader, error) {
	d, err := zstd.NewReader(bytes.NewReader(src), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(streamWindow), zstd.WithDecoderMaxMemory(2*streamed))
	if err != nil {
		return nil, err
	}
	return d, nil
}
