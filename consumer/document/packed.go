package document

import (
	"context"
	"math"
	"strconv"

	"github.com/unecho/unecho/sink"
)

// packed is a format of values that name their own fields, as JSON does, in binary: MessagePack and CBOR.
type packed struct {
	*Reader
	dialect dialect
}

// A dialect reads the head of an item: what it is, and its length, its count, or its number. It is given data and a
// position in it. The head may end behind data. For what begins no item it says why.
type dialect func(data []byte, pos int) (head, string)

// head is what stands before an item's content.
type head struct {
	kind    kind
	tag     bool   // an item follows, of which this says something
	open    bool   // the end is marked: see endless
	end     bool   // the mark
	integer uint64 // of isSigned and isUnsigned; 1 is a boolean that is true
	n       uint64 // bytes of isString, isBytes and isOther, elements of isArray, pairs of isObject
	pos     int    // where the content begins
}

func (r packed) decode(_ context.Context, in Input, buf []byte) (Document, *Rejection, error) {
	s := unpacker{finder: r.finder(), data: in.Value, dialect: r.dialect}
	v, bad := s.value(0, s.all())
	if bad == nil && s.pos < len(s.data) {
		bad = s.flaw("more after the end of the value")
	}
	if bad != nil {
		return Document{}, undecodable(bad), nil
	}
	doc, refused := r.compose(in, v.kind, composer{syntax: packedSyntax{r.dialect}, data: in.Value, buf: buf[:0]}, &s.finder)
	return doc, refused, nil
}

func undecodable(bad *flaw) *Rejection {
	return reject(sink.Undecodable, "at byte %d: %s", bad.offset, bad.what)
}

// unpacker walks a value once. It checks the value, and notes where each of the wanted paths leads. Each step takes a
// byte of the value, so there is no more work than that, whatever counts and lengths say.
type unpacker struct {
	finder
	data    []byte
	pos     int
	dialect dialect
	key     []byte // the last key that lay in pieces or was a number
}

const (
	tooShort    = "the value ends too early"
	noBeginning = "an end without a beginning"
)

func (s *unpacker) flaw(what string) *flaw { return &flaw{offset: s.pos, what: what} }

// pieces marks a string that lies in pieces, each with a head of its own.
const pieces = 1

// head reads the head at pos, and those of the tags before it.
func (s *unpacker) head() (head, *flaw) {
	for tagged := false; ; tagged = true {
		if s.pos >= len(s.data) {
			return head{}, s.flaw(tooShort)
		}
		h, wrong := s.dialect(s.data, s.pos)
		switch {
		case wrong != "":
			return head{}, s.flaw(wrong)
		case h.pos > len(s.data):
			return head{}, s.flaw(tooShort)
		case h.end && tagged:
			return head{}, s.flaw(noBeginning)
		case !h.tag:
			return h, nil
		}
		s.pos = h.pos
	}
}

// value walks the item at pos, which lies depth objects or arrays deep.
func (s *unpacker) value(depth int, want uint64) (value, *flaw) {
	h, bad := s.head()
	if bad != nil {
		return value{}, bad
	}
	if h.end {
		return value{}, s.flaw(noBeginning)
	}
	return s.content(h, depth, want)
}

func (s *unpacker) content(h head, depth int, want uint64) (value, *flaw) {
	v := value{kind: h.kind, start: s.pos}
	var bad *flaw
	switch h.kind {
	case isString, isBytes, isOther:
		v, bad = s.run(h)
	case isArray, isObject:
		if depth == maxNesting {
			return v, s.flaw("nested too deeply")
		}
		s.pos = h.pos
		bad = s.members(h, depth, want)
	case isSigned, isUnsigned:
		s.pos = h.pos
		return integer(h.kind, h.integer), nil
	case isBool:
		s.pos, v.node = h.pos, int32(h.integer)
	case absent, isNull, isNumber, isFloat:
		s.pos, v.end = h.pos, h.pos
	}
	if h.kind == isArray || h.kind == isObject {
		v.end = s.pos
	}
	return v, bad
}

// run skips a run of bytes, or the pieces of one.
func (s *unpacker) run(h head) (value, *flaw) {
	v := value{kind: h.kind}
	if !h.open {
		if h.n > uint64(len(s.data)-h.pos) {
			return v, s.flaw(tooShort)
		}
		v.start, v.end = h.pos, h.pos+int(h.n)
		s.pos = v.end
		return v, nil
	}
	s.pos = h.pos
	v.node, v.start = pieces, s.pos
	for {
		v.end = s.pos
		piece, bad := s.untagged()
		switch {
		case bad != nil:
			return v, bad
		case piece.end:
			s.pos = piece.pos
			return v, nil
		case piece.kind != h.kind || piece.open:
			return v, s.flaw("a piece of " + h.kind.String() + " is expected")
		}
		if _, bad := s.run(piece); bad != nil {
			return v, bad
		}
	}
}

// untagged reads a head where no tag may stand.
func (s *unpacker) untagged() (head, *flaw) {
	start := s.pos
	h, bad := s.head()
	if bad == nil && s.pos > start {
		s.pos = start
		return h, s.flaw("a tag where none may stand")
	}
	return h, bad
}

// members walks the elements of an array, or the keys and values of an object.
func (s *unpacker) members(h head, depth int, want uint64) *flaw {
	if !h.open && h.n > uint64(len(s.data)-s.pos) { // each takes a byte
		return s.flaw(tooShort)
	}
	for n := uint64(0); h.open || n < h.n; n++ {
		next, bad := s.head()
		if bad != nil {
			return bad
		}
		if next.end {
			if !h.open {
				return s.flaw(noBeginning)
			}
			s.pos = next.pos
			return nil
		}
		if h.kind == isObject {
			bad = s.pair(next, depth, want)
		} else {
			_, bad = s.content(next, depth+1, 0)
		}
		if bad != nil {
			return bad
		}
	}
	return nil
}

// pair walks a key, whose head was read, and its value.
func (s *unpacker) pair(h head, depth int, want uint64) *flaw {
	k, bad := s.content(h, depth+1, 0)
	if bad != nil {
		return bad
	}
	if want != 0 {
		want = s.follow(want, depth, k)
	}
	v, bad := s.value(depth+1, want)
	if bad == nil && want != 0 {
		s.note(want, depth, v)
	}
	return bad
}

// follow returns the paths of want that lead through a key. The name of an integer is its digits. Other keys have no
// names.
func (s *unpacker) follow(want uint64, depth int, k value) uint64 {
	key := s.key[:0]
	switch {
	case k.kind == isString && k.node == 0:
		return s.through(want, depth, s.data[k.start:k.end])
	case k.kind == isString:
		key = s.gather(key, k)
	case k.kind == isSigned:
		key = strconv.AppendInt(key, int64(k.integer()), 10)
	case k.kind == isUnsigned:
		key = strconv.AppendUint(key, k.integer(), 10)
	default:
		return 0
	}
	s.key = key
	return s.through(want, depth, key)
}

// gather appends the pieces of a string.
func (s *unpacker) gather(dst []byte, v value) []byte {
	for pos := v.start; pos < v.end; {
		h, _ := s.dialect(s.data, pos) // it was walked before, so there is no flaw
		pos = h.pos + int(h.n)
		dst = append(dst, s.data[h.pos:pos]...)
	}
	return dst
}

// packedSyntax reads values that an unpacker found.
type packedSyntax struct{ dialect dialect }

func (p packedSyntax) str(dst, data []byte, v value) (out []byte, valid bool) {
	if v.node == 0 {
		return appendBytes(dst, data[v.start:v.end])
	}
	valid = true
	for pos := v.start; pos < v.end; {
		h, _ := p.dialect(data, pos)
		pos = h.pos + int(h.n)
		var ok bool
		dst, ok = appendBytes(dst, data[h.pos:pos])
		valid = valid && ok
	}
	return dst, valid
}

func (p packedSyntax) join(c composer, i int, at path, v value) ([]byte, *Rejection) {
	s := unpacker{finder: c.reader.finder(), data: c.data, pos: v.start, dialect: p.dialect}
	h, _ := s.head() // it was walked before, so there is no flaw
	s.pos = h.pos
	for n := 0; h.open || n < int(h.n); n++ {
		if next, _ := s.head(); next.end {
			break
		}
		element, _ := s.value(int(v.through), v.wanted(i))
		if bad := c.part(i, n, at, v, element, s.take(i)); bad != nil {
			return nil, bad
		}
	}
	return c.joined(at, v)
}

// bigEndian reads an integer of a power of two of bytes, and returns where it ends, which may be behind the end of
// data.
func bigEndian(data []byte, pos, size int) (n uint64, end int) {
	end = pos + size
	for _, b := range data[min(pos, len(data)):min(end, len(data))] {
		n = n<<8 | uint64(b)
	}
	return n, end
}

// littleEndian reads an integer of all bytes, up to eight.
func littleEndian(data []byte) (n uint64) {
	for i, b := range data {
		n |= uint64(b) << (8 * i)
	}
	return n
}

// floatKind is the kind of a floating-point number of two, four or eight bytes: NaN is null, as writers without a null write
// it for what is missing.
func floatKind(bits uint64, size int) kind {
	var nan bool
	switch size {
	case 2:
		nan = bits&0x7c00 == 0x7c00 && bits&0x3ff != 0
	case 4:
		f := math.Float32frombits(uint32(bits))
		nan = f != f
	case 8:
		nan = math.IsNaN(math.Float64frombits(bits))
	}
	if nan {
		return isNull
	}
	return isFloat
}

// sized is the head of a kind with a length of a power of two of bytes, 1<<log of them, after the byte at pos.
func sized(k kind, data []byte, pos, log int) head {
	n, end := bigEndian(data, pos+1, 1<<log)
	return head{kind: k, n: n, pos: end}
}

// signExtended is an integer of some bytes, as one of eight.
func signExtended(n uint64, size int) uint64 {
	shift := 64 - 8*size
	return uint64(int64(n<<shift) >> shift)
}
