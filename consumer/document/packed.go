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
