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
		return compileAvro(s, r.paths, r.fields)
	})
	return avroObject{r, all}, err
}

func (r avroObject) decode(ctx context.Context, in Input, buf []byte) (Document, *Rejection, error) {
	f, bad := r.unframe(&in)
	if bad != nil {
		return Document{}, bad, nil
	}
	schema, bad, err := r.schemas.of(ctx, f)
	if bad != nil || err != nil {
		return Document{}, bad, err
	}
	doc, bad := r.read(in, f.skip, schema, buf)
	return doc, bad, nil
}

// read reads a value of a schema, which begins behind some bytes.
func (r avroObject) read(in Input, skip int, schema *avroSchema, buf []byte) (Document, *Rejection) {
	w := avroWalk{finder: r.finder(), schema: schema, data: in.Value, pos: skip}
	k, flawed := w.walk()
	if flawed != nil {
		return Document{}, undecodable(flawed)
	}
	return r.compose(in, k, composer{syntax: avroSyntax{schema}, data: in.Value, buf: buf[:0]}, &w.finder)
}

// avroWalk walks a value of a schema once. It checks the value, and notes where each of the wanted paths leads. What
// nobody asks for is skipped. Each step takes a byte of the value, or is one of no more than the schema has fields for
// each byte.
type avroWalk struct {
	finder
	schema *avroSchema
	data   []byte
	pos    int
}

// walk walks all of data and returns the kind of the value.
func (w *avroWalk) walk() (kind, *flaw) {
	v, bad := w.value(w.schema.root, 0)
	if bad == nil && w.pos < len(w.data) {
		bad = w.flaw("more after the end of the value")
	}
	return v.kind, bad
}

func (w *avroWalk) flaw(what string) *flaw { return &flaw{offset: w.pos, what: what} }

// varint reads a number.
func (w *avroWalk) varint() (int64, *flaw) {
	if w.pos < len(w.data) && w.data[w.pos] < 0x80 {
		u := w.data[w.pos]
		w.pos++
		return int64(u>>1) ^ -int64(u&1), nil
	}
	u, n := binary.Uvarint(w.data[w.pos:])
	switch {
	case n == 0:
		return 0, w.flaw(tooShort)
	case n < 0:
		return 0, w.flaw("a number of more than 64 bits")
	}
	w.pos += n
	return int64(u>>1) ^ -int64(u&1), nil
}

// bytes skips bytes.
func (w *avroWalk) bytes(n int64) *flaw {
	if n > int64(len(w.data)-w.pos) {
		return w.flaw(tooShort)
	}
	w.pos += int(n)
	return nil
}

// run skips a length and so many bytes, and returns where these begin.
func (w *avroWalk) run() (start int, bad *flaw) {
	at := w.pos
	n, bad := w.varint()
	if bad != nil {
		return 0, bad
	}
	if n < 0 {
		w.pos = at
		return 0, w.flaw("a length below zero")
	}
	start = w.pos
	return start, w.bytes(n)
}

// choice reads the number of one of some symbols or branches.
func (w *avroWalk) choice(of int) (int, *flaw) {
	at := w.pos
	n, bad := w.varint()
	if bad == nil && (n < 0 || n >= int64(of)) {
		w.pos = at
		return 0, w.flaw("no symbol or branch of the schema has this number")
	}
	return int(n), bad
}

// block reads the count of an array's or a map's next block; 0 is the end.
func (w *avroWalk) block() (count int64, bad *flaw) {
	at := w.pos
	count, bad = w.varint()
	if bad != nil || count >= 0 {
		return count, bad
	}
	size, bad := w.varint() // with it readers may skip the block, which is not checked then
	if bad == nil && (size < 0 || count == math.MinInt64) {
		w.pos = at
		return 0, w.flaw("a block of impossible size")
	}
	return -count, bad
}

// value walks a value into which paths lead, or which is one that they lead to.
func (w *avroWalk) value(p *avroPlan, depth int) (value, *flaw) {
	n := &w.schema.nodes[p.node]
	v := value{start: w.pos}
	var bad *flaw
	switch n.op {
	case avroNull:
		v.kind = isNull
	case avroBoolean:
		if v.kind, bad = isBool, w.bytes(1); bad == nil && w.data[v.start] != 0 {
			v.node = 1
		}
	case avroInt:
		var number int64
		number, bad = w.varint()
		return integer(isSigned, uint64(number)), bad
	case avroFloat, avroDouble:
		if v.kind, bad = isFloat, w.bytes(n.size); bad == nil {
			v.kind = floatKind(littleEndian(w.data[v.start:w.pos]), int(n.size))
		}
	case avroFixed:
		v.kind, bad = isBytes, w.bytes(n.size)
	case avroBytes:
		v.kind = isBytes
		v.start, bad = w.run()
	case avroString:
		v.kind = isString
		v.start, bad = w.run()
	case avroEnum:
		v.kind, v.node = isString, p.node+1 // 0 is a string in data
		v.start, bad = w.choice(len(n.symbols))
		return v, bad
	case avroArray:
		v.kind, v.node, bad = isArray, p.list, w.skip(p.node, depth)
	case avroMap:
		v.kind, bad = isObject, w.mapped(n, p, depth)
	case avroRecord:
		v.kind, bad = isObject, w.record(p, depth)
	case avroUnion:
		var branch int
		if branch, bad = w.choice(len(n.types)); bad == nil {
			return w.value(p.branches[branch], depth)
		}
	case avroUndefined: // compiled schemas have none
	}
	v.end = w.pos
	return v, bad
}

// record walks a record into which paths lead.
func (w *avroWalk) record(p *avroPlan, depth int) *flaw {
	if depth == maxNesting {
		return w.flaw("nested too deeply")
	}
	for i := range p.steps {
		step := &p.steps[i]
		if step.plan == nil {
			if bad := w.step(step, depth); bad != nil {
				return bad
			}
			continue
		}
		if bad := w.bytes(step.bytes); bad != nil {
			return bad
		}
		v, bad := w.value(step.plan, depth+1)
		if bad != nil {
			return bad
		}
		w.note(step.want, depth, v)
	}
	return nil
}

// mapped walks a map into which paths lead. If a key occurs twice, the last one counts.
func (w *avroWalk) mapped(n *avroNode, p *avroPlan, depth int) *flaw {
	if depth == maxNesting {
		return w.flaw("nested too deeply")
	}
	for {
		count, bad := w.block()
		if bad != nil || count == 0 {
			return bad
		}
		for ; count > 0; count-- {
			if bad := w.entry(n, p, depth); bad != nil {
				return bad
			}
		}
	}
}

// entry walks a key and a value.
func (w *avroWalk) entry(n *avroNode, p *avroPlan, depth int) *flaw {
	start, bad := w.run()
	if bad != nil {
		return bad
	}
	key := w.data[start:w.pos]
	for i := range p.keys {
		k := &p.keys[i]
		if k.name != string(key) {
			continue
		}
		w.through(k.want, depth, key)
		v, bad := w.value(k.plan, depth+1)
		if bad == nil {
			w.note(k.want, depth, v)
		}
		return bad
	}
	return w.skip(n.types[0], depth+1)
}

// skip walks a value into which no path leads.
func (w *avroWalk) skip(node int32, depth int) *flaw {
	n := &w.schema.nodes[node]
	if n.size >= 0 {
		return w.bytes(n.size)
	}
	var bad *flaw
	switch n.op {
	case avroInt:
		_, bad = w.varint()
	case avroBytes, avroString:
		_, bad = w.run()
	case avroEnum:
		_, bad = w.choice(len(n.symbols))
	case avroUnion:
		var branch int
		if branch, bad = w.choice(len(n.types)); bad == nil {
			bad = w.skip(n.types[branch], depth)
		}
	case avroArray, avroMap, avroRecord:
		bad = w.skipParts(n, depth)
	case avroUndefined, avroNull, avroBoolean, avroFloat, avroDouble, avroFixed: // their size never differs
	}
	return bad
}

func (w *avroWalk) skipParts(n *avroNode, depth int) *flaw {
	if depth == maxNesting {
		return w.flaw("nested too deeply")
	}
	if n.op == avroRecord {
		for i := range n.skipping {
			if bad := w.step(&n.skipping[i], depth); bad != nil {
				return bad
			}
		}
		return nil
	}
	for {
		count, bad := w.block()
		if bad == nil && count > 0 {
			bad = w.skipBlock(n, count, depth)
		}
		if bad != nil || count == 0 {
			return bad
		}
	}
}

// step skips what lies between two fields.
func (w *avroWalk) step(step *avroStep, depth int) *flaw {
	if bad := w.bytes(step.bytes); bad != nil || step.node == noNode {
		return bad
	}
	return w.skip(step.node, depth+1)
}

func (w *avroWalk) skipBlock(n *avroNode, count int64, depth int) *flaw {
	each := w.schema.nodes[n.types[0]].size
	if n.op == avroArray && each >= 0 { // elements may take no bytes, so their count alone must cost nothing
		if each > 0 && count > int64(len(w.data)-w.pos)/each {
			return w.flaw(tooShort)
		}
		return w.bytes(count * each)
	}
	for ; count > 0; count-- {
		if n.op == avroMap {
			if _, bad := w.run(); bad != nil {
				return bad
			}
		}
		if bad := w.skip(n.types[0], depth+1); bad != nil {
			return bad
		}
	}
	return nil
}

// avroSyntax reads values that an avroWalk found.
type avroSyntax struct{ *avroSchema }

func (s avroSyntax) str(dst, data []byte, v value) (out []byte, valid bool) {
	if v.node > 0 {
		return appendBytes(dst, []byte(s.nodes[v.node-1].symbols[v.start]))
	}
	return appendBytes(dst, data[v.start:v.end])
}

func (s avroSyntax) join(c composer, i int, at path, v value) ([]byte, *Rejection) {
	w := avroWalk{finder: c.reader.finder(), schema: s.avroSchema, data: c.data, pos: v.start}
	each, number := s.lists[v.node], 0 // it was walked before, so there is no flaw
	for count, _ := w.block(); count > 0; count, _ = w.block() {
		for ; count > 0; count-- {
			element, _ := w.value(each, int(v.through))
			if bad := c.part(i, number, at, v, element, w.take(i)); bad != nil {
				return nil, bad
			}
			number++
		}
	}
	return c.joined(at, v)
}
