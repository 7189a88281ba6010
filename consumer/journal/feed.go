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
		dst = binary.AppendVarint(dst, part.Through)
	}
	keys := 0
	for i := range f.Entries {
		keys = max(keys, len(f.Entries[i].Keys))
	}
	dst = binary.AppendUvarint(dst, uint64(keys))
	dst = binary.AppendUvarint(dst, uint64(len(f.Entries)))
	last, place := make([]*entry.Entry, len(f.Parts)), int64(0)
	for i := range f.Entries {
		e := &f.Entries[i]
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
	FeedPartSize = 16 + 3*binary.MaxVarintLen64
	FeedPlace    = 2 * binary.MaxVarintLen64
)

// feedSize is an upper bound of the feed's size in bytes.
func feedSize(f *index.Feed) int {
	n := feedFraming + len(f.Parts)*FeedPartSize
	for i := range f.Entries {
		n += FeedPlace + entry.Size(&f.Entries[i].Entry)
	}
	return n
}

func (d *Decoder) decodeFeed(h index.Header, rd *wire.Reader) (*index.Feed, error) {
	f := &d.feed
	*f = index.Feed{Header: h, First: rd.Uvarint(), Parts: f.Parts[:0], Entries: f.Entries[:0]}
	for n := rd.Count(16 + 3); n > 0; n-- {
		source := readSource(rd)
		epoch, err := readEpoch(rd)
		if err != nil {
			return nil, err
		}
		f.Parts = append(f.Parts, index.FeedPart{Source: source, Epoch: epoch, Through: rd.Varint()})
	}
	keys := rd.Uvarint()
	n := rd.Count(5)
	if rd.Short() || keys > uint64(rd.Len()) {
		return nil, errors.New("a feed of impossible counts")
	}
	if cap(f.Entries) < n {
		f.Entries = make([]index.FedEntry, 0, n)
	}
	if cap(d.last) < len(f.Parts) {
		d.last = make([]*entry.Entry, len(f.Parts))
	}
	d.last = d.last[:len(f.Parts)]
	clear(d.last)
	place := int64(0)
	for range n {
		part, delta := rd.Uvarint(), rd.Varint()
		if part >= uint64(len(f.Parts)) {
			return nil, fmt.Errorf("feed: part %d of %d", part, len(f.Parts))
		}
		place += delta
		e, rest, err := entry.Decode(rd.Rest(), int(keys), d.last[part])
		if err != nil {
			return nil, fmt.Errorf("feed: %w", err)
		}
		*rd = wire.NewReader(rest)
		f.Entries = append(f.Entries, index.FedEntry{Part: int(part), At: place, Entry: e})
		d.last[part] = &f.Entries[len(f.Entries)-1].Entry
	}
	return f, nil
}
