package block

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/bits"
	"slices"

	"github.com/FastFilter/xorfilter"

	"github.com/unecho/unecho/index/wire"
)

const (
	magic       = "\x1eunb"
	version     = 1
	footerBytes = 24
	// listBytes is the least that a list takes in the trailer.
	listBytes = 1 + 8 + 1 + 1
	// readPages is how many pages Postings reads at once.
	readPages = 64
)

// Open reads a block from its file, which has size bytes. The error wraps wire.ErrCorrupt if the file is damaged or cut
// short, and wire.ErrVersion if another version wrote it. Pages are not read: Sound tells of each.
func Open(r io.ReaderAt, size int64) (*Block, error) {
	var foot [footerBytes]byte
	if size < footerBytes {
		return nil, fmt.Errorf("%w: a block of %d bytes", wire.ErrCorrupt, size)
	}
	if err := read(r, foot[:], size-footerBytes); err != nil {
		return nil, err
	}
	length, sum, err := readFooter(foot[:])
	if err != nil {
		return nil, err
	}
	if length > uint64(size-footerBytes) {
		return nil, fmt.Errorf("%w: a block of %d bytes, its trailer of %d", wire.ErrCorrupt, size, length)
	}
	trailer := room(int(length))
	pages := size - footerBytes - int64(length)
	if err := read(r, trailer, pages); err != nil {
		return nil, err
	}
	if crc32.Checksum(trailer, castagnoli) != sum {
		return nil, fmt.Errorf("%w: the checksum of a block's trailer", wire.ErrCorrupt)
	}
	b, ok := decode(trailer)
	if !ok || int64(len(b.sums)/numberBytes)*PageBytes != pages {
		return nil, fmt.Errorf("%w: the trailer of a block", wire.ErrCorrupt)
	}
	b.size = size
	return b, nil
}

func appendFooter(to []byte, length int, sum uint32) []byte {
	begin := len(to)
	to = append(append(to, magic...), version, 0, 0, 0)
	to = binary.LittleEndian.AppendUint64(to, uint64(length))
	to = binary.LittleEndian.AppendUint32(to, sum)
	return binary.LittleEndian.AppendUint32(to, crc32.Checksum(to[begin:], castagnoli))
}

// readFooter returns the length of the trailer and its checksum.
func readFooter(foot []byte) (length uint64, sum uint32, err error) {
	checked := foot[:footerBytes-numberBytes]
	if string(foot[:len(magic)]) != magic || crc32.Checksum(checked, castagnoli) != number(foot[len(checked):], 0) {
		return 0, 0, fmt.Errorf("%w: the footer of a block", wire.ErrCorrupt)
	}
	rd := wire.NewReader(checked[len(magic):])
	if err := wire.ReadVersion(&rd, "block", version); err != nil {
		return 0, 0, err
	}
	rd.Take(3)
	return rd.Uint64(), number(rd.Take(numberBytes), 0), nil
}

// decode returns the block of a trailer. It uses the trailer's memory.
func decode(trailer []byte) (b *Block, ok bool) {
	rd := wire.NewReader(trailer)
	b = &Block{about: rd.Bytes()}
	b.lists = make([]list, rd.Count(listBytes))
	pages := 0
	for i := range b.lists {
		if b.lists[i], ok = decodeList(&rd, pages); !ok {
			return nil, false
		}
		pages += b.lists[i].pages()
	}
	b.sums = rd.Take(uint64(pages) * numberBytes)
	return b, !rd.Short() && rd.Len() == 0
}

// decodeList reads a list, whose pages begin at first. The caller checks whether the trailer was too short. Contains of the
// filter stays within the fingerprints: it reads one each of three segments in a row, whose length is a power of two.
func decodeList(rd *wire.Reader, first int) (l list, ok bool) {
	count, seed, length, segments := rd.Uvarint(), rd.Uint64(), rd.Uvarint(), rd.Uvarint()
	pages := count / pagePostings
	if count%pagePostings != 0 {
		pages++
	}
	l = list{count: int(count), first: first, all: count > 0, keys: rd.Take(pages * numberBytes)}
	if length == 0 {
		return l, true
	}
	if max(length, segments) > math.MaxUint32 || bits.OnesCount64(length) != 1 || segments == 0 {
		return l, false
	}
	l.filter = xorfilter.BinaryFuse[uint8]{
		Seed: seed, SegmentLength: uint32(length), SegmentLengthMask: uint32(length - 1), SegmentCount: uint32(segments),
		SegmentCountLength: uint32(length * segments), Fingerprints: rd.Take(length * (segments + 2)), // less than 1<<64
	}
	return l, true
}

// Postings appends all postings of a list, in order of key and place. It reads them from the block's file. The error
// wraps wire.ErrCorrupt if a page is not what was written.
func (b *Block) Postings(r io.ReaderAt, list int, into []Posting) ([]Posting, error) {
	l := &b.lists[list]
	into = slices.Grow(into, l.count)
	buffer := make([]byte, min(readPages, l.pages())*PageBytes)
	for page, end := l.first, l.first+l.pages(); page < end; {
		data := buffer[:min(readPages, end-page)*PageBytes]
		if err := read(r, data, int64(page)*PageBytes); err != nil {
			return nil, err
		}
		for ; len(data) > 0; data, page = data[PageBytes:], page+1 {
			if !b.Sound(page, data[:PageBytes]) {
				return nil, fmt.Errorf("%w: page %d of a block", wire.ErrCorrupt, page)
			}
			for i := range b.held(page) {
				into = append(into, Posting{Key: number(data, i), At: number(data[placesAt:], i)})
			}
		}
	}
	return into, nil
}

// read fills data from a place in the file. A file that ends before is damaged.
func read(r io.ReaderAt, data []byte, at int64) error {
	n, err := r.ReadAt(data, at)
	switch {
	case n == len(data):
		return nil
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%w: a block ends before byte %d", wire.ErrCorrupt, at+int64(len(data)))
	}
	return fmt.Errorf("read a block: %w", err)
}
