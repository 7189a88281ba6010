package columnar

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

const (
	// MaxPage bounds a page in bytes, packed and unpacked. Most writers make pages of 1 MiB; some make one of a column of a
	// row group.
	MaxPage = 512 << 20
	// mostValues bounds the values of a page: many that are equal take no bytes in the file, and some in memory.
	mostValues = 1 << 26
	// maxSpread bounds what the pages that are read at once take in memory beyond their bytes: long runs of equal values
	// have few. It is some two columns with as many values as a page may have.
	maxSpread = 1 << 30
	// maxUnpacked bounds the pages that are read at once, unpacked: each column of a row has one, and a page of zeros has a
	// few kilobytes in the file.
	maxUnpacked = 4 * MaxPage
	// A header of a page has a few bytes, and a least and a greatest value of the page if they are written.
	headerBytes = 512
	maxHeader   = 16 << 20
)

// unpacker reads the pages of a column in a row group, and gives them on as if they had never been compressed. The
// library would make as much of a page as it unpacks to, and takes some pages of LZ4 for others; here a page is not
// larger than its header says, which is bounded.
type unpacker struct {
	file    io.ReaderAt
	at      int64 // of the next page
	end     int64
	codec   format.CompressionCodec
	always  bool // the pages are packed, whatever their headers say
	shape   shape
	entries int // of the dictionary
	spread  *spread
	takes   int // of spread.taken
	holds   int // of spread.held
	kept    int // bytes of the dictionary, which stays
	packed  []byte
	page    []byte // levels and values, unpacked
	head    []byte // before them
	given   int    // bytes of head and page
	begin   int64  // of head in what is given on
	zstd    *zstd.Decoder
}

// spread is what the pages of all columns that are read take: their bytes, unpacked (held), and what is beyond these.
type spread struct{ held, taken int }

// newUnpacker returns the pages of a column of a group. size is that of the file.
func newUnpacker(in io.ReaderAt, size int64, meta *format.ColumnMetaData) (*unpacker, error) {
	at := meta.DataPageOffset
	if first := meta.DictionaryPageOffset; first > 0 && first < at {
		at = first
	}
	if at < 0 || at > size || meta.TotalCompressedSize < 0 || meta.TotalCompressedSize > size-at {
		return nil, damaged("it would be at %d to %d, the file has %d bytes", at, at+meta.TotalCompressedSize, size)
	}
	return &unpacker{file: in, at: at, end: at + meta.TotalCompressedSize, codec: meta.Codec, spread: &spread{}}, nil
}

// alwaysPacked says whether a program wrote pages of version 2 that are packed and say that they are not, as pyarrow did
// before 3.0 (ARROW-17100).
func alwaysPacked(program string) bool {
	return strings.HasPrefix(program, "parquet-cpp version 0.") || strings.HasPrefix(program, "parquet-cpp version 1.")
}

// ReadAt implements io.ReaderAt for who reads from the beginning to the end.
func (u *unpacker) ReadAt(p []byte, offset int64) (n int, err error) {
	for n < len(p) {
		if offset+int64(n) != u.begin+int64(u.given) {
			return n, errors.New("pages are read in their order only: this is a bug")
		}
		if u.given == len(u.head)+len(u.page) {
			if u.at >= u.end {
				return n, io.EOF
			}
			if err := u.next(); err != nil {
				return n, err
			}
		}
		copied := 0
		if u.given < len(u.head) {
			copied = copy(p[n:], u.head[u.given:])
		} else {
			copied = copy(p[n:], u.page[u.given-len(u.head):])
		}
		n, u.given = n+copied, u.given+copied
	}
	return n, nil
}

func (u *unpacker) next() error {
	header, err := u.header()
	if err != nil {
		return err
	}
	u.begin, u.given = u.begin+int64(len(u.head)+len(u.page)), 0
	u.head, u.page = nil, u.page[:0]
	if header.Type != format.DictionaryPage && valuesOf(header) == 0 { // the library fails where it lacks levels
		return nil
	}
	if err := u.hold(header); err != nil {
		return err
	}
	if err := u.unpack(header, int(header.UncompressedPageSize)); err != nil {
		return err
	}
	missing, err := u.shape.check(header, u.page, u.entries)
	if err != nil {
		return err
	}
	if header.Type == format.DictionaryPage {
		u.entries = valuesOf(header)
	}
	u.page = append(u.page, make([]byte, missing)...)
	header.UncompressedPageSize += int32(missing)
	header.CompressedPageSize, header.CRC = header.UncompressedPageSize, 0
	if err := u.take(valuesOf(header)); err != nil {
		return err
	}
	var protocol thrift.CompactProtocol
	u.head, err = thrift.Marshal(&protocol, header)
	return err
}

// hold counts the bytes of a page that is to be unpacked, in place of those of the page before it.
func (u *unpacker) hold(header *format.PageHeader) error {
	u.spread.held -= u.holds
	if u.holds = u.kept + int(header.UncompressedPageSize); header.Type == format.DictionaryPage {
		u.kept = u.holds
	}
	if u.spread.held += u.holds; u.spread.held > maxUnpacked {
		return fmt.Errorf("pages of its columns unpack to %d bytes; the limit is %d: write it in smaller pages", u.spread.held, maxUnpacked)
	}
	return nil
}

// take counts what a page with these values takes: an index of four bytes for each and two levels.
func (u *unpacker) take(values int) error {
	u.spread.taken -= u.takes
	u.takes = max(0, values*6-8*len(u.page))
	if u.spread.taken += u.takes; u.spread.taken > maxSpread {
		return fmt.Errorf("pages of its columns unpack to %d bytes more than they have; the limit is %d: write it in smaller pages",
			u.spread.taken, maxSpread)
	}
	return nil
}

// valuesOf returns how many values a page has.
func valuesOf(header *format.PageHeader) int {
	return int(max(header.DataPageHeader.V.NumValues, header.DataPageHeaderV2.V.NumValues, header.DictionaryPageHeader.V.NumValues))
}

// readHeader returns a page's header. In it no size is larger than what is left of the column.
func (u *unpacker) readHeader() (*format.PageHeader, error) {
	for most := int64(headerBytes); ; most *= 2 {
		most = min(most, maxHeader, u.end-u.at)
		u.packed = slices.Grow(u.packed[:0], int(most))[:most]
		if _, err := io.ReadFull(io.NewSectionReader(u.file, u.at, most), u.packed); err != nil {
			return nil, err
		}
		c := checker{all: u.packed, rest: u.packed}
		if err := c.checkStruct(partOther, 0); err != nil {
			if most < min(maxHeader, u.end-u.at) { // it may be longer
				continue
			}
			return nil, err
		}
		header, protocol := &format.PageHeader{}, thrift.CompactProtocol{}
		size := len(c.all) - len(c.rest)
		u.at += int64(size)
		return header, thrift.Unmarshal(&protocol, u.packed[:size], header)
	}
}

// header reads a page's header, and the page as it is in the file.
func (u *unpacker) header() (*format.PageHeader, error) {
	header, err := u.readHeader()
	if err != nil {
		return nil, fmt.Errorf("read the header of a page: %w", err)
	}
	packed, unpacked := int64(header.CompressedPageSize), int64(header.UncompressedPageSize)
	values := valuesOf(header)
	switch {
	case packed < 0 || unpacked < 0 || packed > u.end-u.at || values < 0:
		return nil, damaged("a page would have %d bytes, unpacked %d", packed, unpacked)
	case packed > MaxPage || unpacked > MaxPage || values > mostValues:
		return nil, fmt.Errorf("a page has %d bytes, unpacked %d, and %d values; the limits are %d bytes and %d values: write it "+
			"in smaller pages", packed, unpacked, values, MaxPage, mostValues)
	}
	if int64(cap(u.packed)) < packed {
		u.packed = make([]byte, packed)
	}
	u.packed = u.packed[:packed]
	_, err = io.ReadFull(io.NewSectionReader(u.file, u.at, packed), u.packed)
	u.at += packed
	return header, err
}

// unpack appends the page, which has this size.
func (u *unpacker) unpack(header *format.PageHeader, size int) error {
	packed, codec := u.packed, u.codec
	if header.Type == format.DataPageV2 {
		of := &header.DataPageHeaderV2.V
		levels := int(of.RepetitionLevelsByteLength) + int(of.DefinitionLevelsByteLength) // each is checked with the page
		if levels < 0 || levels > len(packed) || levels > size {
			return damaged("the levels of a page would have %d bytes, the page has %d", levels, len(packed))
		}
		u.page = append(u.page, packed[:levels]...)
		packed, size = packed[levels:], size-levels
		if !u.always && of.IsCompressed.Valid && !of.IsCompressed.V || len(packed) == 0 {
			codec = format.Uncompressed
		}
	}
	from := len(u.page)
	values, err := u.values(codec, packed, size)
	if err != nil {
		return fmt.Errorf("unpack a page (%s): %w", u.codec, err)
	}
	if u.page = values; len(values)-from != size {
		return damaged("a page unpacks to %d bytes, its header says %d", len(values)-from, size)
	}
	return nil
}

// values appends to the page what is packed, up to this size.
func (u *unpacker) values(codec format.CompressionCodec, packed []byte, size int) ([]byte, error) {
	switch codec {
	case format.Uncompressed:
		return append(u.page, packed...), nil
	case format.Snappy:
		n, err := snappy.DecodedLen(packed)
		if err != nil || n != size {
			return nil, damaged("%d bytes are said where %d are expected (%v)", n, size, err)
		}
		from := len(u.page)
		_, err = snappy.Decode(u.grow(size), packed)
		return u.page[:from+size], err
	case format.Lz4Raw:
		from := len(u.page)
		n, err := lz4.UncompressBlock(packed, u.grow(size))
		return u.page[:from+n], err
	case format.Gzip:
		in, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, err
		}
		return appendAll(u.page, in, size)
	case format.Brotli:
		return appendAll(u.page, brotli.NewReader(bytes.NewReader(packed)), size)
	case format.Zstd:
		return u.unzstd(packed, size)
	case format.LZO, format.Lz4:
	}
	return nil, errors.New("this compression is not read: write it with another, such as zstd")
}

func (u *unpacker) unzstd(packed []byte, size int) (_ []byte, err error) {
	if u.zstd == nil {
		u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MaxPage))
		if err != nil {
			return nil, err
		}
	}
	if err := u.zstd.Reset(bytes.NewReader(packed)); err != nil {
		return nil, err
	}
	return appendAll(u.page, u.zstd, size)
}

// grow makes room for size bytes behind the page, and returns it.
func (u *unpacker) grow(size int) []byte {
	from := len(u.page)
	if cap(u.page)-from < size {
		u.page = append(make([]byte, 0, from+size), u.page...)
	}
	return u.page[from : from+size]
}

// appendAll appends what is read, up to one byte more than size.
func appendAll(dst []byte, in io.Reader, size int) ([]byte, error) {
	w := bytes.NewBuffer(dst)
	_, err := io.Copy(w, io.LimitReader(in, int64(size)+1))
	return w.Bytes(), err
}

func (u *unpacker) close() {
	u.spread.taken, u.takes = u.spread.taken-u.takes, 0
	u.spread.held, u.holds, u.kept = u.spread.held-u.holds, 0, 0
	if u.zstd != nil {
		u.zstd.Close()
	}
}
