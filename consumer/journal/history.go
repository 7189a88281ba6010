package journal

import (
	"encoding/binary"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/wire"
)

func appendHistory(dst []byte, h *index.History) []byte {
	dst = appendHeader(dst, kindHistory, h.Header)
	dst = binary.AppendUvarint(dst, uint64(h.Number))
	dst = wire.AppendBytes(dst, h.Plan)
	dst = binary.AppendUvarint(dst, h.First)
	dst = binary.AppendUvarint(dst, uint64(len(h.Parts)))
	for i := range h.Parts {
		part := &h.Parts[i]
		dst = appendSource(dst, part.Source)
		dst = wire.AppendString(dst, part.Name)
		dst = binary.AppendVarint(dst, part.From)
		dst = binary.AppendVarint(dst, part.Through)
		dst = binary.AppendUvarint(dst, part.Rejected)
	}
	return appendPlaced(dst, h.Entries, len(h.Parts))
}

// historySize is an upper bound of the record's size in bytes.
func historySize(h *index.History) int {
	n := feedFraming + 2*binary.MaxVarintLen64 + len(h.Plan) + placedSize(h.Entries)
	for i := range h.Parts {
		n += HistoryPartSize(h.Parts[i].Name)
	}
	return n
}

// HistoryPartSize is an upper bound of the bytes of a part with this topic.
func HistoryPartSize(topic string) int { return FeedPartSize + binary.MaxVarintLen64 + len(topic) }

func (d *Decoder) decodeHistory(header index.Header, rd *wire.Reader) (*index.History, error) {
	h := &d.past
	number, err := readUint32(rd, "priming")
	if err != nil {
		return nil, err
	}
	*h = index.History{
		Header: header, Number: number, Plan: rd.Bytes(), First: rd.Uvarint(), Parts: h.Parts[:0],
		Entries: h.Entries[:0],
	}
	for n := rd.Count(16 + 4); n > 0; n-- {
		source := readSource(rd)
		h.Parts = append(h.Parts, index.HistoryPart{
			Source: source, Name: string(rd.Bytes()), From: rd.Varint(), Through: rd.Varint(), Rejected: rd.Uvarint(),
		})
	}
	h.Entries, err = d.decodePlaced(h.Entries, len(h.Parts), rd)
	return h, err
}
