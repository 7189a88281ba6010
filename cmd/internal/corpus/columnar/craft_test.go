package columnar_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// crafted is a file of one column, byte by byte.
type crafted struct {
	kind      format.Type
	length    int32 // of a fixed one
	rows      int64
	optional  bool
	repeated  bool
	codec     format.CompressionCodec
	encodings []format.Encoding // nil is those of the pages
	pages     []craftedPage
	program   string
	change    func(*format.FileMetaData)
}

type craftedPage struct {
	header format.PageHeader
	data   []byte
	raw    []byte // in place of both
}

func (c crafted) file(tb testing.TB) []byte {
	tb.Helper()
	out := []byte("PAR1")
	meta := format.FileMetaData{Version: 1, NumRows: c.rows, CreatedBy: c.program}
	meta.Schema = []format.SchemaElement{{Name: "schema", NumChildren: thrift.New[int32](1)}}
	group := format.RowGroup{NumRows: c.rows}
	e := format.SchemaElement{Name: "a", Type: thrift.New(c.kind), RepetitionType: thrift.New(format.Required)}
	if c.length != 0 {
		e.TypeLength = thrift.New(c.length)
	}
	if c.optional {
		e.RepetitionType = thrift.New(format.Optional)
	}
	if c.repeated {
		e.RepetitionType = thrift.New(format.Repeated)
	}
	meta.Schema = append(meta.Schema, e)
	var chunk format.ColumnMetaData
	out, chunk = c.chunk(tb, out)
	chunk.PathInSchema = []string{e.Name}
	group.Columns = append(group.Columns, format.ColumnChunk{MetaData: chunk})
	meta.RowGroups = []format.RowGroup{group}
	if c.change != nil {
		c.change(&meta)
	}
	footer := marshal(tb, &meta)
	out = append(out, footer...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(footer)))
	return append(out, "PAR1"...)
}

// chunk appends the pages.
func (c crafted) chunk(tb testing.TB, out []byte) ([]byte, format.ColumnMetaData) {
	tb.Helper()
	begin := int64(len(out))
	m := format.ColumnMetaData{Type: c.kind, Codec: c.codec, NumValues: c.rows, Encoding: c.encodings}
	for _, p := range c.pages {
		switch {
		case p.header.Type == format.DictionaryPage:
			m.DictionaryPageOffset = int64(len(out))
		case m.DataPageOffset == 0:
			m.DataPageOffset = int64(len(out))
		}
		if e := max(p.header.DataPageHeader.V.Encoding, p.header.DataPageHeaderV2.V.Encoding); c.encodings == nil && !slices.Contains(m.Encoding, e) {
			m.Encoding = append(m.Encoding, e)
		}
		if p.header.CompressedPageSize = int32(len(p.data)); p.header.UncompressedPageSize == 0 {
			p.header.UncompressedPageSize = p.header.CompressedPageSize
		}
		if p.raw == nil {
			p.raw = slices.Concat(marshal(tb, &p.header), p.data)
		}
		out = append(out, p.raw...)
	}
	m.TotalCompressedSize = int64(len(out)) - begin
	return out, m
}

func marshal(tb testing.TB, v any) []byte {
	tb.Helper()
	var protocol thrift.CompactProtocol
	data, err := thrift.Marshal(&protocol, v)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// dictionary is a page of the values that others refer to.
func dictionary(values int32, data []byte) craftedPage {
	h := format.PageHeader{Type: format.DictionaryPage}
	h.DictionaryPageHeader = thrift.New(format.DictionaryPageHeader{NumValues: values})
	return craftedPage{header: h, data: data}
}

// plainPage is a page of version 1.
func plainPage(values int32, encoding format.Encoding, parts ...[]byte) craftedPage {
	h := format.PageHeader{Type: format.DataPage}
	h.DataPageHeader = thrift.New(format.DataPageHeader{
		NumValues: values, Encoding: encoding, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
	})
	return craftedPage{header: h, data: slices.Concat(parts...)}
}

// page2 is a page of version 2; its levels of definition have this many bytes.
func page2(values int32, encoding format.Encoding, levels int32, parts ...[]byte) craftedPage {
	h := format.PageHeader{Type: format.DataPageV2}
	h.DataPageHeaderV2 = thrift.New(format.DataPageHeaderV2{
		NumValues: values, NumRows: values, Encoding: encoding, DefinitionLevelsByteLength: levels, IsCompressed: thrift.New(false),
	})
	return craftedPage{header: h, data: slices.Concat(parts...)}
}

// run is a run of equal values of up to a byte.
func run(n uint64, value ...byte) []byte { return append(binary.AppendUvarint(nil, n<<1), value...) }

// prefixed is data with its length before it.
func prefixed(data []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(data))), data...)
}

func numbers(all ...uint64) (out []byte) {
	for _, n := range all {
		out = binary.AppendUvarint(out, n)
	}
	return out
}

func longs(all ...uint64) (out []byte) {
	for _, n := range all {
		out = binary.LittleEndian.AppendUint64(out, n)
	}
	return out
}

// differences are so many numbers in blocks: the first, then the second, and then always the same (DELTA_BINARY_PACKED).
func differences(n, first, second int) []byte {
	out := binary.AppendVarint(numbers(128, 4, uint64(n)), int64(first))
	least := min(0, second-first)
	for at := 1; at < n; at += 128 {
		if at > 1 {
			out = append(out, 0, 0, 0, 0, 0)
			continue
		}
		var block [128]uint32
		for i := range block {
			block[i] = uint32(-least)
		}
		block[0] = uint32(second - first - least)
		out = append(binary.AppendVarint(out, int64(least)), 32, 32, 32, 32)
		for _, d := range block {
			out = binary.LittleEndian.AppendUint32(out, d)
		}
	}
	return out
}
