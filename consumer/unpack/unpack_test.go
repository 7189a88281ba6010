package unpack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/sink"
)

// codecs are all ways in which producers compress a batch. Each takes the batch in the pieces that it is given.
func codecs(t testing.TB) map[string]coder {
	t.Helper()
	return map[string]coder{
		"gzip": {kgo.CodecGzip, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }},
		"lz4":  {kgo.CodecLz4, func(w io.Writer) io.WriteCloser { return lz4.NewWriter(w) }},
		"zstd": {kgo.CodecZstd, func(w io.Writer) io.WriteCloser {
			e, err := zstd.NewWriter(w)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}},
		"snappy":      {kgo.CodecSnappy, func(w io.Writer) io.WriteCloser { return &oneBlock{w: w} }},
		"snappy-java": {kgo.CodecSnappy, func(w io.Writer) io.WriteCloser { return &javaStream{w: w} }},
	}
}

type coder struct {
	codec kgo.CompressionCodecType
	open  func(io.Writer) io.WriteCloser
}

func (c coder) pack(t testing.TB, pieces ...[]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := c.open(&out)
	for _, p := range pieces {
		if _, err := w.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

type oneBlock struct {
	w   io.Writer
	all []byte
}

func (o *oneBlock) Write(p []byte) (int, error) {
	o.all = append(o.all, p...)
	return len(p), nil
}

func (o *oneBlock) Close() error {
	_, err := o.w.Write(s2.EncodeSnappy(nil, o.all))
	return err
}

type javaStream struct {
	w     io.Writer
	begun bool
}

func (j *javaStream) Write(p []byte) (int, error) {
	if !j.begun {
		j.begun = true
		if _, err := j.w.Write([]byte(javaMagic + "\x00\x00\x00\x01\x00\x00\x00\x01")); err != nil {
			return 0, err
		}
	}
	for at := 0; at < len(p); at += 32 << 10 {
		block := s2.EncodeSnappy(nil, p[at:min(at+32<<10, len(p))])
		if _, err := j.w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(block))), block...)); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

func (*javaStream) Close() error { return nil }

// appendRecord appends a record in the form that it has in a batch.
func appendRecord(dst []byte, offset int, key, value []byte, headers ...kgo.RecordHeader) []byte {
	b := binary.AppendVarint(binary.AppendVarint([]byte{0}, int64(7*offset)), int64(offset))
	field := func(v []byte) {
		if v == nil {
			b = binary.AppendVarint(b, -1)
			return
		}
		b = append(binary.AppendVarint(b, int64(len(v))), v...)
	}
	field(key)
	field(value)
	b = binary.AppendVarint(b, int64(len(headers)))
	for _, h := range headers {
		field([]byte(h.Key))
		field(h.Value)
	}
	return append(binary.AppendVarint(dst, int64(len(b))), b...)
}

// record holds the fields of a record that a client reads.
type record struct {
	shape
	body []byte
}

func records(t testing.TB, raw []byte) (all []record) {
	t.Helper()
	for len(raw) > 0 {
		length, n := binary.Varint(raw)
		body := raw[n : n+int(length)]
		s, err := shapeOf(body)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, record{s, body})
		raw = raw[n+int(length):]
	}
	return all
}

// withheld returns what Unpacker.Withheld says of the record.
func (r record) withheld(u *Unpacker) (sink.Sizes, bool) {
	value := r.body[len(r.body)-1-int(r.value) : len(r.body)-1] // no headers: one byte
	return u.Withheld(&kgo.Record{Value: value, Attrs: zstdAttrs()})
}

// zstdAttrs returns the attributes of a record that came compressed.
func zstdAttrs() kgo.RecordAttrs {
	return kgo.NewRecordAttrs(kgo.RecordAttrsOpts{Codec: kgo.CodecZstd})
}

var ones = bytes.Repeat([]byte("documents, one like the other. "), 1000)

func batchOf(n int) (raw []byte) {
	for i := range n {
		raw = appendRecord(raw, i, fmt.Appendf(nil, "k%d", i), ones[:i%len(ones)],
			kgo.RecordHeader{Key: "h", Value: []byte("v")})
	}
	return raw
}

func TestWholeWithinTheBound(t *testing.T) {
	raw := batchOf(900)
	for name, c := range codecs(t) {
		t.Run(name, func(t *testing.T) {
			u := New(Limits{Batch: 32 << 20})
			for range 3 { // decoders are reused
				got, err := u.Decompress(c.pack(t, raw), c.codec)
				if err != nil || !bytes.Equal(got, raw) {
					t.Fatalf("%d bytes became %d, %v", len(raw), len(got), err)
				}
			}
			if b, _ := cost(raw); u.Held() != 3*b.sum {
				t.Errorf("held are %d, each costs %d", u.Held(), b.sum)
			}
		})
	}
}

// A batch beyond the bound is read record by record, with next to no memory, whatever its codec.
func TestWithheldBeyondTheBound(t *testing.T) {
	zeros := make([]byte, 1<<20)
	for name, c := range codecs(t) {
		t.Run(name, func(t *testing.T) {
			pieces := [][]byte{appendRecord(nil, 0, []byte("first"), []byte("small"),
				kgo.RecordHeader{Key: "h", Value: zeros[:300]})}
			many := 40
			if name == "snappy" {
				many = 8 // one block, which may look back on all of itself
			}
			for i := range many { // each of some MiB
				pieces = append(pieces, appendRecord(nil, i+1, nil, bytes.Repeat(zeros, i%3+1)))
			}
			pieces = append(pieces, appendRecord(nil, many+1, []byte{}, nil))
			src := c.pack(t, pieces...)
			u := New(Limits{Batch: 8 << 20})
			before := allocated()
			raw, err := u.Decompress(src, c.codec)
			if err != nil {
				t.Fatal(err)
			}
			if took := allocated() - before; took > 48<<20 {
				t.Errorf("%d MiB were allocated behind a bound of 8", took>>20)
			}
			got := records(t, raw)
			if len(got) != many+2 {
				t.Fatalf("%d records", len(got))
			}
			for i, r := range got {
				sizes, ok := r.withheld(u)
				want := sink.Sizes{Value: int64((i-1)%3+1) << 20, Key: -1}
				switch i {
				case 0:
					want = sink.Sizes{Value: 5, Key: 5, Headers: 301}
				case many + 1:
					want = sink.Sizes{Value: -1}
				}
				if !ok || sizes != want || r.offset != int64(i) || r.time != int64(7*i) {
					t.Errorf("record %d is %+v, %v of %+v", i, sizes, ok, r.shape)
				}
			}
			if _, known := got[0].withheld(New(Limits{Batch: 1})); known {
				t.Error("another process takes it for its own: whoever knows one could write such a record")
			}
		})
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// Millions of empty records are counted with the memory that they take.
func TestRecordsAreCounted(t *testing.T) {
	const bound = 4 << 20
	most := batchOf(3000)
	if b, _ := cost(most); !withholds(t, most, b.sum-1) || withholds(t, most, b.sum) || len(most) >= b.sum-1000 {
		t.Errorf("a batch of %d bytes that costs %d is not held against that", len(most), b.sum)
	}
	many := bound/recordBytes + 1
	var raw []byte
	for i := range many {
		raw = appendRecord(raw, i, nil, nil)
	}
	u := New(Limits{Batch: bound})
	c := codecs(t)["zstd"]
	if _, err := u.Decompress(c.pack(t, raw), c.codec); !errors.Is(err, kgo.ErrMaxDecompress) ||
		!errors.Is(err, errTooMuch) {
		t.Errorf("%d records of %d bytes in all within a bound of %d: %v", many, len(raw), bound, err)
	}
	headers := appendRecord(nil, 0, nil, nil, make([]kgo.RecordHeader, bound/headerBytes)...)
	if !withholds(t, headers, bound) {
		t.Errorf("%d headers of no bytes are within a bound of %d", bound/headerBytes, bound)
	}
}

func withholds(t *testing.T, raw []byte, bound int) bool {
	t.Helper()
	u, c := New(Limits{Batch: bound}), codecs(t)["lz4"]
	got, err := u.Decompress(c.pack(t, raw), c.codec)
	if err != nil {
		t.Fatal(err)
	}
	_, ok := records(t, got)[0].withheld(u)
	return ok
}

// Bytes that are no batch stop their partition, whatever size they claim.
func TestUnreadable(t *testing.T) {
	raw := batchOf(50)
	for name, c := range codecs(t) {
		whole := c.pack(t, raw)
		for what, src := range map[string][]byte{
			"a piece":             whole[:len(whole)/2],
			"noise":               bytes.Repeat([]byte{0xa5}, 1000),
			"no records":          c.pack(t, ones),
			"half a record":       c.pack(t, raw[:len(raw)-3]),
			"half a large record": c.pack(t, appendRecord(nil, 0, nil, make([]byte, 2<<20))[:1<<20+99]),
		} {
			_, err := New(Limits{Batch: 1 << 20, Held: 1 << 20}).Decompress(src, c.codec)
			if !errors.Is(err, kgo.ErrMaxDecompress) {
				t.Errorf("%s of %s: %v", what, name, err)
			}
		}
	}
	if _, err := New(Limits{Batch: 1}).Decompress(nil, 5); !errors.Is(err, kgo.ErrMaxDecompress) {
		t.Errorf("a codec that there is not: %v", err)
	}
}

func FuzzDecompress(f *testing.F) {
	for _, c := range codecs(f) {
		f.Add(int8(c.codec), c.pack(f, batchOf(30)))
		f.Add(int8(c.codec), c.pack(f, appendRecord(nil, 0, nil, make([]byte, 1<<17))))
	}
	f.Fuzz(func(t *testing.T, codec int8, src []byte) {
		u := New(Limits{Batch: 1 << 16})
		raw, err := u.Decompress(src, kgo.CompressionCodecType(codec))
		if err != nil || codec == 0 {
			return
		}
		if b, err := cost(raw); err == nil && b.sum > 1<<16 {
			t.Fatalf("%d bytes are given out behind a bound of %d", b.sum, 1<<16)
		}
	})
}

// A block of snappy that unpacks to more than the bound of memory is not unpacked at all.
func TestSnappyBlockBeyondTheBound(t *testing.T) {
	src := codecs(t)["snappy"].pack(t, appendRecord(nil, 0, nil, make([]byte, largestBlock)))
	u := New(Limits{Batch: 8 << 20})
	before := allocated()
	if raw, err := u.Decompress(src, kgo.CodecSnappy); err == nil {
		t.Errorf("it became %d bytes", len(raw))
	}
	if took := allocated() - before; took > 1<<20 {
		t.Errorf("%d bytes were allocated", took)
	}
}

func BenchmarkDecompress(b *testing.B) {
	var raw []byte
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 500 {
		var text []byte
		for len(text) < 2000 {
			text = fmt.Appendf(text, "word%d ", r.IntN(3000))
		}
		raw = appendRecord(raw, i, nil, text)
	}
	for name, c := range codecs(b) {
		src := c.pack(b, raw)
		for who, d := range map[string]kgo.Decompressor{
			"ours":    New(Limits{Batch: 32 << 20}),
			"library": kgo.DefaultDecompressor(),
		} {
			b.Run(name+"/"+who, func(b *testing.B) {
				b.SetBytes(int64(len(raw)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := d.Decompress(src, c.codec); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
