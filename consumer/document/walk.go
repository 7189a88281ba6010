package document

import (
	"strconv"

	"github.com/unecho/unecho/sink"
)

// A dialect reads the items of a format. Of an item it is given the type: 0 in formats whose items say themselves what
// they are, and 0 for the keys of the others. It does not change.
type dialect interface {
	syntax
	// head reads what stands before the content of the item at pos.
	head(data []byte, pos int, of int32) (head, *flaw)
	// next goes to the next member of an array or an object, of which h is the head, or what next returned before. pos is
	// where the last member ended. Without a next one, h.pos is the end.
	next(data []byte, pos int, h head) (head, bool, *flaw)
}

// head is what stands before an item's content, and where a walk is among its members.
type head struct {
	kind    kind
	tag     bool     // an item of type of follows, of which this says something
	open    bool     // the end of the content is marked
	empty   bool     // the content has no bytes
	node    int32    // for value.node
	of      int32    // the type of the next member
	integer uint64   // of isSigned and isUnsigned, or the number of a symbol; 1 is a boolean that is true
	n       uint64   // bytes of isString, isBytes and isOther; how many elements of isArray or pairs of isObject are left
	pos     int      // where the content begins, or the next member
	names   [][]byte // of the next member, where no key stands in the data
}

// walk walks a value once. It checks the value, and notes where each of the wanted paths leads. Each step takes a byte
// of the value, or is one of no more than the names of paths for each byte, whatever counts and lengths say.
type walk struct {
	finder
	dialect dialect
	data    []byte
	pos     int
	key     []byte // the last key that lay in pieces or was a number
}

// walked reads the document of a value of a type, which begins behind some bytes.
func (r *Reader) walked(in Input, d dialect, skip int, of int32, buf []byte) (Document, *Rejection) {
	w := walk{finder: r.finder(), dialect: d, data: in.Value, pos: skip}
	w.names = in.Names
	v, bad := w.value(of, 0, w.all())
	if bad == nil && w.pos < len(w.data) {
		bad = w.flaw("more after the end of the value")
	}
	if bad != nil {
		return Document{}, undecodable(bad)
	}
	return r.compose(in, v.kind, composer{syntax: d, data: in.Value, buf: buf[:0]}, &w.finder)
}

func undecodable(bad *flaw) *Rejection {
	return reject(sink.Undecodable, "at byte %d: %s", bad.offset, bad.what)
}

const tooShort = "the value ends too early"

func (w *walk) flaw(what string) *flaw { return &flaw{offset: w.pos, what: what} }

// head reads the head at pos, and those of the tags before it.
func (w *walk) head(of int32) (head, *flaw) {
	for {
		h, bad := w.dialect.head(w.data, w.pos, of)
		if bad != nil || !h.tag {
			return h, bad
		}
		w.pos, of = h.pos, h.of
	}
}

// value walks the item at pos, which lies depth objects or arrays deep.
func (w *walk) value(of int32, depth int, want uint64) (value, *flaw) {
	h, bad := w.head(of)
	if bad != nil {
		return value{}, bad
	}
	v := value{kind: h.kind, node: h.node, start: w.pos}
	switch h.kind {
	case isSigned, isUnsigned:
		w.pos = h.pos
		return integer(h.kind, h.integer), nil
	case isString, isBytes, isOther:
		if h.node == 0 {
			return w.run(h)
		}
		w.pos, v.start = h.pos, int(h.integer)
		return v, nil
	case isArray, isObject:
		if !h.empty || want != 0 {
			bad = w.members(h, depth, want)
		}
	case isBool:
		w.pos, v.node = h.pos, int32(h.integer)
	case absent, isNull, isNumber, isFloat:
		w.pos = h.pos
	}
	v.end = w.pos
	return v, bad
}

// pieces marks a string that lies in pieces, each with a head of its own.
const pieces = 1

// run skips a run of bytes, or the pieces of one.
func (w *walk) run(h head) (value, *flaw) {
	v := value{kind: h.kind, start: h.pos}
	if !h.open {
		if h.n > uint64(len(w.data)-h.pos) {
			return v, w.flaw(tooShort)
		}
		v.end = h.pos + int(h.n)
		w.pos = v.end
		return v, nil
	}
	v.node, w.pos = pieces, h.pos
	for {
		v.end = w.pos
		next, more, _ := w.dialect.next(w.data, w.pos, h)
		if !more {
			w.pos = next.pos
			return v, nil
		}
		piece, bad := w.dialect.head(w.data, w.pos, 0)
		switch {
		case bad != nil:
			return v, bad
		case piece.tag:
			return v, w.flaw("a tag where none may stand")
		case piece.kind != h.kind || piece.open:
			return v, w.flaw("a piece of " + h.kind.String() + " is expected")
		}
		if _, bad = w.run(piece); bad != nil {
			return v, bad
		}
	}
}

// members walks the elements of an array, or the keys and values of an object.
func (w *walk) members(h head, depth int, want uint64) *flaw {
	if depth == maxNesting {
		return w.flaw("nested too deeply")
	}
	w.pos = h.pos
	for {
		var more bool
		var bad *flaw
		if h, more, bad = w.dialect.next(w.data, w.pos, h); bad != nil {
			return bad
		}
		if w.pos = h.pos; !more {
			return nil
		}
		var through uint64
		if h.kind == isObject {
			if through, bad = w.named(h, depth, want); bad != nil {
				return bad
			}
		}
		v, bad := w.value(h.of, depth+1, through)
		if bad != nil {
			return bad
		}
		w.note(through, depth, v)
	}
}

// named returns the paths of want that lead through the next member of an object. If a key stands in the data, it is
// walked. The name of an integer is its digits. Other keys have no names.
func (w *walk) named(h head, depth int, want uint64) (through uint64, bad *flaw) {
	if h.names != nil {
		for _, name := range h.names {
			through |= w.through(want, depth, name)
		}
		return through, nil
	}
	k, bad := w.value(0, depth+1, 0)
	if bad != nil || want == 0 {
		return 0, bad
	}
	switch {
	case k.kind == isString && k.node == 0:
		return w.through(want, depth, w.data[k.start:k.end]), nil
	case k.kind == isString:
		w.key, _ = w.dialect.str(w.key[:0], w.data, k)
	case k.kind == isSigned:
		w.key = strconv.AppendInt(w.key[:0], int64(k.integer()), 10)
	case k.kind == isUnsigned:
		w.key = strconv.AppendUint(w.key[:0], k.integer(), 10)
	default:
		return 0, nil
	}
	return w.through(want, depth, w.key), nil
}

// joinMembers is syntax.join for values that a walk found.
func joinMembers(d dialect, c composer, i int, at path, v value) ([]byte, *Rejection) {
	w := walk{finder: c.reader.finder(), dialect: d, data: c.data, pos: v.start}
	h, _ := w.head(v.node) // it was walked before, so there is no flaw
	w.pos = h.pos
	for n := 0; ; n++ {
		var more bool
		if h, more, _ = d.next(w.data, w.pos, h); !more {
			return c.joined(at, v)
		}
		w.pos = h.pos
		element, _ := w.value(h.of, int(v.through), v.wanted(i))
		if bad := c.part(i, n, at, v, element, w.take(i)); bad != nil {
			return nil, bad
		}
	}
}
