package window

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"sort"

	"github.com/unecho/unecho/index/block"
	"github.com/unecho/unecho/index/entry"
)

// The records of a sealed segment may lie in a file (File). Memory then keeps the fixed parts, which lookups read, and a
// checksum of each page of the file. The window reads no file: who comes to a record that is not in memory notes what it
// wants (Wanted), and gets nothing. When that was given (Give), the same call is made again. What was given is kept until
// Done, or until Next if it is much.
//
// The oldest segment is always in memory, because its documents leave one after another.

// PageBytes is the length of a page. Pages are counted from the beginning of a file.
const PageBytes = block.PageBytes

// Whole is the Page of a Want for all of a file.
const Whole = -1

// Want is a page of a file that is wanted, or all of the file.
type Want struct {
	File string
	Page int // or Whole
}

// ErrDamaged says that what was given is not what was written.
var ErrDamaged = errors.New("it is not what was written there")

const sumBytes = 4 // of the checksum of a page

// filed says where a sealed segment lies.
type filed struct {
	name string
	head int      // bytes before the records
	size int      // of the file
	sums []uint32 // CRC-32C of each page
	of   *Files
}

// Files knows the files in which segments lie, what is wanted of them, and what was given.
type Files struct {
	of    *Window
	files map[string]*filed
	read  map[Want][]byte // what was given; nil: it is wanted
	wants int             // how much is
	late  []Want          // what was not wanted ahead, but by entries in their turn
	scans map[entry.Position]*scan

	sizes  Sizes
	blocks []*Block // ascending, without a gap from the oldest segment on
	old    *Old     // nil: what it says has changed

	searched *Old                // what mays is about
	mays     map[string][]uint64 // what searches have found of filters (Search)
}

func (h *Files) want(w Want) {
	if _, is := h.read[w]; is {
		return
	}
	if h.read == nil {
		h.read = map[Want][]byte{}
	}
	h.read[w] = nil
	h.wants++
	if !h.of.buckets.wanting {
		h.late = append(h.late, w)
	}
}

//nolint:gochecknoglobals // a table
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// pageReader has what was read of files.
type pageReader interface {
	page(w Want, by Sounder) []byte // nil: it is not there
}

// Sounder says whether data is the page of a file, or all of the file, that was written. It never changes.
type Sounder interface {
	Sound(page int, data []byte) bool
}

// bytes returns a range of what follows the head; nil if a page of it is not there.
func (f *filed) bytes(of pageReader, from, to int) []byte {
	from, to = from+f.head, to+f.head
	var all []byte
	missing, first := false, from/PageBytes
	for page := first; page*PageBytes < to; page++ {
		data := of.page(Want{f.name, page}, f)
		if data == nil {
			missing = true
			continue
		}
		part := data[max(0, from-page*PageBytes):min(PageBytes, to-page*PageBytes)]
		if page == first {
			all = part[:len(part):len(part)]
		} else {
			all = append(all, part...)
		}
	}
	if missing {
		return nil
	}
	return all
}

// bytes returns a range of what follows the head of a segment's file; nil if it is wanted.
func (s *segment) bytes(from, to int) []byte {
	f := s.filed
	if all := f.of.read[Want{f.name, Whole}]; all != nil {
		return all[f.head+from : f.head+to]
	}
	return f.bytes(f.of, from, to)
}

// Sound says whether data is the page, or all of the file, that was written.
func (f *filed) Sound(page int, data []byte) bool {
	if page == Whole {
		if len(data) != f.size {
			return false
		}
		for page := range f.sums {
			if !f.Sound(page, data[page*PageBytes:min(f.size, (page+1)*PageBytes)]) {
				return false
			}
		}
		return true
	}
	return page >= 0 && page < len(f.sums) && len(data) == min(PageBytes, f.size-page*PageBytes) &&
		crc32.Checksum(data, castagnoli) == f.sums[page]
}

// Filed is a sealed segment that lies in a file, and what memory keeps of it.
type Filed struct {
	number uint64
	edits  int
	filed  filed
	block  []byte // the fixed parts
}

// Filed makes a Filed of a segment, whose encoding (Append) was written as data under a name. It does not change the
// window, and may run beside it.
func (v *View) Filed(name string, data []byte) Filed {
	s := &v.segment
	f := Filed{number: v.Number, edits: s.edits, block: makeBlock(s.n * s.fixed)}
	copy(f.block, s.block[len(s.block)-len(f.block):])
	f.filed = filed{name: name, head: len(data) - s.n*(s.fixed-atBytes) - s.used, size: len(data)}
	f.filed.sums = make([]uint32, 0, (len(data)+PageBytes-1)/PageBytes)
	for page := range slices.Chunk(data, PageBytes) {
		f.filed.sums = append(f.filed.sums, crc32.Checksum(page, castagnoli))
	}
	return f
}

// File gives up the records of a segment that lies in a file, unless it is the oldest one. It returns false if the
// segment has left, or was erased in since it was captured: then the file is of no use.
func (h *Files) File(f Filed) bool {
	s := h.numbered(f.number)
	if s == nil || s.edits != f.edits {
		return false
	}
	h.file(s, &f)
	return true
}

func (h *Files) file(s *segment, f *Filed) {
	h.forget(s)
	if h.files == nil {
		h.files = map[string]*filed{}
	}
	lies := f.filed // a pointer into f would keep its block in memory
	s.filed, h.files[lies.name] = &lies, &lies
	s.filed.of = h
	if s != h.of.segments[0] && !s.away {
		s.block, s.away, s.captured = f.block, true, false
	}
	if s.first < h.tail() {
		h.release(s)
	}
}

// forget has a segment lie in no file.
func (h *Files) forget(s *segment) {
	if s.filed != nil {
		delete(h.files, s.filed.name)
		s.filed, h.old = nil, nil
	}
}

// numbered returns the sealed segment of a number; nil if there is none.
func (h *Files) numbered(number uint64) *segment {
	if len(h.of.segments) == 0 || number < h.of.segments[0].number {
		return nil
	}
	k := number - h.of.segments[0].number // they are numbered one after another
	if k >= uint64(len(h.of.segments)) || !h.of.segments[k].sealed {
		return nil
	}
	return h.of.segments[k]
}

// Unfiled returns the sealed segments that lie in no file. What they refer to never changes.
func (h *Files) Unfiled() (views []View) {
	for _, s := range h.of.segments {
		if s.sealed && s.filed == nil {
			s.captured = true
			views = append(views, s.view())
		}
	}
	return views
}

// Names returns the names of the files of segments and blocks.
func (h *Files) Names() map[string]bool {
	names := make(map[string]bool, len(h.files))
	for name := range h.files {
		names[name] = true
	}
	for _, b := range h.blocks {
		names[b.file] = true
	}
	return names
}

// Wanted returns what has to be given before the call at hand can go on, in no order.
func (h *Files) Wanted() (all []Want) {
	if !h.Wants() {
		return nil
	}
	for to, data := range h.read {
		if data == nil {
			all = append(all, to)
		}
	}
	return all
}

// Wants says whether something has to be given.
func (h *Files) Wants() bool { return h.wants > 0 }

// Wanting is the length of Wanted.
func (h *Files) Wanting() int { return h.wants }

// Give gives what was wanted. The window keeps data, and returns ErrDamaged if it is not what was written. What is not
// wanted is ignored.
func (h *Files) Give(to Want, data []byte) error {
	if read, is := h.read[to]; !is || read != nil {
		return nil
	}
	by := h.Sounder(to.File)
	if by == nil {
		return nil // it lies in no file any more
	}
	if !by.Sound(to.Page, data) {
		return ErrDamaged
	}
	h.read[to] = data
	h.wants--
	h.holdFront()
	return nil
}

// Sounder returns what is asked about data of a file; nil if nothing lies there any more. It may be asked beside the window.
func (h *Files) Sounder(file string) Sounder {
	if f := h.files[file]; f != nil {
		return f
	}
	if b := h.BlockOf(file); b != nil {
		return b.postings
	}
	return nil
}

// Take takes what was read beside the window and is what was written (Sounder), but for what is out of date. It is kept as
// what is given.
func (h *Files) Take(pages map[Want][]byte) {
	if h.read == nil {
		h.read = map[Want][]byte{}
	}
	for w, data := range pages {
		if data == nil || h.read[w] != nil || h.Sounder(w.File) == nil {
			continue
		}
		if _, wanted := h.read[w]; wanted {
			h.wants--
		}
		h.read[w] = data
	}
}

// Again begins the call at hand again: what is wanted still is wanted anew.
func (h *Files) Again() {
	for _, to := range h.Wanted() {
		delete(h.read, to)
	}
	h.wants = 0
	h.holdFront()
}

// mostKept bounds what is kept of one entry of a record for the next, but for what was read ahead: 16 MiB.
const mostKept = 4 * mostAhead

// Next drops what was given if it is much, but for what was read ahead: the entries that are next want that. It is called
// between two entries of a record, when nothing is wanted.
func (h *Files) Next() {
	if len(h.read) <= mostKept {
		return
	}
	for _, w := range h.late {
		delete(h.read, w)
	}
	h.late = h.late[:0]
}

// Done drops what was given, and what is still wanted.
func (h *Files) Done() {
	clear(h.read)
	h.wants, h.late = 0, h.late[:0]
	clear(h.scans)
	h.searched, h.mays = nil, nil
}

// holdFront has the oldest segment be in memory.
func (h *Files) holdFront() {
	if len(h.of.segments) > 0 {
		h.hold(h.of.segments[0])
	}
}

// hold has a segment be in memory, unless it is wanted for that.
func (h *Files) hold(s *segment) {
	if !h.readable(s) || !s.away {
		return
	}
	whole := makeBlock(s.used + s.n*s.fixed)
	copy(whole, s.bytes(0, s.used))
	if s.ats == nil {
		copy(whole[s.used:], s.block)
	}
	for i, at := range s.ats {
		fixed := whole[len(whole)-(i+1)*s.fixed:]
		binary.LittleEndian.PutUint32(fixed, at)
		copy(fixed[atBytes+copy(fixed[atBytes:], s.keys(i)):s.fixed], s.digest(i))
	}
	s.block, s.ats = whole, nil
	s.away, s.captured = false, false
	delete(h.read, Want{s.filed.name, Whole}) // a window of any size may leave by one record
}

// readable says whether the records of a segment can be read one after another. If not, its file is wanted.
func (h *Files) readable(s *segment) bool {
	if !s.away || h.read[Want{s.filed.name, Whole}] != nil {
		return true
	}
	h.want(Want{s.filed.name, Whole})
	return false
}

// Readable says whether a document and its neighbours can be read. If not, the file of their segment is wanted.
func (h *Files) Readable(r Ref) bool {
	s, _ := h.of.at(r)
	return h.readable(s)
}

// around returns the segments with the documents that entered by the journal record at an offset, and says whether they
// can be read.
func (h *Files) around(offset int64) (some []*segment, ok bool) {
	end := sort.Search(len(h.of.segments), func(k int) bool { return h.of.segments[k].base.offset > offset })
	from := sort.Search(end, func(k int) bool { return h.of.segments[k].base.offset >= offset })
	some, ok = h.of.segments[max(0, from-1):end], true
	for _, s := range some {
		ok = h.readable(s) && ok
	}
	return some, ok
}
