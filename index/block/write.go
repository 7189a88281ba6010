package block

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/FastFilter/xorfilter"

	"github.com/unecho/unecho/index/memory"
)

// Write writes the file of a block to w, from its beginning, and returns the block. about is what the caller says of it:
// any bytes, up to some MiB. list appends the postings of list i to into, in any order; it is called once for each list
// below lists, in ascending order. An error of it ends Write, and is returned as it is.
//
// The same postings make the same file, on processors of one kind. Memory is that of one list, some 50 bytes a posting,
// beside the block.
func Write(
	w io.Writer, about []byte, lists int, list func(i int, into []Posting) ([]Posting, error),
) (*Block, error) {
	return newWriter(w).write(about, lists, list)
}

// writer writes a block. It uses its memory again for each list.
type writer struct {
	out      *bufio.Writer
	page     [PageBytes]byte
	distinct []uint64
	fuse     xorfilter.BinaryFuseBuilder
	filter   func(*xorfilter.BinaryFuseBuilder, []uint64) (xorfilter.BinaryFuse[uint8], error)
	b        Block
}

func newWriter(w io.Writer) *writer {
	return &writer{out: bufio.NewWriterSize(w, 1<<16), filter: xorfilter.BuildBinaryFuse[uint8]}
}

func (w *writer) write(about []byte, lists int, list func(int, []Posting) ([]Posting, error)) (*Block, error) {
	w.b.about = bytes.Clone(about)
	var postings, other []Posting
	for i := range lists {
		var err error
		if postings, err = list(i, postings[:0]); err != nil {
			return nil, err
		}
		postings, other = sorted(postings, other)
		if err = w.list(postings); err != nil {
			return nil, fmt.Errorf("write list %d of a block: %w", i, err)
		}
	}
	if err := w.end(); err != nil {
		return nil, fmt.Errorf("write the end of a block: %w", err)
	}
	b := w.b // a pointer into w would keep all of it in memory
	return &b, nil
}

// list writes the pages of a list, and keeps what memory needs of it.
func (w *writer) list(postings []Posting) error {
	l := list{count: len(postings), first: len(w.b.sums) / numberBytes, all: len(postings) > 0}
	for rest := postings; len(rest) > 0; {
		part := rest[:min(pagePostings, len(rest))]
		rest = rest[len(part):]
		clear(w.page[:])
		for i, p := range part {
			binary.LittleEndian.PutUint32(w.page[i*numberBytes:], p.Key)
			binary.LittleEndian.PutUint32(w.page[placesAt+i*numberBytes:], p.At)
		}
		if _, err := w.out.Write(w.page[:]); err != nil {
			return err
		}
		l.keys = binary.LittleEndian.AppendUint32(l.keys, part[0].Key)
		w.b.sums = binary.LittleEndian.AppendUint32(w.b.sums, crc32.Checksum(w.page[:], castagnoli))
	}
	l.filter = w.filterOf(postings)
	w.b.lists = append(w.b.lists, l)
	return nil
}

// filterOf returns the filter of postings in order. There is none if there are too many keys for it (the library counts
// by 32 bits), or if it cannot be built.
func (w *writer) filterOf(postings []Posting) (none xorfilter.BinaryFuse[uint8]) {
	w.distinct = w.distinct[:0]
	for i, p := range postings {
		if i == 0 || postings[i-1].Key != p.Key {
			w.distinct = append(w.distinct, uint64(p.Key))
		}
	}
	if len(w.distinct) == 0 || len(w.distinct) > math.MaxInt32 {
		return none
	}
	filter, err := w.filter(&w.fuse, w.distinct)
	if err != nil {
		return none // not an error for the caller: reads are more, and answers the same
	}
	fingerprints := room(len(filter.Fingerprints))
	copy(fingerprints, filter.Fingerprints) // these belong to the builder
	filter.Fingerprints = fingerprints
	return filter
}

// end writes the trailer and the footer.
func (w *writer) end() error {
	sum := crc32.New(castagnoli)
	to, length := io.MultiWriter(w.out, sum), 0
	for part := range w.b.trailer {
		if _, err := to.Write(part); err != nil {
			return err
		}
		length += len(part)
	}
	if _, err := w.out.Write(appendFooter(nil, length, sum.Sum32())); err != nil {
		return err
	}
	w.b.size = int64(len(w.b.sums)/numberBytes)*PageBytes + int64(length) + footerBytes
	return w.out.Flush()
}

// trailer yields the parts of the trailer.
func (b *Block) trailer(yield func([]byte) bool) {
	head := binary.AppendUvarint(nil, uint64(len(b.about)))
	if !yield(head) || !yield(b.about) || !yield(binary.AppendUvarint(head[:0], uint64(len(b.lists)))) {
		return
	}
	for i := range b.lists {
		l := &b.lists[i]
		head = binary.AppendUvarint(head[:0], uint64(l.count))
		head = binary.LittleEndian.AppendUint64(head, l.filter.Seed)
		head = binary.AppendUvarint(head, uint64(l.filter.SegmentLength))
		head = binary.AppendUvarint(head, uint64(l.filter.SegmentCount))
		if !yield(head) || !yield(l.keys) || !yield(l.filter.Fingerprints) {
			return
		}
	}
	yield(b.sums)
}

// room returns memory that is read at random.
func room(n int) []byte {
	v := make([]byte, n)
	if n >= large {
		memory.Huge(v)
	}
	return v
}

// large is from where on large pages of memory are asked for.
const large = 1 << 20
