package document

import (
	"context"
	"math"
)

// packed is a format of values that name their own fields, as JSON does, in binary: MessagePack and CBOR.
type packed struct {
	*Reader
	heads packedHead
}

func (r packed) decode(_ context.Context, in Input, buf []byte) (Document, *Rejection, error) {
	doc, bad := r.walked(in, r.heads, 0, 0, buf)
	return doc, bad, nil
}

// packedHead is a dialect: it reads the head at a position. The head may end behind data. For what begins no item it
// says why.
type packedHead func(data []byte, pos int) (head, string)

func (p packedHead) head(data []byte, pos int, _ int32) (head, *flaw) {
	if pos >= len(data) {
		return head{}, &flaw{pos, tooShort}
	}
	h, wrong := p(data, pos)
	switch {
	case wrong != "":
		return h, &flaw{pos, wrong}
	case h.pos > len(data):
		return h, &flaw{pos, tooShort}
	case (h.kind == isArray || h.kind == isObject) && h.n > uint64(len(data)-h.pos): // each member takes a byte
		return h, &flaw{h.pos, tooShort}
	}
	return h, nil
}

func (packedHead) next(data []byte, pos int, h head) (head, bool, *flaw) {
	h.pos = pos
	switch {
	case h.open && pos < len(data) && data[pos] == cborEnd:
		h.pos++
		return h, false, nil
	case h.open:
		return h, true, nil
	case h.n == 0:
		return h, false, nil
	}
	h.n--
	return h, true, nil
}

func (p packedHead) str(dst, data []byte, v value) (out []byte, valid bool) {
	if v.node == 0 {
		return appendBytes(dst, data[v.start:v.end])
	}
	valid = true
	for pos := v.start; pos < v.end; {
		h, _ := p(data, pos) // it was walked before, so there is no flaw
		pos = h.pos + int(h.n)
		var ok bool
		dst, ok = appendBytes(dst, data[h.pos:pos])
		valid = valid && ok
	}
	return dst, valid
}

func (p packedHead) join(c composer, i int, at path, v value) ([]byte, *Rejection) {
	return joinMembers(p, c, i, at, v)
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

// msgpackHead is the dialect of MessagePack (github.com/msgpack/msgpack/blob/master/spec.md). What old writers call raw is a
// string.
func msgpackHead(data []byte, pos int) (head, string) {
	c := data[pos]
	switch next := pos + 1; {
	case c < 0x80:
		return head{kind: isUnsigned, integer: uint64(c), pos: next}, ""
	case c < 0x90:
		return head{kind: isObject, n: uint64(c & 0x0f), pos: next}, ""
	case c < 0xa0:
		return head{kind: isArray, n: uint64(c & 0x0f), pos: next}, ""
	case c < 0xc0:
		return head{kind: isString, n: uint64(c & 0x1f), pos: next}, ""
	case c >= 0xe0:
		return head{kind: isSigned, integer: uint64(int64(int8(c))), pos: next}, ""
	}
	return msgpackLong(data, pos)
}

// msgpackLong reads the heads of 0xc0 to 0xdf, whose byte says nothing but what follows.
func msgpackLong(data []byte, pos int) (head, string) {
	switch c := data[pos]; c {
	case 0xc0:
		return head{kind: isNull, pos: pos + 1}, ""
	case 0xc2, 0xc3:
		return head{kind: isBool, integer: uint64(c - 0xc2), pos: pos + 1}, ""
	case 0xc4, 0xc5, 0xc6:
		return sized(isBytes, data, pos, int(c-0xc4)), ""
	case 0xc7, 0xc8, 0xc9:
		return extension(sized(isOther, data, pos, int(c-0xc7))), ""
	case 0xca, 0xcb:
		size := 4 << (c - 0xca)
		n, end := bigEndian(data, pos+1, size)
		return head{kind: floatKind(n, size), pos: end}, ""
	case 0xcc, 0xcd, 0xce, 0xcf:
		n, end := bigEndian(data, pos+1, 1<<(c-0xcc))
		return head{kind: isUnsigned, integer: n, pos: end}, ""
	case 0xd0, 0xd1, 0xd2, 0xd3:
		size := 1 << (c - 0xd0)
		n, end := bigEndian(data, pos+1, size)
		return head{kind: isSigned, integer: signExtended(n, size), pos: end}, ""
	case 0xd4, 0xd5, 0xd6, 0xd7, 0xd8:
		return extension(head{kind: isOther, n: 1 << (c - 0xd4), pos: pos + 1}), ""
	case 0xd9, 0xda, 0xdb:
		return sized(isString, data, pos, int(c-0xd9)), ""
	case 0xdc, 0xdd:
		return sized(isArray, data, pos, 1+int(c-0xdc)), ""
	case 0xde, 0xdf:
		return sized(isObject, data, pos, 1+int(c-0xde)), ""
	}
	return head{}, "a byte that begins nothing"
}

// extension counts the byte of an extension's type as content.
func extension(h head) head {
	h.n++
	return h
}

// cborEnd is the byte that ends what has no length.
const cborEnd = 0xff

// cborHead is the dialect of CBOR (RFC 8949). Tags say nothing here, so that what they tag is read as it is.
func cborHead(data []byte, pos int) (head, string) {
	major, info := data[pos]>>5, data[pos]&0x1f
	h := head{pos: pos + 1, n: uint64(info)}
	switch {
	case info >= 24 && info <= 27:
		h.n, h.pos = bigEndian(data, pos+1, 1<<(info-24))
	case info > 27 && info < 31:
		return head{}, "a reserved length"
	case info == 31:
		h.open, h.n = true, 0
	}
	return cborMajor(h, major, info, h.n)
}

func cborMajor(h head, major, info byte, n uint64) (head, string) {
	if h.open && (major == 0 || major == 1 || major == 6) {
		return head{}, "a number or a tag without end"
	}
	switch major {
	case 0:
		h.kind, h.integer = isUnsigned, n
	case 1:
		if h.kind, h.integer = isSigned, ^n; n >= 1<<63 {
			h.kind = isOther // less than any integer of 64 bits
		}
	case 2:
		h.kind = isBytes
	case 3:
		h.kind = isString
	case 4:
		h.kind = isArray
	case 5:
		h.kind = isObject
	case 6:
		h.tag = true
	case 7:
		return cborSimple(h, info, n)
	}
	if major < 2 {
		h.n = 0
	}
	return h, ""
}

// cborSimple is the head of a simple value, a float, or an end where nothing has begun.
func cborSimple(h head, info byte, n uint64) (head, string) {
	h.n = 0
	switch {
	case info == 20 || info == 21:
		h.kind, h.integer = isBool, uint64(info-20)
	case info == 22 || info == 23: // null and undefined
		h.kind = isNull
	case info == 24 && n < 32:
		return head{}, "a simple value of two bytes that has one of one"
	case info >= 25 && info <= 27:
		h.kind = floatKind(n, 1<<(info-24))
	case h.open:
		return head{}, "an end without a beginning"
	default:
		h.kind = isOther
	}
	return h, ""
}
