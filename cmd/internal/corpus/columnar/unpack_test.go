package columnar

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// zeros is so many of them, packed.
func zeros(t *testing.T, n int, packer func(io.Writer) io.WriteCloser) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := packer(&packed)
	block := make([]byte, 1<<20)
	for range n / len(block) {
		if _, err := w.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// TestBombs: pages that unpack to more than their header says take no more memory than that, and a page may not say that
// it is too large.
func TestBombs(t *testing.T) {
	const bomb, said = 64 << 20, 1000
	block := make([]byte, bomb)
	lz := make([]byte, lz4.CompressBlockBound(len(block)))
	n, err := lz4.CompressBlock(block, lz, nil)
	if err != nil {
		t.Fatal(err)
	}
	for codec, packed := range map[format.CompressionCodec][]byte{
		format.Gzip: zeros(t, bomb, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }),
		format.Zstd: zeros(t, bomb, func(w io.Writer) io.WriteCloser {
			z, err := zstd.NewWriter(w)
			if err != nil {
				t.Fatal(err)
			}
			return z
		}),
		format.Brotli: zeros(t, bomb, func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 1) }),
		format.Snappy: snappy.Encode(nil, block),
		format.Lz4Raw: lz[:n],
	} {
		if taken, err := unpacked(t, codec, packed, said, said); err == nil || taken > 32<<20 {
			t.Errorf("%v: %d bytes of memory, %v", codec, taken, err)
		}
		if taken, err := unpacked(t, codec, packed, math.MaxInt32, said); err == nil || taken > 1<<20 ||
			!strings.Contains(err.Error(), "write it in smaller pages") {
			t.Errorf("%v, too large: %d bytes of memory, %v", codec, taken, err)
		}
	}
	if _, err := unpacked(t, format.Uncompressed, block[:said], said, mostValues+1); err == nil ||
		!strings.Contains(err.Error(), "write it in smaller pages") {
		t.Errorf("too many values: %v", err)
	}
	if _, err := unpacked(t, format.Uncompressed, block[:said], said, said); err != nil {
		t.Error(err)
	}
}

// unpacked unpacks a page whose header says that it has these bytes and values, and returns how much memory that took.
func unpacked(t *testing.T, codec format.CompressionCodec, packed []byte, size, values int32) (taken uint64, err error) {
	t.Helper()
	header := format.PageHeader{
		Type: format.DataPage, UncompressedPageSize: size, CompressedPageSize: int32(len(packed)), // a test's
		DataPageHeader: thrift.Null[format.DataPageHeader]{V: format.DataPageHeader{NumValues: values}, Valid: true},
	}
	var protocol thrift.CompactProtocol
	file, err := thrift.Marshal(&protocol, &header)
	if err != nil {
		t.Fatal(err)
	}
	file = append(file, packed...)
	u, err := newUnpacker(bytes.NewReader(file), int64(len(file)), &format.ColumnMetaData{
		Codec: codec, TotalCompressedSize: int64(len(file)),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer u.close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = io.Copy(io.Discard, io.NewSectionReader(u, 0, math.MaxInt64>>1))
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, err
}

// TestUnpackedTogether: the pages of all columns take a bounded memory together, dictionaries as well, before they are
// unpacked.
func TestUnpackedTogether(t *testing.T) {
	var all spread
	page := func(kind format.PageType) *format.PageHeader {
		return &format.PageHeader{Type: kind, UncompressedPageSize: MaxPage}
	}
	var columns [2]unpacker
	for i := range columns {
		columns[i].spread = &all
		for _, kind := range []format.PageType{format.DictionaryPage, format.DataPage, format.DataPage} {
			if err := columns[i].hold(page(kind)); err != nil {
				t.Fatalf("pages of column %d: %v; want no error", i+1, err)
			}
		}
	}
	one := unpacker{spread: &all}
	if err := one.hold(&format.PageHeader{UncompressedPageSize: 1}); err == nil || !strings.Contains(err.Error(), "write it in smaller pages") {
		t.Errorf("a page of one more column: %v; want that pages are too large together", err)
	}
	one.close()
	for i := range columns {
		columns[i].close()
	}
	if all.held != 0 {
		t.Errorf("when all columns are closed, pages take %d bytes; want 0", all.held)
	}
}

// TestSpread: the pages of all columns that are read at once take a bounded memory together, and give it back.
func TestSpread(t *testing.T) {
	var (
		header = format.PageHeader{Type: format.DataPage, DataPageHeader: thrift.New(format.DataPageHeader{
			NumValues: mostValues, Encoding: format.RLEDictionary,
		})}
		page     = binary.AppendUvarint([]byte{0}, mostValues<<1) // a run of as many values as there may be
		protocol thrift.CompactProtocol
		all      spread
		open     []*unpacker
	)
	header.UncompressedPageSize, header.CompressedPageSize = int32(len(page)), int32(len(page))
	head, err := thrift.Marshal(&protocol, &header)
	if err != nil {
		t.Fatal(err)
	}
	file := append(head, page...)
	next := func() error {
		u, err := newUnpacker(bytes.NewReader(file), int64(len(file)), &format.ColumnMetaData{TotalCompressedSize: int64(len(file))})
		if err != nil {
			t.Fatal(err)
		}
		open, u.spread, u.entries = append(open, u), &all, 1
		_, err = io.Copy(io.Discard, io.NewSectionReader(u, 0, math.MaxInt64>>1))
		return err
	}
	for n := range 2 {
		if err := next(); err != nil {
			t.Fatalf("the page of column %d: %v; want no error", n+1, err)
		}
	}
	if err := next(); err == nil || !strings.Contains(err.Error(), "write it in smaller pages") {
		t.Errorf("the page of a third column: %v; want that pages are too large together", err)
	}
	for _, u := range open {
		u.close()
	}
	if all.taken != 0 {
		t.Errorf("when all columns are closed, pages take %d bytes; want 0", all.taken)
	}
	if err := next(); err != nil {
		t.Errorf("a page when the others are closed: %v; want no error", err)
	}
}
