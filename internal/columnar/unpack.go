package columnar

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

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
	mostValues  = 1 << 26
	headerBytes = 512 // read at once for the header of a page
)

// unpacker reads the pages of a column in a row group, and gives them on as if they had never been compressed. The
// library would make as much of a page as it unpacks to, and takes some pages of LZ4 for others; here a page is not
// larger than its header says, which is bounded.
type unpacker struct {
	file   io.ReaderAt
	at     int64 // of the next page
	end    int64
	codec  format.CompressionCodec
	packed []byte
	page   []byte // header and values, unpacked
	given  int    // bytes of page
	begin  int64  // of page in what is given on
	zstd   *zstd.Decoder
}

// newUnpacker returns the pages of a column. size is that of the file.
func newUnpacker(in io.ReaderAt, size int64, meta *format.ColumnMetaData) (*unpacker, error) {
	at := meta.DataPageOffset
	if first := meta.DictionaryPageOffset; first > 0 && first < at {
		at = first
	}
	if at < 0 || at > size || meta.TotalCompressedSize < 0 || meta.TotalCompressedSize > size-at {
		return nil, damaged("it would be at %d to %d, the file has %d bytes", at, at+meta.TotalCompressedSize, size)
	}
	return &unpacker{file: in, at: at, end: at + meta.TotalCompressedSize, codec: meta.Codec}, nil
}

// ReadAt implements io.ReaderAt for who reads from the beginning to the end.
func (u *unpacker) ReadAt(p []byte, offset int64) (n int, err error) {
	for n < len(p) {
		if offset+int64(n) != u.begin+int64(u.given) {
			return n, errors.New("pages are read in their order only: this is a bug")
		}
		if u.given == len(u.page) {
			if u.at >= u.end {
				return n, io.EOF
			}
			if err := u.next(); err != nil {
				return n, err
			}
		}
		copied := copy(p[n:], u.page[u.given:])
		n, u.given = n+copied, u.given+copied
	}
	return n, nil
}

// next unpacks the next page.
func (u *unpacker) next() error {
	header, err := u.header()
	if err != nil {
		return err
	}
	size := int(header.UncompressedPageSize)
	header.CompressedPageSize, header.CRC = header.UncompressedPageSize, 0
	var protocol thrift.CompactProtocol
	head, err := thrift.Marshal(&protocol, header)
	if err != nil {
		return err
	}
	u.begin, u.given = u.begin+int64(len(u.page)), 0
	u.page = append(u.page[:0], head...)
	return u.unpack(header, size)
}

// header reads a page's header, and the page as it is in the file.
func (u *unpacker) header() (*format.PageHeader, error) {
	section := io.NewSectionReader(u.file, u.at, u.end-u.at)
	in := bufio.NewReaderSize(section, headerBytes)
	header, protocol := &format.PageHeader{}, thrift.CompactProtocol{}
	if err := thrift.NewDecoder(protocol.NewReader(in)).Decode(header); err != nil {
		return nil, fmt.Errorf("read the header of a page: %w", err)
	}
	read, err := section.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	u.at += read - int64(in.Buffered())
	packed, unpacked := int64(header.CompressedPageSize), int64(header.UncompressedPageSize)
	values := max(header.DataPageHeader.V.NumValues, header.DataPageHeaderV2.V.NumValues, header.DictionaryPageHeader.V.NumValues)
	switch {
	case packed < 0 || unpacked < 0 || packed > u.end-u.at:
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
		levels := int(of.RepetitionLevelsByteLength) + int(of.DefinitionLevelsByteLength)
		if levels < 0 || levels > len(packed) || levels > size {
			return damaged("the levels of a page would have %d bytes, the page has %d", levels, len(packed))
		}
		u.page = append(u.page, packed[:levels]...)
		packed, size = packed[levels:], size-levels
		if of.IsCompressed.Valid && !of.IsCompressed.V || len(packed) == 0 {
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
	if u.zstd != nil {
		u.zstd.Close()
	}
}
