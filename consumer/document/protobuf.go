package document

import (
	"context"
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
	name := from.params.Schema.Message
	all, err := schemasOf(from, func(s registry.Schema) (*protoSchema, error) {
		if from.file != nil {
			return protoFiles(from.file, name, r.paths)
		}
		if err := typed(s, "PROTOBUF"); err != nil {
			return nil, err
		}
		return protoText(s, r.paths)
	})
	return protobuf{r, name, all}, err
}

func (r protobuf) decode(ctx context.Context, in Input, buf []byte) (Document, *Rejection, error) {
	schema, f, bad, err := r.schemas.of(ctx, r.Reader, &in)
	if bad != nil || err != nil {
		return Document{}, bad, err
	}
	plan, skip, bad := r.choose(in, f, schema)
	if bad != nil {
		return Document{}, bad, nil
	}
	doc, bad := r.read(in, skip, plan, buf)
	return doc, bad, nil
}

// read reads a value of a message, which begins behind some bytes.
func (r protobuf) read(in Input, skip int, plan *protoPlan, buf []byte) (Document, *Rejection) {
	w := protoWalk{finder: r.finder(), plan: plan, data: in.Value}
	if flawed := w.message(skip, len(in.Value), 0, w.all()); flawed != nil {
		return Document{}, undecodable(flawed)
	}
	c := composer{syntax: protoSyntax{plan, skip, len(in.Value), 0}, data: in.Value, buf: buf[:0]}
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
	if plan = schema.plans[protoPath(at)]; schema.one != nil {
		if plan = schema.one; protoPath(at) != protoPath(schema.at) {
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

// scalar is the value that stands from start to end, of a field to which the path of number i leads. Without bytes it is the
// default.
func (w *protoWalk) scalar(i int, f protoreflect.FieldDescriptor, start, end int) value {
	var n uint64
	data := w.data[start:end]
	switch wireOf(f.Kind()) {
	case protowire.VarintType:
		n, _ = protowire.ConsumeVarint(data)
	case protowire.Fixed32Type, protowire.Fixed64Type:
		n = littleEndian(data)
	case protowire.BytesType, protowire.StartGroupType, protowire.EndGroupType:
	}
	switch f.Kind() {
	case protoreflect.StringKind:
		return value{kind: isString, start: start, end: end}
	case protoreflect.BytesKind:
		return value{kind: isBytes, start: start, end: end}
	case protoreflect.BoolKind:
		return value{kind: isBool, node: int32(min(n, 1))}
	case protoreflect.EnumKind:
		return value{kind: isString, node: int32(i) + 1, start: int(int32(n))} // 0 is a string in data
	case protoreflect.Int32Kind, protoreflect.Sfixed32Kind:
		return integer(isSigned, uint64(int32(n)))
	case protoreflect.Int64Kind, protoreflect.Sfixed64Kind:
		return integer(isSigned, n)
	case protoreflect.Sint32Kind:
		return integer(isSigned, uint64(int32(protowire.DecodeZigZag(n&(1<<32-1)))))
	case protoreflect.Sint64Kind:
		return integer(isSigned, uint64(protowire.DecodeZigZag(n)))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return integer(isUnsigned, uint64(uint32(n)))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return integer(isUnsigned, n)
	case protoreflect.FloatKind:
		return value{kind: floatKind(n, 4)}
	case protoreflect.DoubleKind:
		return value{kind: floatKind(n, 8)}
	case protoreflect.MessageKind, protoreflect.GroupKind:
	}
	return value{kind: isObject}
}

// wireOf is how a kind is written.
func wireOf(kind protoreflect.Kind) protowire.Type {
	switch kind {
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return protowire.Fixed32Type
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return protowire.Fixed64Type
	case protoreflect.GroupKind:
		return protowire.StartGroupType
	case protoreflect.BoolKind, protoreflect.EnumKind, protoreflect.Int32Kind, protoreflect.Int64Kind,
		protoreflect.Sint32Kind, protoreflect.Sint64Kind, protoreflect.Uint32Kind, protoreflect.Uint64Kind:
	}
	return protowire.VarintType
}

// protoSyntax reads values that a protoWalk found in a message, which stands from skip to end.
type protoSyntax struct {
	plan      *protoPlan
	skip, end int
	depth     int // names that have led to the message
}

func (s protoSyntax) str(dst, data []byte, v value) (out []byte, valid bool) {
	if v.node == 0 {
		return appendBytes(dst, data[v.start:v.end])
	}
	way, number := s.plan.ways[v.node-1], protoreflect.EnumNumber(int32(v.start))
	if symbol := way[len(way)-1].Enum().Values().ByNumber(number); symbol != nil {
		return append(dst, symbol.Name()...), true
	}
	return strconv.AppendInt(dst, int64(number), 10), true
}

// join walks the message once more: the elements of a list may stand anywhere in it.
func (s protoSyntax) join(c composer, number int, at path, v value) ([]byte, *Rejection) {
	if v.start == noElement {
		return c.buf, nil
	}
	w := protoWalk{
		finder: c.reader.finder(), plan: s.plan, data: c.data,
		gather: &gathering{composer: c, list: v, at: at, number: number},
	}
	_ = w.message(s.skip, s.end, s.depth, 1<<number) // it was walked before, so there is no flaw
	if w.gather.bad != nil {
		return nil, w.gather.bad
	}
	return w.gather.joined(at, v)
}
