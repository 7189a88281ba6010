package document

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"io"
	"slices"

	"github.com/unecho/unecho/consumer/document/registry"
	"github.com/unecho/unecho/sink"
)

// framing is how a value, or a header beside it, names its schema.
type framing struct {
	name     string // the word in the settings
	asks     bool   // a registry can be asked for what it names
	messages bool   // it says which message of Protobuf a value is
	read     func(in Input) (frame, string)
}

// frame is what was read of a framing.
type frame struct {
	id     registry.ID
	skip   int    // so many bytes of the value stand before its content
	more   []byte // what follows the name in a header; nil: the name was in none
	packed bool   // the content is compressed, by zlib
}

func framings() []framing {
	return []framing{
		{noFraming, false, true, func(Input) (frame, string) { return frame{}, "" }},
		{"confluent", true, true, confluent},
		{"apicurio", true, false, apicurio},
		{"glue", false, false, glue},
	}
}

const noFraming = "none"

// framingOf finds a framing by its name. For an unknown name it returns the first.
func framingOf(name string) framing {
	all := framings()
	return all[max(0, slices.IndexFunc(all, func(f framing) bool { return f.name == name }))]
}

// confluentHeader is where newer serializers put the name of the value's schema.
const confluentHeader = "__value_schema_id"

// confluent reads the framing of Confluent's serializers. It stands before the value, or in a header:
//
//	┌───┬───────────────┐      ┌───┬─────────────────┐
//	│ 0 │ id, 4 bytes   │  or  │ 1 │ GUID, 16 bytes  │
//	└───┴───────────────┘      └───┴─────────────────┘
func confluent(in Input) (frame, string) {
	if named, is := sink.LastHeader(in.Headers, confluentHeader); is {
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

// These are the headers of Apicurio's serializers.
const (
	apicurioGlobal  = "apicurio.value.globalId"
	apicurioContent = "apicurio.value.contentId"
)

// apicurio reads the framing of Apicurio's serializers: a byte 0 and a number of 8 bytes before the value, or the number
// alone in a header. (What Apicurio writes so that Confluent's readers understand it has Confluent's framing.)
func apicurio(in Input) (frame, string) {
	for _, of := range []struct{ header, kind string }{
		{apicurioGlobal, registry.GlobalIDs}, {apicurioContent, registry.ContentIDs},
	} {
		switch id, is := sink.LastHeader(in.Headers, of.header); {
		case is && len(id) == 8:
			return frame{id: registry.ID{Kind: of.kind, Number: int64(binary.BigEndian.Uint64(id))}, more: id[8:]}, ""
		case is:
			return frame{}, "the header " + of.header + " is no number of 8 bytes"
		}
	}
	switch {
	case len(in.Value) > 0 && in.Value[0] != 0:
		return frame{}, "the first byte is no magic byte of Apicurio's framing"
	case len(in.Value) < 1+8:
		return frame{}, "the value ends before its content begins"
	}
	return frame{id: registry.ID{Kind: registry.GlobalIDs, Number: int64(binary.BigEndian.Uint64(in.Value[1:]))}, skip: 1 + 8}, ""
}

// glue reads the framing of AWS Glue's serializers. Their registry is not asked, so the schema is that of a file.
//
//	┌───┬─────────────────────────┬──────────────────────────────┐
//	│ 3 │ 0 or, compressed, 5     │ version of the schema, 16 B  │
//	└───┴─────────────────────────┴──────────────────────────────┘
func glue(in Input) (frame, string) {
	const begins = 1 + 1 + 16
	switch v := in.Value; {
	case len(v) > 0 && v[0] != 3:
		return frame{}, "the first byte is no magic byte of Glue's framing"
	case len(v) < begins:
		return frame{}, "the value ends before its content begins"
	case v[1] != 0 && v[1] != 5:
		return frame{}, "Glue's framing has no such compression"
	}
	return frame{id: registry.ID{GUID: uuid(in.Value[2:begins])}, skip: begins, packed: in.Value[1] == 5}, ""
}

// unframe finds where the content of a value begins, and which schema it has. Content that is compressed takes the place
// of the value.
func (r *Reader) unframe(in *Input) (frame, *Rejection) {
	f, wrong := r.framing.read(*in)
	if wrong != "" {
		return frame{}, reject(sink.Undecodable, "%s", wrong)
	}
	if !f.packed {
		return f, nil
	}
	content, err := inflate(in.Value[f.skip:], r.maxBytes)
	switch {
	case err != nil:
		return frame{}, reject(sink.Undecodable, "the content cannot be decompressed")
	case len(content) > r.maxBytes:
		return frame{}, reject(sink.TooLarge, "the content has more than %d bytes when decompressed", r.maxBytes)
	}
	in.Value, f.skip = content, 0
	return f, nil
}

// inflate decompresses content, up to one byte more than a limit.
func inflate(content []byte, limit int) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(z, int64(limit)+1))
}
