package document

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/unecho/unecho/sink"
)

// hostile is a value that promises more than it has, or holds as much as possible in its bytes.
type hostile struct {
	name, schema, field string
	value               string
	reason              sink.Reason
}

// many is how often a part occurs in a hostile value.
const many = 1 << 18

func times(part string) string { return strings.Repeat(part, many) }

// TestHostileAvro: counts, lengths, recursion, and what takes no bytes. Elements of which no end is in sight are as good as
// none.
func TestHostileAvro(t *testing.T) {
	count := func(n int64) string { return string(binary.AppendVarint(nil, n)) }
	record := func(x string) string {
		return `{"type":"record","name":"R","fields":[{"name":"x","type":` + x + `},{"name":"text","type":["null","string"]}]}`
	}
	list := func(of string) string { return record(`{"type":"array","items":` + of + `}`) }
	a := func(before, kind string) string {
		return `{"type":"record","name":"E","fields":[` + before + `{"name":"a","type":` + kind + `}]}`
	}
	var wide strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&wide, `{"name":"n%d","type":"null"},`, i)
	}
	nulls, nothing, tiny := list(`"null"`), list(a("", `"null"`)), list(a("", `["null","string","E"]`))
	fields := list(a(wide.String(), `["null","string"]`))
	keys, loop := record(`{"type":"map","values":["null","R"]}`), record(`["null","R",{"type":"array","items":"R"}]`)
	symbols := list(`{"type":"enum","name":"K","symbols":["` + strings.Repeat("x", 1<<16) + `"]}`)
	zeros := count(many) + times("\x00")
	const text = "\x00\x02\x02x" // the end of x, and the text
	runHostile(t, "avro", []hostile{
		{"nulls", nulls, "text", count(1<<40) + text, ""},
		{"nulls on the way", nulls, "x.a", count(1<<40) + "\x00\x00", sink.MissingField},
		{"nulls that are read", nulls, "x", count(1<<40) + "\x00\x00", sink.WrongType},
		{"blocks of nulls", nulls, "x.a", strings.Repeat(count(1<<40), many) + "\x00\x00", sink.MissingField},
		{"records of no bytes", nothing, "text", count(math.MaxInt64) + text, ""},
		{"records of no bytes on the way", nothing, "x.a", count(math.MaxInt64) + "\x00\x00", sink.MissingField},
		{"records of a byte", tiny, "text", zeros + text, ""},
		{"records of a byte on the way", tiny, "x.a", zeros + "\x00\x00", sink.MissingField},
		{"records in records", tiny, "x.a", "\x02" + times("\x04"), sink.Undecodable},
		{"more records than bytes", tiny, "x.a", count(1<<40) + times("\x00"), sink.Undecodable},
		{"fields of no bytes", fields, "text", zeros + text, ""},
		{"fields of no bytes on the way", fields, "x.a", zeros + "\x00\x00", sink.MissingField},
		{"keys", keys, "x.a.text", times("\x02\x02a\x00") + "\x00\x00", sink.MissingField},
		{"unions in unions", loop, "x.x.text", times("\x02"), sink.Undecodable},
		{"arrays in arrays", loop, "x.x.text", times("\x04\x02"), sink.Undecodable},
		{"a length", tiny, "x.a", "\x02\x02" + count(math.MaxInt64), sink.Undecodable},
		{"a block of any size", tiny, "text", count(-1) + count(math.MaxInt64) + "\x00" + text, ""},
		{"long symbols", symbols, "x", zeros + "\x00\x00", sink.TooLarge},
		{"long symbols that nobody reads", symbols, "text", zeros + text, ""},
	})
}

// TestHostilePacked: counts, lengths, nesting, pieces and keys.
func TestHostilePacked(t *testing.T) {
	hex := func(text string) string { return string(unhex(t, text)) }
	counted := func(code string) string { return hex(code) + string(binary.BigEndian.AppendUint32(nil, many)) }
	runHostile(t, "msgpack", []hostile{
		{"a map of billions", "", "text", hex("df ffffffff a1 61"), sink.Undecodable},
		{"an array of billions", "", "text", hex("81 a474657874 dd ffffffff c0"), sink.Undecodable},
		{"a string of billions", "", "text", hex("81 a474657874 db ffffffff 61"), sink.Undecodable},
		{"an extension of billions", "", "text", hex("81 a178 c9 ffffffff 01"), sink.Undecodable},
		{"arrays in arrays", "", "text", hex("81 a178") + times("\x91"), sink.Undecodable},
		{"maps in maps", "", "text", times("\x81\xa4text"), sink.Undecodable},
		{"maps as keys", "", "text", times("\x81"), sink.Undecodable},
		{"maps of nothing", "", "text", counted("82 a178 dd") + times("\x80") + hex("a474657874 a178"), ""},
		{"maps of nothing on the way", "", "text.a", counted("81 a474657874 dd") + times("\x80"), sink.MissingField},
		{"keys that come again", "", "text", counted("df") + times(hex("a474657874 a178")), ""},
		{"numbers as keys", "", "5", counted("df") + times(hex("05 a178")), ""},
	})
	runHostile(t, "cbor", []hostile{
		{"a map of billions", "", "text", hex("bb ffffffffffffffff 61 61"), sink.Undecodable},
		{"an array of billions", "", "text", hex("a1 6474657874 9b ffffffffffffffff f6"), sink.Undecodable},
		{"bytes of billions", "", "text", hex("a1 6178 5b 7fffffffffffffff 61"), sink.Undecodable},
		{"a text in empty pieces", "", "text", hex("a1 6474657874 7f") + times("\x60") + hex("6178 ff"), ""},
		{"a text without end", "", "text", hex("a1 6474657874 7f") + times("\x60"), sink.Undecodable},
		{"a key in empty pieces", "", "text", hex("a1 7f") + times("\x60") + hex("6474657874 ff 6178"), ""},
		{"tags", "", "text", times("\xc1") + hex("a1 6474657874 6178"), ""},
		{"arrays without end", "", "text", hex("a1 6178") + times("\x9f"), sink.Undecodable},
		{"maps as keys", "", "text", times("\xbf"), sink.Undecodable},
		{"maps of nothing", "", "text", hex("bf 6178 9f") + times("\xa0") + hex("ff 6474657874 6178 ff"), ""},
		{"maps of nothing on the way", "", "text.a", hex("bf 6474657874 9f") + times("\xa0") + hex("ff ff"), sink.MissingField},
		{"maps of a byte on the way", "", "text.a", hex("bf 6474657874 9f") + times("\xa1\x00\x00") + hex("ff ff"), sink.MissingField},
		{"keys that come again", "", "text", hex("bf") + times(hex("6474657874 6178")) + hex("ff"), ""},
	})
}

// TestHostileProtobuf: lengths, groups, and the smallest messages, apart and in each other.
func TestHostileProtobuf(t *testing.T) {
	var nested []byte
	for range 2000 {
		nested = protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), nested)
	}
	kinds := string(protowire.AppendBytes([]byte{6<<3 | 2}, bytes.Repeat([]byte{0}, many)))
	runHostile(t, "protobuf", []hostile{
		{"groups in groups", "", "text", times("\xbb\x06"), sink.Undecodable},
		{"messages in messages", "", "list.list.text", string(nested), ""},
		{"a length", "", "text", string(unhex(t, "0a ffffffffffffffff7f 61")), sink.Undecodable},
		{"empty messages that nobody reads", "", "text", times("\x12\x00") + "\x0a\x01x", ""},
		{"empty messages on the way", "", "list.words", times("\x12\x00"), ""},
		{"empty messages on a longer way", "", "list.list.words", times("\x12\x00"), sink.MissingField},
		{"a message in pieces", "", "one.text", times("\x1a\x00"), ""},
		{"a message in pieces, with a list", "", "one.list.words", times("\x1a\x02\x12\x00"), ""},
		{"entries of a map", "", "map.1.text", times("\x22\x00") + "\x22\x02\x08\x01", ""},
		{"entries of one key", "", "labels.a", times("\x4a\x03\x0a\x01a"), ""},
		{"members of a oneof", "", "a", times("\x42\x00\x3a\x00") + "\x3a\x01x", ""},
		{"packed", "", "kinds", kinds, sink.TooLarge},
		{"a key of another type", "", "map.1.text", string(unhex(t, "22 03 0a 0178")), sink.Undecodable},
	})
}

// hostileMessage is the message of hostile values of Protobuf.
const hostileMessage = `syntax = "proto3"; message M { string text = 1; repeated M list = 2; M one = 3; map<int32, M> map = 4;
	repeated string words = 5; repeated Kind kinds = 6; oneof of { string a = 7; M b = 8; } map<string, string> labels = 9; }
	enum Kind { K = 0; }`

// runHostile: each value ends, and takes no more memory than a few times its bytes and those of the longest text.
func runHostile(t *testing.T, format string, values []hostile) {
	t.Helper()
	for _, h := range values {
		t.Run(format+" "+h.name, func(t *testing.T) {
			p := jsonParams(func(p *Params) { p.Format, p.Fields, p.MaxBytes = format, []string{h.field}, 64<<10 })
			switch format {
			case "avro":
				p.Schema.File = schemaFile(t, h.schema)
			case "protobuf":
				p.Schema.File, p.Schema.Message = schemaFile(t, descriptors(t, hostileMessage)), "M"
			}
			r := newReader(t, p)
			in := Input{Value: []byte(h.value)}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			doc, bad := r.Read(in, nil)
			runtime.ReadMemStats(&after)
			if bad == nil && h.reason != "" || bad != nil && bad.Reason != h.reason {
				t.Errorf("Read returns a text of %d bytes, rejection %+v; want the reason %q", len(doc.Text), bad, h.reason)
			}
			taken, most := int(after.TotalAlloc-before.TotalAlloc), 8*int(p.MaxBytes)+4*len(h.value)
			if taken > most {
				t.Errorf("a value of %d bytes took %d of memory; want %d at most", len(h.value), taken, most)
			}
		})
	}
}
