package block

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"math"
	"math/bits"

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

// decodeList reads a list, whose pages begin at first. The caller checks whether the trailer was too short.
func decodeList(rd *wire.Reader, first int) (l list, ok bool) {
	count := rd.Uvarint()
	pages := over(count, pagePostings)
	var bytes []uint64 // of the fingerprints of each filter
	for n := max(1, over(pages, filterPages)); n > 0 && !rd.Short(); n-- {
		f, fingerprints, ok := decodeFilter(rd)
		if !ok {
			return l, false
		}
		l.filters, bytes = append(l.filters, f), append(bytes, fingerprints)
	}
	if rd.Short() {
		return l, false
	}
	l.count, l.first, l.keys = int(count), first, rd.Take(pages*numberBytes)
	for k, n := range bytes {
		l.filters[k].Fingerprints = rd.Take(n)
	}
	if count == 0 {
		ok, l.filters = bytes[0] == 0, nil
		return l, ok
	}
	return l, true
}

// over is a quotient, rounded up.
func over(n, by uint64) uint64 { return n/by + min(1, n%by) }

// decodeFilter reads a filter, and how many bytes its fingerprints have. Contains stays within these: it reads one each of
// three segments in a row, whose length is a power of two.
func decodeFilter(rd *wire.Reader) (f xorfilter.BinaryFuse[uint8], fingerprints uint64, ok bool) {
	seed, length, segments := rd.Uint64(), rd.Uvarint(), rd.Uvarint()
	if length == 0 {
		return f, 0, true
	}
	if max(length, segments) > math.MaxUint32 || bits.OnesCount64(length) != 1 || segments == 0 {
		return f, 0, false
	}
	f = xorfilter.BinaryFuse[uint8]{
		Seed: seed, SegmentLength: uint32(length), SegmentLengthMask: uint32(length - 1), SegmentCount: uint32(segments),
		SegmentCountLength: uint32(length * segments),
	}
	return f, length * (segments + 2), true // less than 1<<64
}

// Postings yields all postings of a list, in order of key and place: some at once, which are valid until the next ones. It
// reads them from the block's file. An error is the last that it yields; it wraps wire.ErrCorrupt if a page is not what was
// written.
func (b *Block) Postings(r io.ReaderAt, list int) iter.Seq2[[]Posting, error] {
	return func(yield func([]Posting, error) bool) {
		l := &b.lists[list]
		buffer, postings := make([]byte, min(readPages, l.pages())*PageBytes), make([]Posting, 0, pagePostings)
		for page, end := l.first, l.first+l.pages(); page < end; {
			data := buffer[:min(readPages, end-page)*PageBytes]
			if err := read(r, data, int64(page)*PageBytes); err != nil {
				yield(nil, err)
				return
			}
			for ; len(data) > 0; data, page = data[PageBytes:], page+1 {
				if !b.Sound(page, data[:PageBytes]) {
					yield(nil, fmt.Errorf("%w: page %d of a block", wire.ErrCorrupt, page))
					return
				}
				postings = postings[:0]
				for i := range b.held(page) {
					postings = append(postings, Posting{Key: number(data, i), At: number(data[placesAt:], i)})
				}
				if !yield(postings, nil) {
					return
				}
			}
		}
	}
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
