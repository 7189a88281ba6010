package document

import (
	"context"

	"google.golang.org/protobuf/encoding/protowire"

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
