package entry

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func random(r *rand.Rand, keys int) Entry {
	blob := func(n int) []byte {
		b := make([]byte, r.IntN(n))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	e := Entry{Offset: r.Int64(), Time: r.Int64() - 1<<62, Kind: Kind(r.IntN(4)), ID: blob(20)}
	if r.IntN(2) == 0 {
		e.Scope = r.Uint64()
	}
	if e.Kind != None {
		e.Content, e.Evidence = r.Uint64(), blob(300)
		e.Keys = make([]byte, keys)
		e.Keys[0] = byte(r.Uint32())
		e.Digest = make([]byte, DigestBytes)
		e.Digest[1] = byte(r.Uint32())
	}
	return e
}

func normal(e Entry) Entry {
	for _, b := range []*[]byte{&e.Keys, &e.Digest, &e.Evidence, &e.ID} {
		if len(*b) == 0 {
			*b = nil
		}
	}
	return e
}

func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		const keys = 72
		a, b := random(r, keys), random(r, keys)
		buf := Append(nil, &a, nil)
		if len(buf) != Size(&a) {
			t.Fatalf("Size says %d, encoded %d bytes", Size(&a), len(buf))
		}
		buf = Append(buf, &b, &a)
		gotA, rest, err := Decode(buf, keys, nil)
		if err != nil {
			t.Fatal(err)
		}
		gotB, rest, err := Decode(rest, keys, &gotA)
		if err != nil || len(rest) != 0 {
			t.Fatalf("%v, %d bytes left", err, len(rest))
		}
		if !reflect.DeepEqual(normal(gotA), normal(a)) || !reflect.DeepEqual(normal(gotB.Clone()), normal(b)) {
			t.Fatalf("got %+v and %+v, want %+v and %+v", gotA, gotB, a, b)
		}
	}
}

func TestDecodeTruncated(t *testing.T) {
	e := Entry{
		Offset: 7, Time: 9, Kind: Text, Scope: 3, Content: 5, Keys: make([]byte, 8), Digest: make([]byte, DigestBytes), ID: []byte("id"),
		Evidence: []byte("text"),
	}
	buf := Append(nil, &e, nil)
	for n := range buf {
		if _, _, err := Decode(buf[:n], 8, nil); err == nil {
			t.Errorf("%d of %d bytes decode", n, len(buf))
		}
	}
}

// Journals and snapshots hold the bytes of entries: a change of them makes a new version of both and pins the new
// bytes.
func TestPinned(t *testing.T) {
	keys, digest := []byte{0xa1, 0xa2, 0xa3, 0xa4}, bytes.Repeat([]byte{0xb1}, DigestBytes)
	digested := strings.Repeat("b1", DigestBytes)
	for _, c := range []struct {
		e    Entry
		want string
	}{
		{Entry{Offset: 7, Time: 1000}, "000ed00f"},
		{Entry{Offset: 7, Time: 1000, ID: []byte("id")}, "080ed00f026964"},
		{
			Entry{
				Offset: 7, Time: 1000, Content: 5, Keys: keys, Digest: digest, Kind: Text, Evidence: AppendText(nil, []byte("a b")),
			},
			"010ed00f0500000000000000a1a2a3a4" + digested + "050308612062",
		},
		{
			Entry{
				Offset: 7, Time: 1000, Content: 5, Keys: keys, Digest: digest, Kind: Sketch, Evidence: []byte{1, 2}, Scope: 9,
				ID: []byte("i"),
			},
			"0e0ed00f09000000000000000500000000000000a1a2a3a4" + digested + "0169020102",
		},
		{
			Entry{
				Offset: 7, Time: 1000, Content: 5, Keys: keys, Digest: digest, Kind: Shingles,
				Evidence: AppendShingles(nil, []uint64{1 << 60, 3 << 60}),
			},
			"030ed00f0500000000000000a1a2a3a4" + digested + "110200000000000040000000000000000103",
		},
	} {
		if got := hex.EncodeToString(Append(nil, &c.e, nil)); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.e, got, c.want)
		}
	}
}

func TestText(t *testing.T) {
	text := bytes.Repeat([]byte("the quick brown fox "), 50)
	packed := AppendText([]byte("before"), text)[len("before"):]
	got, err := DecompressText(make([]byte, 0, 16), packed)
	if err != nil || !bytes.Equal(got, text) {
		t.Fatalf("DecompressText gives %q, error %v; want %q and no error", got, err, text)
	}
	lie := []byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0}
	if _, err := DecompressText(nil, lie); err == nil {
		t.Error("a text of 4 GiB in six bytes was accepted")
	}
}

func FuzzDecode(f *testing.F) {
	e := Entry{
		Offset: 7, Time: 9, Kind: Text, Scope: 3, Content: 5, Keys: make([]byte, 8), Digest: make([]byte, DigestBytes), ID: []byte("id"),
		Evidence: []byte("text"),
	}
	f.Add(Append(nil, &e, nil))
	f.Fuzz(func(t *testing.T, src []byte) {
		e, rest, err := Decode(src, 8, nil)
		if err != nil {
			return
		}
		_, _ = DecompressText(nil, e.Evidence)
		again, _, err := Decode(Append(nil, &e, nil), 8, nil)
		if err != nil || !reflect.DeepEqual(normal(e), normal(again)) {
			t.Fatalf("%+v became %+v (%v), %d left", e, again, err, len(rest))
		}
	})
}
