package window

import (
	"fmt"
	"slices"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
)

// Restore fills an empty window from what Capture gave: Read takes the numbers, Add the segments in order, Decode
// decodes one of them, ReadSide takes the rest of the side table, and Link builds the tables.
type Restore struct{ of *Window }

// Decoded is a captured segment, or a part of the side table, decoded and not yet added.
type Decoded struct {
	segment *segment
	sources uint32    // all source numbers of its documents are below this
	bytes   int64     // size of its documents, as duplicates.remember.memory counts them
	side    *sidePart // set for a part of the side table, and then segment is empty
	filed   *Filed
}

// Number ascends from segment to segment.
func (d *Decoded) Number() uint64 { return d.segment.number }

// Documents is the number of documents in the segment.
func (d *Decoded) Documents() int { return d.segment.n }

// Lies says that what was decoded lies in a file of this name. If it is sealed, and not the oldest segment, its records are
// not kept.
func (d *Decoded) Lies(name string, data []byte) {
	if d.side == nil && d.segment.sealed {
		v := d.segment.view()
		f := v.Filed(name, data)
		d.filed = &f
	}
}

// Sealed says that the segment will never change.
func (d *Decoded) Sealed() bool { return d.segment.sealed }

// Read reads what Append wrote, and returns false if that is not possible.
func (r *Restore) Read(rd *wire.Reader) bool {
	r.of.oldest, r.of.number = Ref(rd.Uvarint()), rd.Uvarint()
	r.of.end = r.of.oldest
	return !rd.Short() && r.of.oldest.Possible()
}

// Decode decodes a segment; it keeps no reference to data. It may be called from several goroutines at once, and in any
// order.
func (r *Restore) Decode(data []byte) (*Decoded, error) {
	if len(data) > 0 && data[0] == sideVersion {
		return decodeSide(wire.NewReader(data[1:]))
	}
	rd := wire.NewReader(data)
	if err := wire.ReadVersion(&rd, "segment", segmentVersion); err != nil {
		return nil, err
	}
	number, first, sealed := rd.Uvarint(), Ref(rd.Uvarint()), rd.Byte() == 1
	d := &Decoded{segment: r.of.newSegment(number, first)}
	own := r.of.buckets.whole() * entry.KeyBytes
	keys, n := rd.Uvarint(), rd.Count(own+1)
	if want := uint64(own + entry.DigestBytes); keys != want {
		return nil, fmt.Errorf("%w: segment %d has %d bytes of keys and digest for a document, not %d", wire.ErrCorrupt, number,
			keys, want)
	}
	d.segment.base = base{offset: rd.Varint(), applied: rd.Varint()}
	records := rd.Bytes()
	all := rd.Take(keys * uint64(n))
	if rd.Short() || rd.Len() != 0 || n == 0 || !first.Possible() {
		return nil, fmt.Errorf("%w: segment %d of %d documents", wire.ErrCorrupt, number, n)
	}
	if err := r.documents(d, n, records, all); err != nil {
		return nil, err
	}
	d.segment.sealed = sealed
	return d, nil
}

// documents builds the block of a segment from its records, band keys and digests, and finds where each record begins.
func (r *Restore) documents(to *Decoded, n int, records, all []byte) error {
	s := to.segment
	s.block = makeBlock(len(records) + n*s.fixed)
	copy(s.block, records)
	for rest := records; s.n < n; s.n++ {
		begin := len(records) - len(rest)
		d, e := readDocument(rest, s.base, s.first+Ref(s.n))
		decoded, after, err := entry.Decode(e, 0, nil)
		if err != nil || d.Source >= 1<<31 || decoded.Empty() || begin >= linkedBit || !d.possible(s.first+Ref(s.n)) ||
			!d.Links.possible(len(r.of.buckets.tables)) {
			return fmt.Errorf("%w: segment %d, document %d", wire.ErrCorrupt, s.number, s.n)
		}
		digest := all[n*s.keyBytes()+s.n*entry.DigestBytes:][:entry.DigestBytes]
		s.putFixed(begin, all[s.n*s.keyBytes():][:s.keyBytes()], digest, !d.Links.None())
		to.sources = max(to.sources, d.Source+1)
		to.bytes += r.of.bytesOf(len(e)-len(after), &d.Links)
		rest = after
	}
	if s.used = len(records); s.n != n || s.at(n-1) >= s.used {
		return fmt.Errorf("%w: segment %d of %d documents", wire.ErrCorrupt, s.number, n)
	}
	return nil
}

// Add takes the next segment, which the window owns from then on, or a part of the side table, which must come after
// its segments. There are so many source partitions.
func (r *Restore) Add(d *Decoded, sources int) error {
	if d.side != nil {
		return r.addSide(d, sources)
	}
	if !r.follows(d.segment) || int(d.sources) > sources || !r.isOfBlock(d) {
		return fmt.Errorf("%w: segment %d does not fit", wire.ErrCorrupt, d.Number())
	}
	r.of.push(d.segment)
	r.of.end = d.segment.first + Ref(d.segment.n)
	r.of.bytes += d.bytes
	r.keep(d)
	return nil
}

// Found has blocks find the segments that are added. They are what Cover returns.
func (r *Restore) Found(blocks []*Block) { r.of.files.blocks = slices.Clone(blocks) }

// isOfBlock says whether a segment is what its block names, if it has one.
func (r *Restore) isOfBlock(d *Decoded) bool {
	for _, b := range r.of.files.blocks {
		if s := d.segment; s.number >= b.run.From && s.number < b.run.To {
			return d.filed != nil && d.filed.filed.name == b.run.Names[s.number-b.run.From] &&
				s.first >= b.first && s.first+Ref(s.n) <= b.end
		}
	}
	return true
}

// keep notes what is needed of a segment's records, and gives them up if they lie in a file.
func (r *Restore) keep(d *Decoded) {
	s, w := d.segment, r.of
	for i := range s.n {
		if w.places == nil || len(s.block) == 0 {
			break
		}
		if at := s.first + Ref(i); at >= w.oldest {
			head, _ := s.head(i)
			w.NoteReentry(&head, at)
		}
	}
	if d.filed == nil {
		return
	}
	links := s.cloneLinks()
	if w.files.file(s, d.filed); s.away && s.ats == nil {
		s.links = links
	}
}

// follows says whether a segment may come next. The first segment must hold the oldest document, or be the open one
// whose documents have all expired. Each later segment must begin where the one before ended.
func (r *Restore) follows(s *segment) bool {
	if s.number > r.of.number || s.n > r.of.mostDocuments() {
		return false
	}
	if n := len(r.of.segments); n > 0 {
		last := r.of.segments[n-1]
		return last.sealed && s.number == last.number+1 && s.first == r.of.end
	}
	after := s.first + Ref(s.n)
	return s.first <= r.of.oldest && (r.of.oldest < after || r.of.oldest == after && !s.sealed)
}

// addSide applies a part. Its segments must have been added.
func (r *Restore) addSide(d *Decoded, sources int) error {
	if d.side.first < r.of.firstRef() || d.side.last >= r.of.end || int(d.sources) > sources {
		return fmt.Errorf("%w: side table", wire.ErrCorrupt)
	}
	for i := range d.side.changes {
		c := &d.side.changes[i]
		s, i := r.of.at(c.Ref)
		s.changes.set(i, c.change)
	}
	return nil
}

// ReadSide applies the side table that rd has, or only checks it. All segments must have been added.
func (r *Restore) ReadSide(rd *wire.Reader, sources int, apply bool) error {
	if !r.allThere() {
		return fmt.Errorf("%w: segments are missing", wire.ErrCorrupt)
	}
	for rd.Len() > 0 {
		at, to := Ref(rd.Uvarint()), readChange(rd)
		if rd.Short() || at < r.of.firstRef() || at >= r.of.end || int(to.emission.Source) >= sources {
			return fmt.Errorf("%w: side table", wire.ErrCorrupt)
		}
		if apply {
			s, i := r.of.at(at)
			s.changes.set(i, to)
		}
	}
	return nil
}

// allThere says whether the last segment is the latest one. A window has a segment as soon as a document was indexed.
func (r *Restore) allThere() bool {
	var last uint64
	if n := len(r.of.segments); n > 0 {
		last = r.of.segments[n-1].number
	}
	return last == r.of.number
}

// Shape is the part of a decoded segment that AddShape needs.
type Shape struct {
	Number    uint64
	Documents int
	Sealed    bool
	first     Ref
	sources   uint32
	side      *sidePart // without the changes
}

// Shape describes the segment.
func (d *Decoded) Shape() Shape {
	s := Shape{
		Number: d.Number(), Documents: d.Documents(), Sealed: d.Sealed(), first: d.segment.first,
		sources: d.sources,
	}
	if d.side != nil {
		s.side = &sidePart{first: d.side.first, last: d.side.last}
	}
	return s
}

// AddShape finds what Add would find, without the documents in memory. The window cannot be used afterwards, but for
// ReadSide, which then only checks.
func (r *Restore) AddShape(s *Shape, sources int) error {
	bare := &segment{number: s.Number, first: s.first, n: s.Documents, sealed: s.Sealed}
	return r.Add(&Decoded{segment: bare, sources: s.sources, side: s.side}, sources)
}

// Link builds the tables, in parts: it calls link for each i below n, in any order and from any number of goroutines,
// and returns when all calls have returned. If spread is nil, one part comes after the other.
func (r *Restore) Link(spread func(n int, link func(i int))) {
	if spread == nil {
		spread = oneByOne
	}
	r.recount()
	spread(r.of.buckets.linkGroups(), func(group int) { r.of.buckets.linkGroup(group, int(r.of.span().visible())) })
	for _, s := range r.of.segments {
		s.links = nil
	}
}

func oneByOne(n int, link func(i int)) {
	for i := range n {
		link(i)
	}
}

// recount subtracts the bytes of those documents of the first segment that have left the window.
func (r *Restore) recount() {
	w := r.of
	for at := w.firstRef(); at < w.oldest; at++ {
		s, i := w.at(at)
		d, rest := s.head(i)
		w.bytes -= w.bytesOf(len(rest), &d.Links)
	}
}

// SealAt has segments be sealed at this many documents or bytes from now on, so that a test has many small ones.
func (w *Window) SealAt(documents, bytes int) { w.shape = shape{documents: documents, bytes: bytes} }

// Relink builds all tables anew, sized for this many documents, so that a test has larger ones.
func (x *Buckets) Relink(documents int) {
	for group := range x.linkGroups() {
		x.linkGroup(group, max(documents, int(x.of.span().visible())))
	}
	x.forgetLookups()
}
