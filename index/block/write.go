package block

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/FastFilter/xorfilter"

	"github.com/unecho/unecho/index/memory"
)

// Write writes the file of a block to w, from its beginning, and returns the block. about is what the caller says of it:
// any bytes, up to some MiB. list appends the postings of list i to into, in any order; it is called once for each list
// below lists, in ascending order. An error of it ends Write, and is returned as it is.
//
// The same postings make the same file, on processors of one kind. Memory is that of one list, MakingBytes a posting,
// beside the block.
func Write(
	w io.Writer, about []byte, lists int, list func(i int, into []Posting) ([]Posting, error),
) (*Block, error) {
	return newWriter(w).writeSorted(about, lists, list)
}

// writer writes a block, one posting after another. It uses its memory again.
type writer struct {
	out      *bufio.Writer
	page     [PageBytes]byte
	held     int      // postings in the page
	distinct []uint64 // the keys since the last filter
	fuse     xorfilter.BinaryFuseBuilder
	filter   func(*xorfilter.BinaryFuseBuilder, []uint64) (xorfilter.BinaryFuse[uint8], error)
	list     list // that is being written
	b        Block
}

func newWriter(w io.Writer) *writer {
	return &writer{out: bufio.NewWriterSize(w, 1<<16), filter: xorfilter.BuildBinaryFuse[uint8]}
}

func (w *writer) writeSorted(about []byte, lists int, list func(int, []Posting) ([]Posting, error)) (*Block, error) {
	var postings, other []Posting
	return w.write(about, lists, func(i int) (err error) {
		if postings, err = list(i, postings[:0]); err != nil {
			return err
		}
		postings, other = sorted(postings, other)
		for _, p := range postings {
			if err := w.add(p); err != nil {
				return err
			}
		}
		return nil
	})
}

// write writes all. list adds the postings of list i, in order.
func (w *writer) write(about []byte, lists int, list func(i int) error) (*Block, error) {
	w.b.about = bytes.Clone(about)
	for i := range lists {
		if err := list(i); err != nil {
			return nil, err
		}
		if err := w.endList(); err != nil {
			return nil, err
		}
	}
	if err := w.end(); err != nil {
		return nil, fmt.Errorf("write the end of a block: %w", err)
	}
	b := w.b // a pointer into w would keep all of it in memory
	return &b, nil
}

// add adds the next posting of a list.
func (w *writer) add(p Posting) error {
	if w.held == 0 {
		w.list.keys = binary.LittleEndian.AppendUint32(w.list.keys, p.Key)
	}
	if n := len(w.distinct); n == 0 || w.distinct[n-1] != uint64(p.Key) {
		w.distinct = append(w.distinct, uint64(p.Key))
	}
	binary.LittleEndian.PutUint32(w.page[w.held*numberBytes:], p.Key)
	binary.LittleEndian.PutUint32(w.page[placesAt+w.held*numberBytes:], p.At)
	if w.held++; w.held < pagePostings {
		return nil
	}
	return w.endPage()
}

// endPage writes the page, and builds the filter that ends by it.
func (w *writer) endPage() error {
	if _, err := w.out.Write(w.page[:]); err != nil {
		return fmt.Errorf("write list %d of a block: %w", len(w.b.lists), err)
	}
	w.b.sums = binary.LittleEndian.AppendUint32(w.b.sums, crc32.Checksum(w.page[:], castagnoli))
	w.list.count += w.held
	w.held = 0
	clear(w.page[:])
	if w.list.pages()%filterPages == 0 {
		w.endFilter()
	}
	return nil
}

// endFilter builds the filter of the keys since the last one. If it cannot be built, it lets all keys pass.
func (w *writer) endFilter() {
	var filter xorfilter.BinaryFuse[uint8]
	if built, err := w.filter(&w.fuse, w.distinct); err == nil { // else reads are more, and answers the same
		fingerprints := room(len(built.Fingerprints))
		copy(fingerprints, built.Fingerprints) // these belong to the builder
		filter, filter.Fingerprints = built, fingerprints
	}
	w.list.filters, w.distinct = append(w.list.filters, filter), w.distinct[:0]
}

// endList keeps what memory needs of the list.
func (w *writer) endList() error {
	if w.held > 0 {
		if err := w.endPage(); err != nil {
			return err
		}
	}
	if len(w.distinct) > 0 {
		w.endFilter()
	}
	w.b.lists = append(w.b.lists, w.list)
	w.list = list{first: len(w.b.sums) / numberBytes}
	return nil
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
		filters := l.filters
		if len(filters) == 0 {
			filters = make([]xorfilter.BinaryFuse[uint8], 1)
		}
		for k := range filters {
			head = binary.LittleEndian.AppendUint64(head, filters[k].Seed)
			head = binary.AppendUvarint(head, uint64(filters[k].SegmentLength))
			head = binary.AppendUvarint(head, uint64(filters[k].SegmentCount))
		}
		if !yield(head) || !yield(l.keys) {
			return
		}
		for k := range filters {
			if !yield(filters[k].Fingerprints) {
				return
			}
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
