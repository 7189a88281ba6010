package document

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/unecho/unecho/consumer/document/registry"
)

// avroObject is the format of values that are a record of Avro.
type avroObject struct {
	*Reader
	schemas schemas[*avroSchema]
}

func newAvro(r *Reader, from *source) (decoder, error) {
	all, err := schemasOf(from, func(s registry.Schema) (*avroSchema, error) {
		if err := typed(s, "AVRO"); err != nil {
			return nil, err
		}
		return compileAvro(s, r.paths)
	})
	return avroObject{r, all}, err
}

func (r avroObject) decode(ctx context.Context, in Input, buf []byte) (Document, *Rejection, error) {
	schema, f, bad, err := r.schemas.of(ctx, r.Reader, &in)
	if bad != nil || err != nil {
		return Document{}, bad, err
	}
	doc, bad := r.walked(in, schema, f.skip, schema.root, buf)
	return doc, bad, nil
}

func (s *avroSchema) head(data []byte, pos int, of int32) (head, *flaw) {
	t := &s.types[of]
	h := head{kind: t.kind, empty: t.empty, pos: pos}
	switch t.name {
	case "null":
	case "boolean", "float", "double":
		if t.size > len(data)-pos {
			return h, &flaw{pos, tooShort}
		}
		h.pos += t.size
		h.integer = littleEndian(data[pos:h.pos])
		if t.kind == isBool {
			h.integer = min(h.integer, 1)
		} else {
			h.kind = floatKind(h.integer, t.size)
		}
	case "fixed":
		h.n = uint64(t.size)
	case "array", "map", "record":
		h.node = of
	default:
		return s.numbered(data, h, of)
	}
	return h, nil
}

// numbered reads the head of a type that begins with a number.
func (s *avroSchema) numbered(data []byte, h head, of int32) (head, *flaw) {
	t, at := &s.types[of], h.pos
	n, end, bad := avroNumber(data, at)
	if h.pos = end; bad != nil {
		return h, bad
	}
	switch t.name {
	case "string", "bytes":
		h.n = uint64(n)
		switch {
		case n < 0:
			bad = &flaw{at, "a length below zero"}
		case n > int64(len(data)-end):
			bad = &flaw{end, tooShort}
		}
	case "enum", "union":
		if n < 0 || n >= int64(max(len(t.symbols), len(t.parts))) {
			return h, &flaw{at, "no symbol or branch of the schema has this number"}
		}
		if t.name == "union" {
			h.tag, h.of = true, t.parts[n]
		} else {
			h.node, h.integer = of, uint64(n)
		}
	default:
		h.integer = uint64(n)
	}
	return h, bad
}

// avroNumber reads a number, and returns where it ends.
func avroNumber(data []byte, pos int) (n int64, end int, bad *flaw) {
	u, size := binary.Uvarint(data[pos:])
	switch {
	case size == 0:
		bad = &flaw{pos, tooShort}
	case size < 0:
		bad = &flaw{pos, "a number of more than 64 bits"}
	}
	return int64(u>>1) ^ -int64(u&1), pos + size, bad
}

// next goes to the next field of a record, or to the next member of an array's or a map's block, or that of the next
// block. Elements that take no bytes are all alike, so the first one of a block stands for them.
func (s *avroSchema) next(data []byte, pos int, h head) (head, bool, *flaw) {
	t := &s.types[h.node]
	if t.name == "record" {
		h.pos = pos
		if h.n == uint64(len(t.parts)) {
			return h, false, nil
		}
		h.of, h.names = t.parts[h.n], t.names[h.n]
		h.n++
		return h, true, nil
	}
	if pos == h.pos {
		h.n = 0
	}
	h.of, h.pos = t.parts[0], pos
	if h.n == 0 {
		var bad *flaw
		if h.n, h.pos, bad = avroBlock(data, pos); bad != nil || h.n == 0 {
			return h, false, bad
		}
	}
	h.n--
	return h, true, nil
}

// avroBlock reads how many members the block at pos has; 0 is the end.
func avroBlock(data []byte, pos int) (count uint64, end int, bad *flaw) {
	n, end, bad := avroNumber(data, pos)
	if bad != nil || n >= 0 {
		return uint64(n), end, bad
	}
	size, end, bad := avroNumber(data, end) // with it readers may skip the block, which is not checked then
	if bad == nil && (size < 0 || n == math.MinInt64) {
		bad = &flaw{pos, "a block of impossible size"}
	}
	return uint64(-n), end, bad
}

func (s *avroSchema) str(dst, data []byte, v value) (out []byte, valid bool) {
	if v.node > 0 {
		return appendBytes(dst, []byte(s.types[v.node].symbols[v.start]))
	}
	return appendBytes(dst, data[v.start:v.end])
}

func (s *avroSchema) join(c composer, i int, at path, v value) ([]byte, *Rejection) {
	return joinMembers(s, c, i, at, v)
}
