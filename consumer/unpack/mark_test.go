package unpack

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/unpack/unpacktest"
)

// around returns an uncompressed batch of n records.
func around(n int, raw []byte) []byte { return unpacktest.Batch(n, kgo.CodecNone, raw) }

// seal writes the CRC that fits a batch.
func seal(batch []byte) []byte {
	binary.BigEndian.PutUint32(batch[17:], crc32.Checksum(batch[21:], crc32.MakeTable(crc32.Castagnoli)))
	return batch
}

// changed returns a batch with one byte changed.
func changed(batch []byte, at int, to byte) []byte {
	b := bytes.Clone(batch)
	b[at] = to
	return b
}

// Batches that need not be unpacked, or cannot be read, stay as they are. A batch behind such a one is marked if the
// client reads so far.
func TestLeftAlone(t *testing.T) {
	good := zeros(t, 3, 10, kgo.CodecNone)
	m := kmsg.MessageV1{Magic: 1, Value: []byte("an old one")}
	old := m.AppendTo(nil)
	binary.BigEndian.PutUint32(old[8:], uint32(len(old)-12))
	for name, c := range map[string]struct {
		first []byte
		ends  bool
	}{
		"zstd":             {first: zeros(t, 3, 10, kgo.CodecZstd)},
		"gzip":             {first: zeros(t, 3, 10, kgo.CodecGzip)},
		"a marker":         {first: seal(changed(good, 22, 1<<5))},
		"one bad bit":      {first: changed(good, len(good)-1, 1)},
		"a bad CRC":        {first: changed(good, 18, ^good[18])},
		"an old message":   {first: old},
		"a format to come": {first: seal(changed(good, 16, 3))},
		"too short":        {first: changed(changed(make([]byte, 32), 11, 20), 16, 2)},
		"no batch":         {first: append(make([]byte, 8), 0, 0, 0, 4, 1, 2, 3, 4), ends: true},
		"a negative size":  {first: changed(good, 8, 0xff), ends: true},
		"the largest size": {first: seal(slices.Concat(good[:8], []byte{0x7f, 0xff, 0xff, 0xff}, good[12:])), ends: true},
	} {
		got := append(bytes.Clone(c.first), good...)
		mark(got)
		if want := append(bytes.Clone(c.first), marked(good)...); !c.ends && !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes are not as they should be", name, differences(got, want))
		}
		if c.ends && !bytes.Equal(got, append(bytes.Clone(c.first), good...)) {
			t.Errorf("%s: something is changed", name)
		}
	}
	got := append(bytes.Clone(good), good[:len(good)-1]...) // cut off
	mark(got)
	if want := append(marked(good), good[:len(good)-1]...); !bytes.Equal(got, want) {
		t.Errorf("cut off: %d bytes are not as they should be", differences(got, want))
	}
}

// Whatever the bytes are, only the codec, the producer's epoch and the CRC of whole batches are changed.
func FuzzMark(f *testing.F) {
	good := zeros(f, 3, 10, kgo.CodecNone)
	f.Add(good)
	f.Add(append(bytes.Clone(good), zeros(f, 300, 1, kgo.CodecGzip)...))
	f.Add(append(changed(good, 70, 5), good...))
	f.Add(append(timed(f, kgo.CodecZstd, math.MaxInt64), timed(f, kgo.CodecNone, strange()...)...))
	f.Fuzz(func(t *testing.T, batches []byte) {
		got := bytes.Clone(batches)
		mark(got)
		checkMarked(t, batches, got)

		in, out := answer(1, 13, batches), answer(1, 13, got)
		c := &conn{Conn: &wire{from: bytes.NewReader(in)}}
		_, _ = c.Write(request(fetchKind, 13, 1))
		if !bytes.Equal(responses(t, c), out) {
			t.Fatal("the same batches in a response become something else")
		}
	})
}

// checkMarked checks a changed place against the batch around it.
func checkMarked(t *testing.T, before, after []byte) {
	t.Helper()
	for at := 0; at < len(before); at++ {
		if before[at] == after[at] {
			continue
		}
		found := false
		for begin := max(0, at-52); begin <= at-17 && !found; begin++ {
			if begin+61 > len(before) {
				break
			}
			size := 12 + int(binary.BigEndian.Uint32(before[begin+8:]))
			if size < 61 || size > len(before)-begin {
				continue
			}
			batch := before[begin : begin+size]
			if found = batch[16] == 2 && batch[22]&32 == 0 && bytes.Equal(seal(bytes.Clone(batch)), batch) &&
				bytes.Equal(marked(batch), after[begin:begin+size]); found {
				at = begin + size - 1
			}
		}
		if !found {
			t.Fatalf("byte %d is changed, and belongs to no whole batch that is changed so", at)
		}
	}
}

// The client reads a marked batch as it reads the same batch unmarked, and nothing is copied.
func TestMarkedBatchesAreRead(t *testing.T) {
	unmarked := around(700, batchOf(700))
	batch := bytes.Clone(unmarked)
	mark(batch)
	u := New(Limits{Batch: 32 << 20, Held: 32 << 20})
	got, err := fetch(t, u, batch, 0)
	want, wantErr := fetch(t, u, unmarked, 0)
	if err != nil || wantErr != nil || got.NumRecords() != 700 {
		t.Fatalf("%d records, %v, %v", got.NumRecords(), err, wantErr)
	}
	for i, r := range got.Records() {
		w := want.Records()[i]
		if r.Offset != w.Offset || !bytes.Equal(r.Key, w.Key) || !bytes.Equal(r.Value, w.Value) ||
			!r.Timestamp.Equal(w.Timestamp) ||
			len(r.Headers) != 1 || r.Headers[0].Key != "h" || r.Attrs.CompressionType() != uint8(plain) {
			t.Fatalf("record %d is %+v, and %+v unmarked", i, r, w)
		}
	}
	if &batch[len(batch)-1] != &got.Records()[699].Headers[0].Value[:1][0] {
		t.Error("it is copied")
	}
	if held := 700 * (recordBytes + headerBytes); u.Held() != held {
		t.Errorf("held are %d of %d: the bytes themselves are where they were fetched to", u.Held(), held)
	}
	hand(u, got, want)
	if u.Held() != 0 {
		t.Errorf("%d bytes are held of nothing", u.Held())
	}
}

// An uncompressed batch beyond the bound is read record by record. One of too many records stops its partition.
func TestMarkedBeyondTheBound(t *testing.T) {
	for name, raw := range map[string][]byte{
		"large": appendRecord(nil, 0, []byte("key"), make([]byte, 1<<20)),
		"many":  batchOf(3000),
	} {
		n := len(records(t, raw))
		u := New(Limits{Batch: 1 << 20, Held: 1 << 20})
		batch := around(n, raw)
		mark(batch)
		f := must(t, u, batch, nil)
		if f.NumRecords() != n {
			t.Fatalf("%s: %d records of %d", name, f.NumRecords(), n)
		}
		for _, r := range f.Records() {
			if _, ok := u.Withheld(r); !ok {
				t.Fatalf("%s: record %d is handed out", name, r.Offset)
			}
		}
		hand(u, f)
		if u.Held() != 0 {
			t.Errorf("%s: %d bytes are held of nothing", name, u.Held())
		}
	}
	for name, batch := range map[string][]byte{
		"too many":   zeros(t, 1<<20/recordBytes+1, 0, kgo.CodecNone),
		"no records": around(3, ones),
	} {
		mark(batch)
		if _, err := fetch(t, New(Limits{Batch: 1 << 20, Held: 1 << 20}), batch, 0); err == nil {
			t.Errorf("%s: it is read", name)
		}
	}
}

// Uncompressed records wait for their turn as others do.
func TestMarkedAreHeld(t *testing.T) {
	u := New(Limits{Batch: 1 << 20, Held: 1 << 20})
	tiny, large := zeros(t, 3000, 1, kgo.CodecNone), zeros(t, 1, 900<<10, kgo.CodecZstd)
	mark(tiny)
	first := must(t, u, tiny, nil)
	must(t, u, tiny, ErrLater)
	must(t, u, large, ErrLater)
	hand(u, first)
	must(t, u, large, ErrLater) // the other one came before
	second := must(t, u, tiny, nil)
	hand(u, second)
	must(t, u, large, nil)
}

// BenchmarkPlain measures how long it takes to mark a MiB of uncompressed records, and to make a client's records of
// them with and without marks.
func BenchmarkPlain(b *testing.B) {
	for _, size := range []int{2000, 100, 0} {
		batch := zeros(b, (1<<20)/(size+10), size, kgo.CodecNone)
		head := bytes.Clone(batch[:61])
		parse := func(d kgo.Decompressor) {
			response := kmsg.NewFetchResponseTopicPartition()
			response.RecordBatches = batch
			if p, _ := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{}, &response, d, nil); p.Err != nil {
				b.Fatalf("the batch is not read: %v", p.Err)
			}
		}
		u := New(Limits{Batch: 32 << 20})
		for name, run := range map[string]func(){
			"mark":    func() { mark(batch) },
			"ours":    func() { mark(batch); parse(u) },
			"library": func() { parse(kgo.DefaultDecompressor()) },
		} {
			b.Run(fmt.Sprintf("%d/%s", size, name), func(b *testing.B) {
				b.SetBytes(int64(len(batch)))
				for b.Loop() {
					copy(batch, head)
					run()
				}
			})
		}
	}
}
