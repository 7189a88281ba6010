package journal

import (
	"encoding/binary"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/wire"
)

func appendFill(dst []byte, f *index.Fill) []byte {
	dst = appendHeader(dst, kindFill, f.Header)
	dst = binary.AppendUvarint(dst, uint64(f.Number))
	dst = wire.AppendBytes(dst, f.Plan)
	dst = binary.AppendUvarint(dst, f.First)
	dst = binary.AppendUvarint(dst, uint64(len(f.Parts)))
	for i := range f.Parts {
		part := &f.Parts[i]
		dst = appendSource(dst, part.Source)
		dst = wire.AppendString(dst, part.Name)
		dst = binary.AppendVarint(dst, part.From)
		dst = binary.AppendVarint(dst, part.Through)
		dst = binary.AppendUvarint(dst, part.Rejected)
	}
	return appendFedEntries(dst, f.Entries, len(f.Parts))
}

// fillSize is an upper bound of the record's size in bytes.
func fillSize(f *index.Fill) int {
	n := feedFraming + 2*binary.MaxVarintLen64 + len(f.Plan) + fedEntriesSize(f.Entries)
	for i := range f.Parts {
		n += FillPartSize(f.Parts[i].Name)
	}
	return n
}

// FillPartSize is an upper bound of the bytes of a part with this topic.
func FillPartSize(topic string) int { return FeedPartSize + binary.MaxVarintLen64 + len(topic) }

func (d *Decoder) decodeFill(header index.Header, rd *wire.Reader) (*index.Fill, error) {
	f := &d.fill
	number, err := readUint32(rd, "fill")
	if err != nil {
		return nil, err
	}
	*f = index.Fill{
		Header: header, Number: number, Plan: rd.Bytes(), First: rd.Uvarint(), Parts: f.Parts[:0],
		Entries: f.Entries[:0],
	}
	for n := rd.Count(16 + 4); n > 0; n-- {
		source := readSource(rd)
		f.Parts = append(f.Parts, index.FillPart{
			Source: source, Name: string(rd.Bytes()), From: rd.Varint(), Through: rd.Varint(), Rejected: rd.Uvarint(),
		})
	}
	f.Entries, err = d.decodeFedEntries(f.Entries, len(f.Parts), rd)
	return f, err
}
