package document

import (
	"context"
	"math/bits"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/unecho/unecho/consumer/document/registry"
	"github.com/unecho/unecho/sink"
)

// protobuf is the format of values that are a message of Protobuf.
type protobuf struct {
	*Reader
	message string // the name that it must have; empty: any
	schemas schemas[*protoSchema]
}

func newProtobuf(r *Reader, from *source) (decoder, error) {
	name := from.params.Message
	all, err := schemasOf(from, func(s registry.Schema) (*protoSchema, error) {
		if from.file != nil {
			return protoFiles(from.file, name, r.paths, r.fields)
		}
		if err := typed(s, "PROTOBUF"); err != nil {
			return nil, err
		}
		return protoText(s, r.paths, r.fields)
	})
	return protobuf{r, name, all}, err
}

func (r protobuf) decode(ctx context.Context, in Input, buf []byte) (Document, *Rejection, error) {
	f, bad := r.unframe(&in)
	if bad != nil {
		return Document{}, bad, nil
	}
	schema, bad, err := r.schemas.of(ctx, f)
	if bad != nil || err != nil {
		return Document{}, bad, err
	}
	plan, skip, bad := r.choose(in, f, schema)
	if bad != nil {
		return Document{}, bad, nil
	}
	doc, bad := r.read(in, skip, schema, plan, buf)
	return doc, bad, nil
}

// read reads a value of a message, which begins behind some bytes.
func (r protobuf) read(in Input, skip int, schema *protoSchema, plan *protoPlan, buf []byte) (Document, *Rejection) {
	w := protoWalk{finder: r.finder(), data: in.Value}
	if flawed := w.message(plan, skip, len(in.Value), 0); flawed != nil {
		return Document{}, undecodable(flawed)
	}
	c := composer{syntax: protoSyntax{schema, plan, skip, len(in.Value), 0}, data: in.Value, buf: buf[:0]}
	return r.compose(in, isObject, c, &w.finder)
}

// choose finds the message that a value is, and where it begins.
func (r protobuf) choose(in Input, f frame, schema *protoSchema) (plan *protoPlan, skip int, bad *Rejection) {
	if r.framing.name == noFraming {
		return schema.one, 0, nil
	}
	names, headed := in.Value[f.skip:], f.more != nil
	if headed {
		names = f.more
	}
	at, read, wrong := messageIndex(names)
	if wrong != "" {
		return nil, 0, reject(sink.Undecodable, "%s", wrong)
	}
	if skip = f.skip; !headed {
		skip += read
	}
	if plan = schema.plans[protoPlace(at)]; schema.one != nil {
		if plan = schema.one; protoPlace(at) != protoPlace(schema.at) {
			return nil, 0, reject(sink.WrongType, "the value is message %v of its file, not %s", at, plan.name)
		}
	}
	switch {
	case plan == nil:
		return nil, 0, reject(sink.Undecodable, "the schema has no message %v", at)
	case r.message != "" && plan.name != r.message:
		return nil, 0, reject(sink.WrongType, "the value is a %s, not a %s", plan.name, r.message)
	}
	return plan, skip, nil
}

// maxIndexes bounds how deep messages are nested in messages of a schema.
const maxIndexes = 64

// messageIndex reads which message of a schema a value is, as Confluent's serializers write it: how many numbers follow,
// and the number of a message, of one in it, and so on. 0 is short for the first.
func messageIndex(data []byte) (at []int, read int, wrong string) {
	const broken = "the index of the message is broken"
	count, n := protowire.ConsumeVarint(data)
	deep := protowire.DecodeZigZag(count)
	if n < 0 || deep < 0 || deep > maxIndexes {
		return nil, 0, broken
	}
	if read = n; deep == 0 {
		return []int{0}, read, ""
	}
	for range deep {
		number, n := protowire.ConsumeVarint(data[read:])
		if n < 0 || protowire.DecodeZigZag(number) != int64(int32(protowire.DecodeZigZag(number))) {
			return nil, 0, broken
		}
		read, at = read+n, append(at, int(protowire.DecodeZigZag(number)))
	}
	return at, read, ""
}

// protoWalk walks a message once, and notes where each of the wanted paths leads. What nobody asks for is skipped by its
// length, and what is in it is not looked at.
type protoWalk struct {
	finder
	data   []byte
	gather *gathering // nil: it notes
	key    []byte
}

// gathering collects the elements of the list to which one path leads, or through which it leads further, from a place on.
type gathering struct {
	composer
	schema *protoSchema
	list   value
	at     path
	number int
	n      int
	bad    *Rejection
}

// message walks the fields that stand from pos to end.
func (w *protoWalk) message(p *protoPlan, pos, end, depth int) *flaw {
	for _, a := range p.absent {
		for paths := a.paths; paths != 0; paths &= paths - 1 {
			if i := bits.TrailingZeros64(paths); w.found[i].kind == absent {
				w.found[i] = a.value
			}
		}
	}
	for pos < end {
		number, kind, n := protowire.ConsumeTag(w.data[pos:end])
		if n < 0 {
			return protoFlaw(pos, n)
		}
		start := pos + n
		size := protowire.ConsumeFieldValue(number, kind, w.data[start:end])
		if size < 0 {
			return protoFlaw(start, size)
		}
		pos = start + size
		if f := p.fields[number]; f != nil {
			if bad := w.field(f, kind, number, start, pos, depth); bad != nil {
				return bad
			}
		}
	}
	return nil
}

// protoFlaw says what a negative length means.
func protoFlaw(at, n int) *flaw {
	what := "no field of Protobuf"
	if err := protowire.ParseError(n); err.Error() == "unexpected EOF" {
		what = tooShort
	}
	return &flaw{offset: at, what: what}
}

// field walks a field whose value stands from pos to end.
func (w *protoWalk) field(f *protoField, kind protowire.Type, number protowire.Number, pos, end, depth int) *flaw {
	for others := f.others; others != 0; others &= others - 1 {
		w.found[bits.TrailingZeros64(others)] = value{}
	}
	if f.want == 0 {
		return nil
	}
	packed := f.list && kind == protowire.BytesType && !lengthened(wireOf(f.kind))
	if kind != wireOf(f.kind) && !packed {
		return &flaw{offset: pos, what: "field " + strconv.Itoa(int(number)) + " is not written as the type that the schema has"}
	}
	if kind == protowire.BytesType {
		_, n := protowire.ConsumeVarint(w.data[pos:end]) // it was consumed before, so it is whole
		pos += n
	}
	if kind == protowire.StartGroupType {
		end -= protowire.SizeTag(number)
	}
	switch {
	case f.entry != nil:
		return w.entry(f, pos, end, depth)
	case packed:
		return w.packed(f, number, pos, end, depth)
	case f.list:
		return w.element(f, pos, end, depth)
	}
	return w.single(f, pos, end, depth)
}

// lengthened says whether a type says where its values end, so that they are never packed.
func lengthened(t protowire.Type) bool {
	return t == protowire.BytesType || t == protowire.StartGroupType
}

// packed walks the elements of a list of numbers that stand side by side.
func (w *protoWalk) packed(f *protoField, number protowire.Number, pos, end, depth int) *flaw {
	for pos < end {
		size := protowire.ConsumeFieldValue(number, wireOf(f.kind), w.data[pos:end])
		if size < 0 {
			return protoFlaw(pos, size)
		}
		if bad := w.element(f, pos, pos+size, depth); bad != nil {
			return bad
		}
		pos += size
	}
	return nil
}

// single walks a value that is no list and no map.
func (w *protoWalk) single(f *protoField, pos, end, depth int) *flaw {
	if f.message == nil {
		w.note(f.want, depth, f.scalar(w.bits(f.kind, pos), pos, end))
		return nil
	}
	w.note(f.want, depth, value{kind: isObject})
	return w.message(f.message, pos, end, depth+1)
}

// element notes or gathers an element of a list.
func (w *protoWalk) element(f *protoField, pos, end, depth int) *flaw {
	if w.gather != nil {
		w.gathered(f, pos, end, depth)
		return nil
	}
	for want := f.want; want != 0; want &= want - 1 {
		i := bits.TrailingZeros64(want)
		if v := w.found[i]; v.kind != isArray || v.start == noElement {
			w.note(1<<i, depth, value{kind: isArray, start: pos})
		}
	}
	if f.message == nil {
		return nil
	}
	inner := protoWalk{finder: w.finder, data: w.data} // which finds nothing, but is walked once before it is gathered
	return inner.message(f.message, pos, end, depth+1)
}

// gathered gathers an element of a list.
func (w *protoWalk) gathered(f *protoField, pos, end, depth int) {
	g := w.gather
	if g.bad != nil || f.want>>g.number&1 == 0 || pos < g.list.start {
		return
	}
	n, element, found := g.n, value{kind: isObject}, value{}
	switch {
	case g.list.through == 0 && len(g.at) != depth+1, g.list.through > 0 && int(g.list.through) != depth+1:
		return
	case f.kind != protoreflect.MessageKind && f.kind != protoreflect.GroupKind:
		element = f.scalar(w.bits(f.kind, pos), pos, end)
	case f.message != nil && g.list.through > 0:
		inner := protoWalk{finder: finder{paths: w.paths, texts: w.texts}, data: w.data}
		_ = inner.message(f.message, pos, end, depth+1) // it was walked before, so there is no flaw
		if found = inner.take(g.number); found.kind == isArray && found.start != noElement {
			g.syntax = protoSyntax{g.schema, f.message, pos, end, depth + 1}
		}
	}
	g.n++
	g.bad = g.part(g.number, n, g.at, g.list, element, found)
}

// entry walks an entry of a map. The last one of a key counts.
func (w *protoWalk) entry(f *protoField, pos, end, depth int) *flaw {
	w.note(f.want, depth, value{kind: isObject})
	var name, val [2]int
	there := [2]bool{}
	for pos < end {
		number, kind, n := protowire.ConsumeTag(w.data[pos:end])
		if n < 0 {
			return protoFlaw(pos, n)
		}
		start := pos + n
		size := protowire.ConsumeFieldValue(number, kind, w.data[start:end])
		if size < 0 {
			return protoFlaw(start, size)
		}
		pos = start + size
		of := f.entry.key
		if number == 2 {
			of = f.entry.value
		}
		if number > 2 {
			continue
		}
		if kind != wireOf(of.kind) {
			return &flaw{offset: start, what: "an entry of a map is not written as the type that the schema has"}
		}
		if kind == protowire.BytesType {
			_, n := protowire.ConsumeVarint(w.data[start:pos])
			start += n
		}
		if number == 1 {
			name, there[0] = [2]int{start, pos}, true
		} else {
			val, there[1] = [2]int{start, pos}, true
		}
	}
	return w.keyed(f, name, val, there, depth+1)
}

// keyed follows the paths that lead through the key of an entry. depth is that of the key.
func (w *protoWalk) keyed(f *protoField, name, val [2]int, there [2]bool, depth int) *flaw {
	var number uint64
	if there[0] {
		number = w.bits(f.entry.key.kind, name[0])
	}
	w.key = protoKeyName(w.key[:0], f.entry.key.kind, number, w.data[name[0]:name[1]])
	for i := range f.keys {
		k := &f.keys[i]
		if k.name != string(w.key) {
			continue
		}
		w.through(k.want, depth, w.key)
		if !there[1] && k.value.message == nil {
			w.note(k.want, depth, k.value.scalar(0, 0, 0))
			return nil
		}
		return w.single(k.value, val[0], val[1], depth)
	}
	return nil
}

// protoKeyName writes a key as a path names it.
func protoKeyName(dst []byte, kind protoreflect.Kind, number uint64, text []byte) []byte {
	if kind == protoreflect.StringKind {
		return append(dst, text...)
	}
	v := (&protoField{kind: kind}).scalar(number, 0, 0)
	switch {
	case kind == protoreflect.BoolKind:
		return strconv.AppendBool(dst, number != 0)
	case v.kind == isSigned:
		return strconv.AppendInt(dst, int64(v.integer()), 10)
	}
	return strconv.AppendUint(dst, v.integer(), 10)
}

// bits reads what a scalar that has no length is written as.
func (w *protoWalk) bits(kind protoreflect.Kind, pos int) (n uint64) {
	switch wireOf(kind) {
	case protowire.VarintType:
		n, _ = protowire.ConsumeVarint(w.data[pos:])
	case protowire.Fixed32Type:
		small, _ := protowire.ConsumeFixed32(w.data[pos:])
		n = uint64(small)
	case protowire.Fixed64Type:
		n, _ = protowire.ConsumeFixed64(w.data[pos:])
	case protowire.BytesType, protowire.StartGroupType, protowire.EndGroupType:
	}
	return n
}
