package snapshot

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/wire"
)

func manifest() Manifest {
	return Manifest{
		Index:       "orders",
		Position:    Position{JournalTopic: [16]byte{1, 15: 2}, LeaderEpoch: -1, Offset: math.MaxInt64},
		Taken:       1_700_000_000_000,
		Fingerprint: math.MaxUint64,
		Segments:    []Segment{numbered(7, true, NewSegment([]byte("one"), 1)), numbered(8, false, NewSegment(nil, 65536))},
		State:       []byte("state"),
	}
}

func numbered(n uint64, sealed bool, s Segment) Segment {
	s.Number, s.Sealed = n, sealed
	return s
}

func TestManifestRoundTrip(t *testing.T) {
	for _, m := range []Manifest{manifest(), {State: []byte{}}} {
		got, err := DecodeManifest(m.Encode())
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("%+v became %+v, %v", m, got, err)
		}
	}
}

func TestDecodeHead(t *testing.T) {
	m := manifest()
	data := m.Encode()
	want := Info{Position: m.Position, Taken: m.Taken, Documents: 65537, Bytes: 3}
	if got, ok := DecodeHead(data[:HeadBytes]); !ok || got != want {
		t.Errorf("got %+v, %v", got, ok)
	}
	for n := range HeadBytes {
		if _, ok := DecodeHead(data[:n]); ok {
			t.Errorf("%d bytes are a head", n)
		}
	}
	data[6]++
	if _, ok := DecodeHead(data); ok {
		t.Error("read the head of another version")
	}
}

// TestManifestLies seals payloads with a correct checksum and wrong content.
func TestManifestLies(t *testing.T) {
	m := manifest()
	payload, err := Open(KindManifest, m.Encode())
	if err != nil {
		t.Fatal(err)
	}
	fixed := payload[:fixedLen:fixedLen]
	named := wire.AppendString(fixed, "orders")
	segment := func(sealed byte, size, documents uint64) []byte {
		b := append(binary.AppendUvarint(named, 1), make([]byte, 32)...)
		b = binary.AppendUvarint(binary.AppendUvarint(append(b, 7, sealed), size), documents)
		return wire.AppendBytes(binary.LittleEndian.AppendUint64(b, 0), nil)
	}
	for name, bad := range map[string][]byte{
		"many segments": append(binary.AppendUvarint(named, 1<<40), make([]byte, 200)...),
		"long index":    append(binary.AppendUvarint(fixed, 1<<60), 'x'),
		"long state":    append(append(named, 0), 0xff, 0xff, 0x7f),
		"trailing":      append(payload[:len(payload):len(payload)], 0),
		"half sealed":   segment(2, 1, 1),
		"bytes beyond":  segment(1, MaxBytes+1, 1),
		"documents":     segment(1, 1, math.MaxInt32+1),
		"wrong totals":  segment(1, 5, 5),
	} {
		t.Run(name, func(t *testing.T) {
			sealed := Seal(KindManifest, bad)
			var corrupt *CorruptError
			if _, err := DecodeManifest(sealed); !errors.As(err, &corrupt) {
				t.Fatalf("got %v", err)
			}
			if n := testing.AllocsPerRun(5, func() { _, _ = DecodeManifest(sealed) }); n > 20 {
				t.Errorf("%v allocations for a lie", n)
			}
		})
	}
	for n := range payload {
		if _, err := DecodeManifest(Seal(KindManifest, payload[:n])); err == nil {
			t.Fatalf("%d of %d bytes decode", n, len(payload))
		}
	}
}

func TestCheck(t *testing.T) {
	m := manifest()
	if err := m.Check("orders"); err != nil {
		t.Error(err)
	}
	for part, change := range map[string]func(m *Manifest){
		`"invoices"`:    func(m *Manifest) { m.Index = "invoices" },
		"negative":      func(m *Manifest) { m.Position.Offset = -1 },
		"bound":         func(m *Manifest) { m.State = make([]byte, MaxBytes+1) },
		"not a segment": func(m *Manifest) { m.Segments = []Segment{{Name: "../x"}} },
		"Bytes:-1":      func(m *Manifest) { m.Segments = []Segment{{Name: SegmentName(nil), Bytes: -1}} },
	} {
		bad := manifest()
		change(&bad)
		if err := bad.Check("orders"); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, want %s", err, part)
		}
	}
}

func FuzzDecodeManifest(f *testing.F) {
	m := manifest()
	payload, err := Open(KindManifest, m.Encode())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(payload, true)
	f.Add(m.Encode(), false)
	f.Add([]byte{}, true)
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		if seal { // sealed anew, because random bytes would not pass the checksum
			data = Seal(KindManifest, data)
		}
		m, err := DecodeManifest(data)
		if err != nil {
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) && !errors.Is(err, ErrNewerFormat) {
				t.Fatalf("an untyped error: %v", err)
			}
			return
		}
		again, err := DecodeManifest(m.Encode())
		if err != nil || !reflect.DeepEqual(again, m) {
			t.Fatalf("%+v became %+v, %v", m, again, err)
		}
		if _, ok := DecodeHead(data); !ok {
			t.Fatal("a manifest without a head")
		}
	})
}
