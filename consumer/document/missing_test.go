package document

import (
	"math"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/tinylib/msgp/msgp"

	"github.com/unecho/unecho/sink"
)

// textOfTwo is a document of a text and a note, in each format; a field that is not there is left out.
func textOfTwo(t *testing.T, v object) map[string]struct {
	params Params
	value  []byte
} {
	t.Helper()
	both := func(p *Params) { p.Fields, p.Reject = []string{"text", "note"}, nil }
	out := map[string]struct {
		params Params
		value  []byte
	}{}
	for format, value := range packedFloats(t, v) {
		p := jsonParams(both)
		p.Format = format
		out[format] = struct {
			params Params
			value  []byte
		}{p, value}
	}
	const schema = `{"type":"record","name":"A","fields":[
		{"name":"text","type":["null","string","double"]},{"name":"note","type":["null","string","double"]}]}`
	avro := object{"text": v["text"], "note": v["note"]}
	out["avro"] = struct {
		params Params
		value  []byte
	}{avroParams(t, schema, both), avroValue(t, schema, avro)}
	return out
}

// packedFloats is what encoded is for values with NaN, which encoding/json does not write.
func packedFloats(t *testing.T, v object) map[string][]byte {
	t.Helper()
	packed, err := msgp.AppendIntf(nil, v)
	if err != nil {
		t.Fatal(err)
	}
	concise, err := cbor.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	fields := make([]string, 0, len(v))
	for _, name := range []string{"text", "note"} {
		switch value := v[name].(type) {
		case string:
			fields = append(fields, `"`+name+`":"`+value+`"`)
		case float64:
			fields = append(fields, `"`+name+`": NaN`)
		case nil:
			if _, there := v[name]; there {
				fields = append(fields, `"`+name+`":null`)
			}
		}
	}
	return map[string][]byte{"json": []byte("{" + strings.Join(fields, ",") + "}"), "msgpack": packed, "cbor": concise}
}

// TestMissingFields: in every format a field of several that is absent, null or NaN is as one without a character, where the
// setting says so. Where all are missing there is no document.
func TestMissingFields(t *testing.T) {
	for name, c := range map[string]struct {
		value  object
		text   string
		reason sink.Reason
		detail string
	}{
		"both":         {object{"text": "a", "note": "b"}, "a\nb", "", ""},
		"absent":       {object{"note": "b"}, "b", "", ""},
		"null":         {object{"text": nil, "note": "b"}, "b", "", ""},
		"NaN":          {object{"text": math.NaN(), "note": "b"}, "b", "", ""},
		"empty":        {object{"text": "", "note": "b"}, "b", "", ""},
		"last":         {object{"text": "a", "note": math.NaN()}, "a", "", ""},
		"last empty":   {object{"text": "a", "note": ""}, "a", "", ""},
		"one is empty": {object{"text": "", "note": nil}, "", "", ""},
		"all":          {object{"text": nil, "note": math.NaN()}, "", sink.MissingField, "field text is null"},
		"all NaN":      {object{"text": math.NaN(), "note": nil}, "", sink.MissingField, "field text is NaN"},
	} {
		for format, of := range textOfTwo(t, c.value) {
			t.Run(name+" "+format, func(t *testing.T) {
				doc, bad := newReader(t, of.params).Read(Input{Value: of.value}, nil)
				check(t, doc, bad, c.text, c.reason, c.detail)
				of.params.Reject = []string{"missing_field"}
				_, bad = newReader(t, of.params).Read(Input{Value: of.value}, nil)
				whole := c.value["text"] == "" || c.value["text"] == "a"
				if _, isText := c.value["note"].(string); (bad == nil) != (whole && isText) {
					t.Errorf("where a missing field rejects: %+v", bad)
				}
			})
		}
	}
	p := protoParams(t, func(p *Params) { p.Fields, p.Reject = []string{"text", "score", "article.note"}, nil })
	value := protoValue(t, articleProto, "Article", `{"text":"a","score":"NaN","article":{}}`)
	doc, bad := newReader(t, p).Read(Input{Value: value}, nil)
	check(t, doc, bad, "a", "", "")
	if doc.Missing != 0b110 {
		t.Errorf("missing %b, want the second and the third field", doc.Missing)
	}
}

// TestPythonJSON: what Python's json writes by default is read, wherever it stands.
func TestPythonJSON(t *testing.T) {
	p := jsonParams(func(p *Params) { p.ID = "field:id" })
	for value, detail := range map[string]string{
		`{"text":"a","score":NaN,"more":[NaN, Infinity,-Infinity ],"id":NaN}`: "",
		`{"text":"a","score":Nan}`:      "at byte 22: unknown word",
		`{"text":"a","score":-NaN}`:     "at byte 21: a digit is expected",
		`{"text":"a","score":Infinite}`: "at byte 27: unknown word",
	} {
		doc, bad := newReader(t, p).Read(Input{Value: []byte(value)}, nil)
		if detail == "" {
			check(t, doc, bad, "a", "", "")
		} else {
			check(t, doc, bad, "", sink.InvalidJSON, detail)
		}
		if len(doc.ID) > 0 {
			t.Errorf("the id is %q, and NaN is none", doc.ID)
		}
	}
}

// TestTextAloneIsBounded: an image beside a short text does not count against the bound, in any format.
func TestTextAloneIsBounded(t *testing.T) {
	image := strings.Repeat("A", 2000)
	for text, detail := range map[string]string{
		"thirty letters":         "",
		strings.Repeat("x", 100): "",
		strings.Repeat("x", 101): "the text is longer than 100 bytes, the limit (advanced.max_document_bytes)",
	} {
		for format, value := range encoded(t, object{"text": text, "image": image}) {
			p := jsonParams(func(p *Params) { p.MaxBytes, p.Format = 100, format })
			doc, bad := newReader(t, p).Read(Input{Value: value}, nil)
			if detail == "" {
				check(t, doc, bad, text, "", "")
			} else {
				check(t, doc, bad, "", sink.TooLarge, detail)
			}
		}
	}
}
