package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
)

func TestSealOpen(t *testing.T) {
	for _, payload := range [][]byte{nil, {0}, []byte("unecho"), bytes.Repeat([]byte{7}, 1<<16)} {
		sealed := Seal(KindSegment, payload)
		if len(sealed) != len(payload)+Overhead {
			t.Errorf("%d bytes became %d", len(payload), len(sealed))
		}
		got, err := Open(KindSegment, sealed)
		if err != nil || !bytes.Equal(got, payload) {
			t.Errorf("%d bytes came back as %d, %v", len(payload), len(got), err)
		}
	}
}

func TestOpenSaysWhere(t *testing.T) {
	sealed := func() []byte { return Seal(KindManifest, []byte("payload")) }
	resum := func(b []byte) []byte {
		return binary.LittleEndian.AppendUint64(b[:len(b)-tailLen], xxhash.Sum64(b[:len(b)-tailLen]))
	}
	with := func(at int, v byte) []byte {
		b := sealed()
		b[at] = v
		return b
	}
	for _, test := range []struct {
		name   string
		data   []byte
		offset int64
		cause  error
	}{
		{"nothing", nil, 0, errTorn},
		{"only a header", sealed()[:headLen], int64(headLen), errTorn},
		{"cut", sealed()[:len(sealed())-1], int64(len(sealed()) - 1), errTorn},
		{"too long", append(sealed(), 0), int64(len(sealed()) + 1), errTorn},
		{"magic", with(0, 'U'), 0, errMagic},
		{"payload", with(headLen, 'P'), int64(len(sealed()) - tailLen), errChecksum},
		{"damaged version", with(6, 9), int64(len(sealed()) - tailLen), errChecksum},
		{"version 0", resum(with(6, 0)), 6, nil},
		{"kind", resum(with(7, byte(KindSegment))), 7, nil},
		{"length that lies", resum(with(15, 0xff)), 8, errLength},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Open(KindManifest, test.data)
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) || corrupt.Offset != test.offset || test.cause != nil && !errors.Is(err, test.cause) {
				t.Fatalf("got %v, want %v at %d", err, test.cause, test.offset)
			}
		})
	}
	_, err := Open(KindManifest, resum(with(6, 2)))
	if !errors.Is(err, ErrNewerFormat) || !strings.Contains(err.Error(), "upgrade") {
		t.Errorf("a later version: %v", err)
	}
}

func TestLocate(t *testing.T) {
	_, err := Open(KindSegment, nil)
	if got := Locate(err, "segment x").
		Error(); got != "segment x is corrupt at byte 0: it ends early or was written in part" {
		t.Errorf("Locate of an empty segment x says %q; want it corrupt at byte 0, as it ends early", got)
	}
	if got := Locate(ErrNewerFormat, "manifest y"); !errors.Is(got, ErrNewerFormat) ||
		got.Error() != "manifest y: written by a newer unecho" {
		t.Errorf("Locate of %v in manifest y says %q; want the manifest and this error", ErrNewerFormat, got)
	}
	if Locate(nil, "z") != nil {
		t.Error("no error became one")
	}
}

func TestErrorTexts(t *testing.T) {
	for want, err := range map[string]error{
		"segment x is corrupt: broken": &CorruptError{
			Name: "segment x", Offset: -1,
			Err: errors.New("broken"),
		},
		"segment is not stored: a":                                    &MissingSegmentsError{Names: []string{"a"}},
		"segment is not stored: a, b, c and 1 more":                   &MissingSegmentsError{Names: []string{"a", "b", "c", "d"}},
		"slot-0: leased by another: pid 1 on host":                    &LeasedError{Name: "slot-0", By: "pid 1 on host"},
		"slot-0: leased by another":                                   &LeasedError{Name: "slot-0"},
		"offset 7 of journal AQAAAAAAAAAAAAAAAAAAAA (leader epoch 2)": errors.New(Position{[16]byte{1}, 2, 7}.String()),
	} {
		if err.Error() != want {
			t.Errorf("got %q, want %q", err, want)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(Seal(KindSegment, []byte("payload")))
	f.Add(Seal(KindManifest, nil))
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		payload, err := Open(KindSegment, data)
		var corrupt *CorruptError
		switch {
		case err == nil && !bytes.Equal(Seal(KindSegment, payload), data):
			t.Fatal("another envelope of the same payload")
		case err != nil && !errors.As(err, &corrupt) && !errors.Is(err, ErrNewerFormat):
			t.Fatalf("an untyped error: %v", err)
		}
	})
}
