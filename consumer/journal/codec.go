package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
)

const (
	kindSettings = iota
	kindRun
	kindReposition
	kindForget
	kindCheckpoint
	kindAccusation
	kindMark
	kindRouting
	kindFeed
	kindFill
	kindErase
	kindSettingsChange
	kindRequestRun

	kinds // number of kinds in this format so far
)

// Append appends the framed value of a record to dst.
func Append(dst []byte, rec index.Record) []byte {
	from := len(dst)
	switch rec := rec.(type) {
	case *index.Run:
		dst = slices.Grow(dst, frameBytes+runSize(rec))
	case *index.Feed:
		dst = slices.Grow(dst, frameBytes+feedSize(rec))
	case *index.Fill:
		dst = slices.Grow(dst, frameBytes+fillSize(rec))
	}
	dst = appendBody(openFrame(dst), rec)
	closeFrame(dst[from:])
	return dst
}

func appendBody(dst []byte, rec index.Record) []byte {
	switch rec := rec.(type) {
	case *index.Settings:
		dst = appendHeader(dst, kindSettings, index.Header{Fingerprint: index.Fingerprint(rec.Text), Wall: rec.Wall})
		return wire.AppendBytes(dst, rec.Text)
	case *index.Run:
		return appendRun(dst, rec)
	case *index.Feed:
		return appendFeed(dst, rec)
	case *index.Fill:
		return appendFill(dst, rec)
	case *index.Reposition:
		dst = appendHeader(dst, kindReposition, rec.Header)
		dst = appendSource(dst, rec.Source)
		dst = binary.AppendUvarint(dst, uint64(rec.Epoch))
		dst = binary.AppendVarint(dst, rec.Offset)
		dst = binary.AppendUvarint(dst, uint64(rec.Partitions))
		return wire.AppendString(dst, rec.Name)
	case *index.Forget:
		dst = appendHeader(dst, kindForget, rec.Header)
		dst = binary.AppendVarint(dst, rec.Target.Offset)
		return binary.AppendVarint(dst, int64(rec.Target.Entry))
	case *index.Erase:
		return appendErase(dst, rec)
	case *index.Checkpoint:
		dst = appendHeader(dst, kindCheckpoint, rec.Header)
		dst = binary.AppendVarint(dst, rec.Offset)
		dst = binary.LittleEndian.AppendUint64(dst, rec.Hash)
		dst = wire.AppendString(dst, rec.Member)
		dst = wire.AppendBytes(dst, rec.Settings)
		dst = appendRoutes(dst, rec.Routes)
		if rec.Bounds.Number > 0 {
			dst = appendBounds(dst, &rec.Bounds)
		}
		return dst
	case *index.SettingsChange:
		return appendBounds(appendHeader(dst, kindSettingsChange, rec.Header), &rec.Bounds)
	case *index.Mark:
		return binary.LittleEndian.AppendUint64(appendHeader(dst, kindMark, rec.Header), rec.Number)
	case *index.Accusation:
		dst = appendHeader(dst, kindAccusation, rec.Header)
		dst = binary.AppendVarint(dst, rec.Offset)
		dst = binary.LittleEndian.AppendUint64(dst, rec.Hash)
		dst = wire.AppendString(dst, rec.Member)
		return wire.AppendString(dst, rec.Accused)
	case *index.Routing:
		return appendRoutes(appendHeader(dst, kindRouting, rec.Header), rec.Routes)
	}
	return dst
}

func appendRoutes(dst []byte, r index.Routes) []byte {
	return wire.AppendBytes(binary.AppendUvarint(dst, uint64(r.Number)), r.Text)
}

func appendHeader(dst []byte, kind byte, h index.Header) []byte {
	dst = append(dst, kind)
	dst = binary.LittleEndian.AppendUint64(dst, h.Fingerprint)
	return binary.AppendVarint(dst, h.Wall)
}

func appendSource(dst []byte, s entry.Source) []byte {
	return binary.AppendVarint(append(dst, s.Topic[:]...), int64(s.Partition))
}

func appendRun(dst []byte, run *index.Run) []byte {
	requests := requestsOf(run)
	if requests == 0 {
		dst = appendHeader(dst, kindRun, run.Header)
	} else {
		dst = appendHeader(dst, kindRequestRun, run.Header)
	}
	dst = appendSource(dst, run.Source)
	dst = binary.AppendUvarint(dst, uint64(run.Epoch))
	dst = binary.AppendVarint(dst, run.Base)
	keys := 0
	for i := range run.Entries {
		keys = max(keys, len(run.Entries[i].Keys))
	}
	dst = binary.AppendUvarint(dst, uint64(keys))
	dst = binary.AppendUvarint(dst, uint64(len(run.Entries)))
	var before *entry.Entry
	for i := range run.Entries {
		dst = entry.Append(dst, &run.Entries[i], before)
		before = &run.Entries[i]
	}
	if requests > 0 {
		dst = appendRequests(dst, run, requests)
	}
	return dst
}

// runSize is an upper bound of the run's size in bytes. It is the initial capacity, so that a buffer of a quarter of a
// mebibyte does not grow by doubling.
func runSize(run *index.Run) int {
	const framing = 128 // header, source, epoch, base and counts: 1+8 + 16 and varints
	n := framing
	for i := range run.Entries {
		n += entry.Size(&run.Entries[i])
	}
	n += requestsOf(run) * requestBytes
	return n
}

// Decoder decodes records. A decoded Run, Feed or Fill is valid until the next call: its entries are stored in the
// decoder and point into the value.
type Decoder struct {
	run  index.Run
	feed index.Feed
	fill index.Fill
	last []*entry.Entry // of each part of the feed or the fill
}

// Decode reads the value of a journal record.
func Decode(value []byte) (index.Record, error) { return new(Decoder).Decode(value) }

// Decode reads the value of a journal record. Its errors are ErrVersion, after which the caller must stop reading the
// journal, and a *StrayError.
func (d *Decoder) Decode(value []byte) (index.Record, error) {
	body, err := unframe(value)
	if err != nil {
		return nil, err
	}
	rd := wire.NewReader(body)
	kind := rd.Byte()
	if kind >= kinds { // of a later version: a member of that may have acted on it, and replicas would differ
		return nil, fmt.Errorf("%w: its kind is %d, this one reads kinds below %d", ErrVersion, kind, kinds)
	}
	h := index.Header{Fingerprint: rd.Uint64(), Wall: rd.Varint()}
	rec, err := d.body(kind, h, &rd)
	if errors.Is(err, ErrVersion) {
		return nil, err
	}
	if err == nil && (rd.Short() || rd.Len() > 0) {
		err = errors.New("it has another length than it says")
	}
	if err != nil {
		return nil, stray(Malformed, "kind %d of %d bytes: %w", kind, len(value), err)
	}
	return rec, nil
}

func (d *Decoder) body(kind byte, h index.Header, rd *wire.Reader) (rec index.Record, err error) {
	switch kind {
	case kindSettings:
		return &index.Settings{Wall: h.Wall, Text: rd.Bytes()}, nil
	case kindRun:
		return d.decodeRun(h, rd)
	case kindRequestRun:
		run, err := d.decodeRun(h, rd)
		if err != nil {
			return nil, err
		}
		return run, readRequests(rd, run)
	case kindFeed:
		return d.decodeFeed(h, rd)
	case kindFill:
		return d.decodeFill(h, rd)
	case kindReposition:
		source := readSource(rd)
		epoch, err := readUint32(rd, "epoch")
		return &index.Reposition{
			Header: h, Source: source, Epoch: epoch, Offset: rd.Varint(), Partitions: int32(rd.Uvarint()),
			Name: string(rd.Bytes()),
		}, err
	case kindForget:
		return &index.Forget{Header: h, Target: entry.Position{Offset: rd.Varint(), Entry: int32(rd.Varint())}}, nil
	case kindErase:
		return decodeErase(h, rd)
	case kindCheckpoint:
		c := &index.Checkpoint{
			Header: h, Offset: rd.Varint(), Hash: rd.Uint64(), Member: string(rd.Bytes()), Settings: rd.Bytes(),
		}
		c.Routes, err = readRoutes(rd)
		if rd.Len() > 0 && err == nil { // only where bounds were changed
			c.Bounds, err = readBounds(rd)
		}
		return c, err
	case kindRouting:
		routes, err := readRoutes(rd)
		return &index.Routing{Header: h, Routes: routes}, err
	case kindSettingsChange:
		bounds, err := readBounds(rd)
		return &index.SettingsChange{Header: h, Bounds: bounds}, err
	case kindMark:
		return &index.Mark{Header: h, Number: rd.Uint64()}, nil
	case kindAccusation:
		return &index.Accusation{
			Header: h, Offset: rd.Varint(), Hash: rd.Uint64(), Member: string(rd.Bytes()), Accused: string(rd.Bytes()),
		}, nil
	}
	return nil, errors.New("a kind that nothing reads")
}

func readSource(rd *wire.Reader) (s entry.Source) {
	copy(s.Topic[:], rd.Take(16))
	s.Partition = int32(rd.Varint())
	return s
}

func readRoutes(rd *wire.Reader) (r index.Routes, err error) {
	r.Number, err = readUint32(rd, "routing")
	r.Text = rd.Bytes()
	return r, err
}

func readUint32(rd *wire.Reader, what string) (uint32, error) {
	n := rd.Uvarint()
	if n > math.MaxUint32 {
		return 0, fmt.Errorf("%s %d", what, n)
	}
	return uint32(n), nil
}

func (d *Decoder) decodeRun(h index.Header, rd *wire.Reader) (*index.Run, error) {
	source := readSource(rd)
	epoch, err := readUint32(rd, "epoch")
	if err != nil {
		return nil, err
	}
	d.run = index.Run{Header: h, Source: source, Epoch: epoch, Base: rd.Varint(), Entries: d.run.Entries[:0]}
	keys := rd.Uvarint()
	n := rd.Count(3)
	if rd.Short() || keys > uint64(rd.Len()) {
		return nil, errors.New("a run of impossible counts")
	}
	var before *entry.Entry
	if cap(d.run.Entries) < n {
		d.run.Entries = make([]entry.Entry, 0, n)
	}
	for range n {
		e, rest, err := entry.Decode(rd.Rest(), int(keys), before)
		if err != nil {
			return nil, fmt.Errorf("run: %w", err)
		}
		*rd = wire.NewReader(rest)
		d.run.Entries = append(d.run.Entries, e)
		before = &d.run.Entries[len(d.run.Entries)-1]
	}
	return &d.run, nil
}
