package document

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/tinylib/msgp/msgp"

	"github.com/unecho/unecho/sink"
)

// encoded returns a value in each format whose values name their own fields.
func encoded(t testing.TB, v any) map[string][]byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := msgp.AppendIntf(nil, v)
	if err != nil {
		t.Fatal(err)
	}
	concise, err := cbor.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"json": text, "msgpack": packed, "cbor": concise}
}

type object = map[string]any

// TestFormatsAlike: what a document says does not depend on the format in which it is written.
func TestFormatsAlike(t *testing.T) {
	two := func(p *Params) { p.Fields = []string{"title", "article.body"} }
	labelled := func(p *Params) { p.ID, p.Scope = "field:id", "field:o.tenant" }
	long := strings.Repeat("Rain. ", 20_000)
	tests := []struct {
		name   string
		edit   func(*Params)
		value  any
		text   string
		id     string
		reason sink.Reason
		detail string
	}{
		{"one field", nil, object{"n": 7, "text": "Rain", "more": []any{object{"text": "no"}}}, "Rain", "", "", ""},
		{"nested, in the order of the settings", two, object{"article": object{"body": "Sun"}, "title": "Rain"}, "Rain\nSun", "", "", ""},
		{"array", nil, object{"text": []any{"a", "b", "", "é"}}, "a\nb\n\né", "", "", ""},
		{"many elements", nil, object{"text": strings.Split(strings.Repeat("x ", 20), " ")}, strings.Repeat("x\n", 20), "", "", ""},
		{"long", nil, object{"text": long}, long, "", "", ""},
		{"ids", labelled, object{"text": "a", "id": "x", "o": object{"tenant": 7}}, "a", "x", "", ""},
		{"number", labelled, object{"text": "a", "id": -70_000, "o": object{"tenant": "t"}}, "a", "-70000", "", ""},
		{"large number", labelled, object{"text": "a", "id": uint64(1<<64 - 1), "o": object{"tenant": "t"}}, "a", "18446744073709551615", "", ""},
		{"small number", labelled, object{"text": "a", "id": int64(-1 << 63), "o": object{"tenant": "t"}}, "a", "-9223372036854775808", "", ""},
		{"null id", labelled, object{"text": "a", "id": nil, "o": object{"tenant": "t"}}, "a", "", "", ""},
		{"no scope", labelled, object{"text": "a", "id": 1, "o": nil}, "", "1", sink.MissingField, "no field o.tenant, from which the scope is read"},
		{"no object before the scope", labelled, object{"text": "a", "o": "t"}, "", "", sink.WrongType, "on the way to the scope in field o.tenant is a string, not an object"},
		{"missing", nil, object{"texts": "a"}, "", "", sink.MissingField, "no field text"},
		{"null", nil, object{"text": nil}, "", "", sink.MissingField, "field text is null"},
		{"boolean", nil, object{"text": true}, "", "", sink.WrongType, "field text is a boolean, not a string"},
		{"object", nil, object{"text": object{"text": "a"}}, "", "", sink.WrongType, "field text is an object, not a string"},
		{"array of more", nil, object{"text": []any{"a", []any{"b"}}}, "", "", sink.WrongType, "element 1 of field text is an array, not a string"},
		{"array with null", nil, object{"text": []any{nil}}, "", "", sink.WrongType, "element 0 of field text is null, not a string"},
		{"no object on the way", two, object{"title": "a", "article": []any{"b"}}, "", "", sink.WrongType, "on the way to field article.body, element 0 is a string, not an object"},
		{"not an object", nil, "text", "", "", sink.WrongType, "the value is a string, not an object"},
		{"not an object but null", nil, nil, "", "", sink.WrongType, "the value is null, not an object"},
	}
	for _, test := range tests {
		for format, value := range encoded(t, test.value) {
			t.Run(test.name+" "+format, func(t *testing.T) {
				p := jsonParams(test.edit)
				p.Format = format
				doc, bad := newReader(t, p).Read(Input{Value: value}, nil)
				check(t, doc, bad, test.text, test.reason, test.detail)
				if string(doc.ID) != test.id {
					t.Errorf("id %q, want %q", doc.ID, test.id)
				}
			})
		}
	}
}

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	out, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// packedCase is a value in hexadecimal. "a" is the name of the field that is read.
type packedCase struct{ name, value, text, detail string }

func runPacked(t *testing.T, format string, tests []packedCase) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newReader(t, jsonParams(func(p *Params) { p.Format, p.Fields = format, []string{"a"} }))
			doc, bad := r.Read(Input{Value: unhex(t, test.value)}, nil)
			reason := sink.Undecodable
			switch {
			case test.detail == "":
				reason = ""
			case !strings.HasPrefix(test.detail, "at byte"):
				reason = sink.WrongType
			}
			check(t, doc, bad, test.text, reason, test.detail)
		})
	}
}

func TestMessagePack(t *testing.T) {
	runPacked(t, "msgpack", []packedCase{
		{"str 8", "81 a161 d903 616263", "abc", ""},
		{"str 16", "81 a161 da0003 616263", "abc", ""},
		{"str 32, map 32", "df00000001 a161 db00000003 616263", "abc", ""},
		{"key of str 8, map 16, array 16", "de0001 d90161 dc0002 a178 a179", "x\ny", ""},
		{"array 32", "81 a161 dd00000002 a178 a179", "x\ny", ""},
		{"last of two keys", "82 a161 a16f a161 a16e", "n", ""},
		{"all that is not read", "8d 01c0 02c2 03c3 04cc80 05cd8000 06ce80000000 07cf8000000000000000 08d080 ca00000000 cb0000000000000000 0ac402ffff 0bd40001 0cc7020161 62 a161 a178", "x", ""},
		{"invalid UTF-8", "81 a161 a2 ff78", "\xffx", ""},
		{"binary", "81 a161 c40161", "", "field a is bytes, not a string"},
		{"extension", "81 a161 d40161", "", "field a is an extension, not a string"},
		{"float", "81 a161 ca00000000", "", "field a is a floating-point number, not a string"},
		{"never used byte", "81 a161 c1", "", "at byte 3: a byte that begins nothing"},
		{"truncated string", "81 a161 a3 6162", "", "at byte 3: the value ends too early"},
		{"truncated length", "81 a161 da00", "", "at byte 3: the value ends too early"},
		{"truncated number", "81 a161 ce000000", "", "at byte 3: the value ends too early"},
		{"truncated map", "82 a161 a178", "", "at byte 5: the value ends too early"},
		{"more", "81 a161 a178 00", "", "at byte 5: more after the end of the value"},
		{"a count that no value has", "81 a161 ddffffffff", "", "at byte 8: the value ends too early"},
		{"a length that no value has", "81 a161 dbffffffff 61", "", "at byte 3: the value ends too early"},
		{"deep", "81 a161" + strings.Repeat("91", 600), "", "at byte 514: nested too deeply"},
	})
}

func TestCBOR(t *testing.T) {
	runPacked(t, "cbor", []packedCase{
		{"lengths of 1, 2, 4 and 8 bytes", "b801 790001 61 9a00000001 7b0000000000000003 616263", "abc", ""},
		{"pieces", "a1 6161 7f 6161 60 6262 63 ff", "abc", ""},
		{"a key in pieces", "bf 7f 6161 ff 6178 ff", "x", ""},
		{"an array without length", "a1 6161 9f 6178 7f 6179 617a ff ff", "x\nyz", ""},
		{"tags", "d9d9f7 a1 6161 c0 6178", "x", ""},
		{"tags in an array", "a1 6161 82 c0 6178 c1 6179", "x\ny", ""},
		{"undefined", "a2 6161 6178 6162 f7", "x", ""},
		{"simple", "a1 6161 f820", "", "field a is an extension, not a string"},
		{"a number below all", "a1 6161 3bffffffffffffffff", "", "field a is an extension, not a string"},
		{"half a float", "a1 6161 f90000", "", "field a is a floating-point number, not a string"},
		{"last of two keys", "a2 6161 616f 6161 616e", "n", ""},
		{"a number as key", "a2 01 616f 6161 616e", "n", ""},
		{"an array as key", "a2 80 616f 6161 616e", "n", ""},
		{"reserved", "a1 6161 1c", "", "at byte 3: a reserved length"},
		{"a simple value in two bytes", "a1 6161 f818", "", "at byte 3: a simple value of two bytes that has one of one"},
		{"an end too much", "ff", "", "at byte 0: an end without a beginning"},
		{"an end in an array with a length", "a1 6161 82 6178 ff", "", "at byte 6: an end without a beginning"},
		{"an end instead of a value", "bf 6161 ff", "", "at byte 3: an end without a beginning"},
		{"a number without end", "a1 6161 1f", "", "at byte 3: a number or a tag without end"},
		{"bytes as a piece", "a1 6161 7f 4161 ff", "", "at byte 4: a piece of a string is expected"},
		{"pieces in pieces", "a1 6161 7f 7f 6161 ff ff", "", "at byte 4: a piece of a string is expected"},
		{"a tag before a piece", "a1 6161 7f c0 6161 ff", "", "at byte 4: a tag where none may stand"},
		{"a tag before an end", "a1 6161 9f 6178 c0 ff", "", "at byte 7: an end without a beginning"},
		{"truncated string", "a1 6161 63 6162", "", "at byte 3: the value ends too early"},
		{"truncated length", "a1 6161 7a0000", "", "at byte 3: the value ends too early"},
		{"a count that no value has", "a1 6161 9bffffffffffffffff", "", "at byte 12: the value ends too early"},
		{"a length that no value has", "a1 6161 7bffffffffffffffff", "", "at byte 3: the value ends too early"},
		{"without end", "bf 6161 6178", "", "at byte 5: the value ends too early"},
		{"more", "a1 6161 6178 00", "", "at byte 5: more after the end of the value"},
		{"tags alone", "c0c0c0", "", "at byte 3: the value ends too early"},
		{"deep", "a1 6161" + strings.Repeat("9f", 600), "", "at byte 514: nested too deeply"},
	})
}

// FuzzReadMessagePack: what is MessagePack for another reader is so here, and no other value.
func FuzzReadMessagePack(f *testing.F) {
	fuzzPacked(f, "msgpack", func(value []byte) (any, bool, bool) {
		rest, err := msgp.Skip(value)
		if err != nil || len(rest) > 0 {
			return nil, false, false
		}
		v, _, err := msgp.ReadIntfBytes(value)
		return v, true, err == nil
	})
}

// FuzzReadCBOR: what is CBOR for another reader is so here, and no other value.
func FuzzReadCBOR(f *testing.F) {
	mode, err := cbor.DecOptions{
		MaxNestedLevels: 65535, MaxArrayElements: 1<<31 - 1, MaxMapPairs: 1<<31 - 1,
	}.DecMode()
	if err != nil {
		f.Fatal(err)
	}
	fuzzPacked(f, "cbor", func(value []byte) (any, bool, bool) {
		if mode.Wellformed(value) != nil {
			return nil, false, false
		}
		var v object
		err := mode.Unmarshal(value, &v)
		return v, true, err == nil
	})
}

// fuzzPacked compares a format with another reader of it, which says whether a value is of the format, and whether it
// could make something of it.
func fuzzPacked(f *testing.F, format string, other func([]byte) (v any, valid, read bool)) {
	for _, seed := range []any{
		object{"text": "a"}, object{"text": []string{"a", "b"}, "a": object{"b": "c"}}, object{"id": -5, "x": 1.5}, nil,
	} {
		f.Add(encoded(f, seed)[format])
	}
	f.Add([]byte("\xa1\x64text\x7f\x61a\x61\xff\xff"))
	p := jsonParams(func(p *Params) { p.Format, p.Fields, p.ID = format, []string{"text", "a.b"}, "field:id" })
	r := newReader(f, p)
	f.Fuzz(func(t *testing.T, value []byte) {
		doc, bad := r.Read(Input{Value: value}, nil)
		if len(value) == 0 || bad != nil && strings.HasSuffix(bad.Detail, "nested too deeply") {
			return
		}
		v, valid, read := other(value)
		if valid == (bad != nil && bad.Reason == sink.Undecodable) {
			t.Fatalf("valid: %v, but %+v", valid, bad)
		}
		if o, is := v.(object); bad == nil && read && is {
			nested, _ := o["a"].(object)
			if want := joined(o["text"]) + "\n" + joined(nested["b"]); marks(string(doc.Text)) != marks(want) && !oldKeys(nested) {
				t.Fatalf("text %q, want %q", doc.Text, want)
			}
		}
	})
}

// oldKeys says that the other reader did not make an object of the nested one, whose keys are not all strings.
func oldKeys(nested object) bool { return nested == nil }

// TestPackedReadsWithoutAllocation: a buffer that has grown once suffices.
func TestPackedReadsWithoutAllocation(t *testing.T) {
	text := strings.Repeat("Rain, then sun. ", 128)
	for format, value := range encoded(t, object{"id": "a1", "n": 5, "text": text, "tags": []any{"a", "b"}}) {
		r := newReader(t, jsonParams(func(p *Params) { p.Format, p.ID, p.Fields = format, "field:id", []string{"text", "tags"} }))
		var buf []byte
		allocs := testing.AllocsPerRun(100, func() {
			doc, bad := r.Read(Input{Value: value}, buf)
			if bad != nil || !bytes.HasSuffix(doc.Text, []byte("a\nb")) {
				t.Fatalf("%s: Read returns the text %q, rejection %+v; want both tags at the text's end, and none", format, doc.Text, bad)
			}
			buf = doc.Buffer
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations a document", format, allocs)
		}
	}
}
