package document

import (
	"encoding/binary"
	"encoding/hex"

	"github.com/unecho/unecho/consumer/document/registry"
	"github.com/unecho/unecho/sink"
)

// framing is how a value, or a header beside it, names its schema.
type framing struct {
	name string // the word in the settings
	read func(in Input) (frame, string)
}

// frame is what was read of a framing.
type frame struct {
	id   registry.ID
	skip int    // so many bytes of the value stand before its content
	more []byte // what follows the name in a header; nil: the name was none in a header
}

// framings returns all framings.
func framings() []framing {
	return []framing{
		{noFraming, func(Input) (frame, string) { return frame{}, "" }},
		{"confluent", confluent},
	}
}

const noFraming = "none"

// framingOf finds a framing by its name. For an unknown name it returns the first.
func framingOf(name string) framing {
	all := framings()
	for _, f := range all {
		if f.name == name {
			return f
		}
	}
	return all[0]
}

// confluentHeader is where newer serializers put the name of the value's schema.
const confluentHeader = "__value_schema_id"

// confluent reads the framing of Confluent's serializers. It stands before the value, or in a header:
//
//	┌───┬───────────────┐      ┌───┬─────────────────┐
//	│ 0 │ id, 4 bytes   │  or  │ 1 │ GUID, 16 bytes  │
//	└───┴───────────────┘      └───┴─────────────────┘
func confluent(in Input) (frame, string) {
	if named, is := header(in.Headers, confluentHeader); is {
		f, wrong := confluentName(named)
		if wrong != "" {
			return frame{}, "in the header " + confluentHeader + ": " + wrong
		}
		f.skip, f.more = 0, named[f.skip:]
		return f, ""
	}
	return confluentName(in.Value)
}

func confluentName(data []byte) (frame, string) {
	switch {
	case len(data) >= 1+4 && data[0] == 0:
		return frame{id: registry.ID{Number: int64(binary.BigEndian.Uint32(data[1:]))}, skip: 1 + 4}, ""
	case len(data) >= 1+16 && data[0] == 1:
		return frame{id: registry.ID{GUID: uuid(data[1 : 1+16])}, skip: 1 + 16}, ""
	case len(data) > 0 && data[0] > 1:
		return frame{}, "the first byte is no magic byte of Confluent's framing"
	}
	return frame{}, "the value ends before its content begins"
}

// uuid writes 16 bytes as people know them.
func uuid(b []byte) string {
	h := hex.EncodeToString(b)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// unframe finds where the content of a value begins, and which schema it has.
func (r *Reader) unframe(in Input) (frame, *Rejection) {
	f, wrong := r.framing.read(in)
	if wrong != "" {
		return frame{}, reject(sink.Undecodable, "%s", wrong)
	}
	return f, nil
}
