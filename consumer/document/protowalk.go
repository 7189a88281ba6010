package document

import (
	"errors"
	"io"
	"math/bits"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// protoWalk walks a message once, and notes where each of the wanted paths leads. What nobody asks for is skipped by its
// length, and what is in it is not looked at.
type protoWalk struct {
	finder
	plan   *protoPlan
	data   []byte
	gather *gathering // nil: it notes
	key    []byte
}

// gathering collects the elements of the list to which one path leads, or through which it leads further, from a place on.
type gathering struct {
	composer
	list   value
	at     path
	number int
	n      int
	bad    *Rejection
}

// protoPart is a field as it is written. Its content stands from start to end.
type protoPart struct {
	number               protowire.Number
	kind                 protowire.Type
	at, start, end, next int // at is where its length begins, if it has one
}

// part reads the field that begins at pos, in what stands before end.
func (w *protoWalk) part(pos, end int) (p protoPart, bad *flaw) {
	var n int
	if p.number, p.kind, n = protowire.ConsumeTag(w.data[pos:end]); n < 0 {
		return p, protoFlaw(pos, n)
	}
	p.at = pos + n
	if n = protowire.ConsumeFieldValue(p.number, p.kind, w.data[p.at:end]); n < 0 {
		return p, protoFlaw(p.at, n)
	}
	p.next = p.at + n
	p.start, p.end = p.at, p.next
	switch p.kind {
	case protowire.BytesType:
		_, n = protowire.ConsumeVarint(w.data[p.at:end]) // it was consumed before, so it is whole
		p.start += n
	case protowire.StartGroupType:
		p.end -= protowire.SizeTag(p.number)
	case protowire.VarintType, protowire.Fixed32Type, protowire.Fixed64Type, protowire.EndGroupType:
	}
	return p, nil
}

// protoFlaw says what a negative length means.
func protoFlaw(at, n int) *flaw {
	if errors.Is(protowire.ParseError(n), io.ErrUnexpectedEOF) {
		return &flaw{at, tooShort}
	}
	return &flaw{at, "no field of Protobuf"}
}

// message walks the fields that stand from pos to end, to which the paths of want have led.
func (w *protoWalk) message(pos, end, depth int, want uint64) *flaw {
	w.absent(depth, want)
	for pos < end {
		p, bad := w.part(pos, end)
		if bad == nil {
			bad = w.field(p, depth, want)
		}
		if bad != nil {
			return bad
		}
		pos = p.next
	}
	return nil
}

// noElement is where the first element of an empty list is.
const noElement = -1

// absent notes what the paths that end at a field find where no value has it, and the schema does not tell the two
// apart.
func (w *protoWalk) absent(depth int, want uint64) {
	for ; want != 0; want &= want - 1 {
		i := bits.TrailingZeros64(want)
		if w.found[i].kind != absent || len(w.paths[i]) != depth+1 || len(w.plan.ways[i]) <= depth {
			continue
		}
		switch f := w.plan.ways[i][depth]; {
		case f.HasPresence():
		case f.IsMap():
			w.found[i] = value{kind: isObject}
		case f.IsList():
			w.found[i] = value{kind: isArray, start: noElement}
		default:
			w.found[i] = w.scalar(i, f, 0, 0)
		}
	}
}

// field walks a field. It makes the other members of its oneof absent.
func (w *protoWalk) field(p protoPart, depth int, want uint64) *flaw {
	var f protoreflect.FieldDescriptor
	var through uint64
	for ; want != 0; want &= want - 1 {
		i := bits.TrailingZeros64(want)
		if len(w.plan.ways[i]) <= depth {
			continue
		}
		d := w.plan.ways[i][depth]
		if d.Number() == p.number {
			f, through = d, through|1<<i
		} else if of := d.ContainingOneof(); of != nil && of.Fields().ByNumber(p.number) != nil {
			w.found[i] = value{}
		}
	}
	if f == nil {
		return nil
	}
	wire := wireOf(f.Kind())
	packed := f.IsList() && p.kind == protowire.BytesType && wire != protowire.StartGroupType
	switch {
	case p.kind != wire && !packed:
		return &flaw{p.at, "field " + strconv.Itoa(int(p.number)) + " is not written as the type that the schema has"}
	case f.IsMap():
		return w.entry(f, p, depth, through)
	case p.kind != wire:
		return w.packed(f, p, depth, through)
	case f.IsList():
		return w.element(f, p.start, p.end, depth, through)
	}
	return w.single(f, p.start, p.end, depth, through)
}

// packed walks the elements of a list of numbers that stand side by side.
func (w *protoWalk) packed(f protoreflect.FieldDescriptor, p protoPart, depth int, through uint64) *flaw {
	for pos := p.start; pos < p.end; {
		size := protowire.ConsumeFieldValue(p.number, wireOf(f.Kind()), w.data[pos:p.end])
		if size < 0 {
			return protoFlaw(pos, size)
		}
		if bad := w.element(f, pos, pos+size, depth, through); bad != nil {
			return bad
		}
		pos += size
	}
	return nil
}

// single walks a value that is no list and no map.
func (w *protoWalk) single(f protoreflect.FieldDescriptor, pos, end, depth int, through uint64) *flaw {
	if f.Message() == nil {
		w.note(through, depth, w.scalar(bits.TrailingZeros64(through), f, pos, end))
		return nil
	}
	w.note(through, depth, value{kind: isObject})
	return w.message(pos, end, depth+1, through)
}

// element notes or gathers an element of a list. What further paths lead through is walked, so that it has no flaw when
// it is gathered.
func (w *protoWalk) element(f protoreflect.FieldDescriptor, pos, end, depth int, through uint64) *flaw {
	if w.gather != nil {
		w.gathered(f, pos, end, depth, through)
		return nil
	}
	var further uint64
	for ; through != 0; through &= through - 1 {
		i := bits.TrailingZeros64(through)
		if v := w.found[i]; v.kind != isArray || v.start == noElement {
			w.note(1<<i, depth, value{kind: isArray, start: pos})
		}
		if i < w.texts && len(w.paths[i]) > depth+1 {
			further |= 1 << i
		}
	}
	if f.Message() == nil || further == 0 {
		return nil
	}
	inner := protoWalk{finder: finder{paths: w.paths, texts: w.texts}, plan: w.plan, data: w.data}
	return inner.message(pos, end, depth+1, further)
}

// gathered gathers an element of a list.
func (w *protoWalk) gathered(f protoreflect.FieldDescriptor, pos, end, depth int, through uint64) {
	g := w.gather
	if g.bad != nil || through>>g.number&1 == 0 || pos < g.list.start {
		return
	}
	n, element, found := g.n, value{kind: isObject}, value{}
	switch {
	case g.list.through == 0 && len(g.at) != depth+1, g.list.through > 0 && int(g.list.through) != depth+1:
		return
	case f.Message() == nil:
		element = w.scalar(g.number, f, pos, end)
	case g.list.through > 0:
		inner := protoWalk{finder: finder{paths: w.paths, texts: w.texts}, plan: w.plan, data: w.data}
		_ = inner.message(pos, end, depth+1, 1<<g.number) // it was walked before, so there is no flaw
		if found = inner.take(g.number); found.kind == isArray && found.start != noElement {
			g.syntax = protoSyntax{w.plan, pos, end, depth + 1}
		}
	}
	g.n++
	g.bad = g.part(g.number, n, g.at, g.list, element, found)
}

// entry walks an entry of a map. The last one of a key counts.
func (w *protoWalk) entry(f protoreflect.FieldDescriptor, p protoPart, depth int, through uint64) *flaw {
	w.note(through, depth, value{kind: isObject})
	var parts [2]protoPart // without those that are not there, which are zero
	of := [2]protoreflect.FieldDescriptor{f.MapKey(), f.MapValue()}
	for pos := p.start; pos < p.end; {
		part, bad := w.part(pos, p.end)
		if bad != nil {
			return bad
		}
		pos = part.next
		if part.number > 2 {
			continue
		}
		if part.kind != wireOf(of[part.number-1].Kind()) {
			return &flaw{part.at, "an entry of a map is not written as the type that the schema has"}
		}
		parts[part.number-1] = part
	}
	w.key = w.name(w.key[:0], w.scalar(0, of[0], parts[0].start, parts[0].end))
	if through = w.through(through, depth+1, w.key); through == 0 {
		return nil
	}
	return w.single(of[1], parts[1].start, parts[1].end, depth+1, through)
}

// name appends a key as a path names it.
func (w *protoWalk) name(dst []byte, v value) []byte {
	switch v.kind {
	case isString:
		return append(dst, w.data[v.start:v.end]...)
	case isBool:
		return strconv.AppendBool(dst, v.node == 1)
	case isSigned:
		return strconv.AppendInt(dst, int64(v.integer()), 10)
	case absent, isNull, isNumber, isUnsigned, isFloat, isBytes, isOther, isArray, isObject:
	}
	return strconv.AppendUint(dst, v.integer(), 10)
}
