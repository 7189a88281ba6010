package journal

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
)

func appendFeed(dst []byte, f *index.Feed) []byte {
	dst = appendHeader(dst, kindFeed, f.Header)
	dst = binary.AppendUvarint(dst, f.First)
	dst = binary.AppendUvarint(dst, uint64(len(f.Parts)))
	for i := range f.Parts {
		part := &f.Parts[i]
		dst = appendSource(dst, part.Source)
		dst = binary.AppendUvarint(dst, uint64(part.Epoch))
		dst = binary.AppendVarint(dst, part.From)
		dst = binary.AppendVarint(dst, part.Through)
	}
	return appendFedEntries(dst, f.Entries, len(f.Parts))
}

// appendFedEntries encodes entries of this many parts.
func appendFedEntries(dst []byte, entries []index.FedEntry, parts int) []byte {
	keys := 0
	for i := range entries {
		keys = max(keys, len(entries[i].Keys))
	}
	dst = binary.AppendUvarint(dst, uint64(keys))
	dst = binary.AppendUvarint(dst, uint64(len(entries)))
	last, place := make([]*entry.Entry, parts), int64(0)
	for i := range entries {
		e := &entries[i]
		dst = binary.AppendUvarint(dst, uint64(e.Part))
		dst = binary.AppendVarint(dst, e.At-place)
		dst = entry.Append(dst, &e.Entry, last[e.Part])
		last[e.Part], place = &e.Entry, e.At
	}
	return dst
}

// Bounds on the bytes of a feed's record without its entries, and of what stands before each entry.
const (
	feedFraming  = 64 // header, counts: 1+8 and varints
	FeedPartSize = 16 + 4*binary.MaxVarintLen64
	FeedPlace    = 2 * binary.MaxVarintLen64
)

// feedSize is an upper bound of the feed's size in bytes.
func feedSize(f *index.Feed) int {
	return feedFraming + len(f.Parts)*FeedPartSize + fedEntriesSize(f.Entries)
}

func fedEntriesSize(entries []index.FedEntry) (n int) {
	for i := range entries {
		n += FeedPlace + entry.Size(&entries[i].Entry)
	}
	return n
}

func (d *Decoder) decodeFeed(h index.Header, rd *wire.Reader) (*index.Feed, error) {
	f := &d.feed
	*f = index.Feed{Header: h, First: rd.Uvarint(), Parts: f.Parts[:0], Entries: f.Entries[:0]}
	for n := rd.Count(16 + 4); n > 0; n-- {
		source := readSource(rd)
		epoch, err := readUint32(rd, "epoch")
		if err != nil {
			return nil, err
		}
		f.Parts = append(f.Parts, index.FeedPart{Source: source, Epoch: epoch, From: rd.Varint(), Through: rd.Varint()})
	}
	entries, err := d.decodeFedEntries(f.Entries, len(f.Parts), rd)
	f.Entries = entries
	return f, err
}

// decodeFedEntries reads what appendFedEntries wrote, into the memory of earlier entries.
func (d *Decoder) decodeFedEntries(entries []index.FedEntry, parts int, rd *wire.Reader) ([]index.FedEntry, error) {
	keys := rd.Uvarint()
	n := rd.Count(5)
	if rd.Short() || keys > uint64(rd.Len()) {
		return entries, errors.New("a feed of impossible counts")
	}
	if cap(entries) < n {
		entries = make([]index.FedEntry, 0, n)
	}
	if cap(d.last) < parts {
		d.last = make([]*entry.Entry, parts)
	}
	d.last = d.last[:parts]
	clear(d.last)
	place := int64(0)
	for range n {
		part, delta := rd.Uvarint(), rd.Varint()
		if part >= uint64(parts) {
			return entries, fmt.Errorf("feed: part %d of %d", part, parts)
		}
		place += delta
		e, rest, err := entry.Decode(rd.Rest(), int(keys), d.last[part])
		if err != nil {
			return entries, fmt.Errorf("feed: %w", err)
		}
		*rd = wire.NewReader(rest)
		entries = append(entries, index.FedEntry{Part: int(part), At: place, Entry: e})
		d.last[part] = &entries[len(entries)-1].Entry
	}
	return entries, nil
}

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
