package document

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

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
