package journal

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
)

// reason returns why a value is a stray, or what else it is.
func reason(value []byte) string {
	rec, err := Decode(value)
	var why *StrayError
	switch {
	case err == nil && rec != nil:
		return "record"
	case errors.As(err, &why) && rec == nil:
		return string(why.Reason)
	case errors.Is(err, ErrVersion) && rec == nil:
		return "another version"
	}
	return "neither"
}

// sealed returns a framed value with some bytes changed and the checksum that fits.
func sealed(value []byte, change func(value []byte)) []byte {
	value = append([]byte(nil), value...)
	change(value)
	closeFrame(value)
	return value
}

// One wrong bit makes a record a stray, wherever the bit is. It never makes another record, nor one of another format,
// which would end the group.
func TestOneBadBit(t *testing.T) {
	t.Parallel()
	for _, rec := range records() {
		value := Append(nil, rec)
		for bit := range 8 * len(value) {
			value[bit/8] ^= 1 << (bit % 8)
			if got, want := reason(value), map[bool]string{true: "unframed", false: "damaged"}[bit < 8*versionAt]; got != want {
				t.Errorf("%T with bit %d wrong: %s, want %s", rec, bit, got, want)
			}
			value[bit/8] ^= 1 << (bit % 8)
		}
	}
}

// Only a sound record can be of another format. It has another version, whatever follows, or a kind that this program
// cannot read.
func TestAnotherFormat(t *testing.T) {
	t.Parallel()
	run := Append(nil, records()[1])
	for _, c := range []struct {
		name  string
		value []byte
		want  string
	}{
		{"the next version", sealed(run, func(v []byte) { v[versionAt]++ }), "another version"},
		{"the last one", sealed(run, func(v []byte) { v[versionAt] = 255 }), "another version"},
		{"one with nothing in it", sealed(run[:frameBytes], func(v []byte) { v[versionAt] = 9 }), "another version"},
		{"one whose checksum is wrong", append(sealed(run, func(v []byte) { v[versionAt]++ }), 0), "damaged"},
		{"no version", sealed(run, func(v []byte) { v[versionAt] = 0 }), "another version"},
		{"the version before", sealed(run, func(v []byte) { v[versionAt]-- }), "another version"},
		{"a new kind", sealed(run, func(v []byte) { v[frameBytes] = kinds }), "another version"},
		{"a kind that does not fit its body", sealed(run, func(v []byte) { v[frameBytes] = kindAccusation }), "malformed"},
		{"an empty frame", sealed(run[:frameBytes], func([]byte) {}), "malformed"},
		{"half a frame", run[:frameBytes-1], "unframed"},
		{"half a record", run[:len(run)-1], "damaged"},
		{"nothing", nil, "unframed"},
		{"a text", []byte(`{"text": "a document"}`), "unframed"},
		{"the frame's first byte", run[:1], "unframed"},
	} {
		if got := reason(c.value); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// The owner of a record is checked before its contents: another group's record is a stray, even if it is sound or of
// another format.
func TestOwners(t *testing.T) {
	t.Parallel()
	settings, run := Append(nil, records()[0]), Append(nil, records()[1])
	other := sealed(run, func(v []byte) { v[versionAt]++ })
	for _, c := range []struct {
		name, key string
		value     []byte
		control   bool
		want      string
		sign      bool
	}{
		{name: "ours", key: "us", value: run},
		{name: "nobody's, as before there were keys", value: run},
		{name: "theirs", key: "them", value: run, want: "foreign"},
		{name: "their settings", key: "them", value: settings, want: "foreign", sign: true},
		{name: "their other format", key: "them", value: other, want: "foreign"},
		{name: "their text", key: "them", value: []byte("text"), want: "foreign"},
		{name: "a tombstone of ours", key: "us", want: "unframed"},
		{name: "the end of a transaction", key: "\x00\x00\x00\x01", value: []byte{0, 0, 0, 0, 0, 0}, control: true, want: "marker"},
	} {
		r := &kgo.Record{Key: []byte(c.key), Value: c.value, Offset: 7}
		if c.control {
			r.Attrs = kgo.NewRecordAttrs(kgo.RecordAttrsOpts{Transactional: true, Control: true})
		}
		at, _, err := (&Reader{Owner: "us"}).Read(r)
		var why *StrayError
		switch {
		case c.want == "" && err != nil, at.Offset != 7:
			t.Errorf("%s: %v at %d", c.name, err, at.Offset)
		case c.want != "" && (!errors.As(err, &why) || string(why.Reason) != c.want || why.Sign != c.sign ||
			!strings.HasPrefix(why.Error(), "record 7: ")):
			t.Errorf("%s: %+v, want %s", c.name, err, c.want)
		}
	}
	if _, rec, err := new(Reader).Read(&kgo.Record{Key: []byte("them"), Value: run}); err != nil || rec == nil {
		t.Errorf("anybody's: %v", err)
	}
}

func TestFrameIsDrawn(t *testing.T) {
	t.Parallel()
	value := Append([]byte("before"), &index.Forget{})[len("before"):]
	if string(value[:4]) != "\x1eunj" || value[4] != version || binary.LittleEndian.Uint32(value[5:9]) != sum(value) ||
		value[9] != kindForget {
		t.Errorf("%x is not what doc.go draws", value)
	}
}
