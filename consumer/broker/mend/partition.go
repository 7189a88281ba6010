package mend

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// batch is what matters of a record batch.
type batch struct {
	segment int64 // base offset of the file it is in
	at      int64 // where in the file
	first   int64 // offset
	last    int64
	leader  int32 // epoch
	pid     int64
	epoch   int16
	time    int64 // ms
	txn     bool  // data of a transaction
	marker  bool  // the end of one
	commit  bool  // of a marker
}

// commits says whether b is a marker of the commit that was noted.
func (b *batch) commits(n note) bool {
	return b.marker && b.commit && b.pid == n.producer && b.epoch == n.epoch && b.time >= n.time
}

// partition is one partition's files, whole but for what Mend still does: segments OFFSET.dat of record batches as on the
// wire, and beside each OFFSET.idx of entries of 15 bytes, one for each batch:
//
//	┌─────────┬─────────────────┬──────────────┬─────────────────────┬───────┐
//	│ version │ low byte of crc │ leader epoch │ latest time so far  │ flags │
//	│ 1       │ 1               │ 4            │ 8                   │ 1     │
//	└─────────┴─────────────────┴──────────────┴─────────────────────┴───────┘
//	flags: bit 0, data of a transaction
type partition struct {
	dir      string
	segments []int64
	batches  []batch
}

const indexEntry = 15

// Bits of a batch's attributes.
const (
	transactional = 1 << 4
	control       = 1 << 5
)

// loadPartition reads all batches. It cuts off what the last write left of one, and completes the index.
func loadPartition(dir string) (p *partition, indexed int, err error) {
	p = &partition{dir: dir}
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, 0, err
	}
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), ".dat")
		if base, err := strconv.ParseInt(name, 10, 64); ok && err == nil {
			p.segments = append(p.segments, base)
		}
	}
	slices.Sort(p.segments)
	for _, base := range p.segments {
		n, err := p.loadSegment(base)
		if err != nil {
			return nil, 0, err
		}
		indexed += n
	}
	return p, indexed, nil
}

func (p *partition) path(base int64, suffix string) string {
	return filepath.Join(p.dir, strconv.FormatInt(base, 10)+suffix)
}

func (p *partition) loadSegment(base int64) (indexed int, err error) {
	raw, err := os.ReadFile(p.path(base, ".dat"))
	if err != nil {
		return 0, err
	}
	from, at := len(p.batches), 0
	for {
		b, size, ok := parseBatch(raw[at:])
		if !ok {
			break
		}
		b.segment, b.at = base, int64(at)
		p.batches = append(p.batches, b)
		at += size
	}
	if at < len(raw) {
		if err := os.Truncate(p.path(base, ".dat"), int64(at)); err != nil {
			return 0, err
		}
	}
	return p.completeIndex(base, p.batches[from:])
}

// completeIndex leaves as many entries as there are batches, each in its place.
func (p *partition) completeIndex(base int64, batches []batch) (added int, err error) {
	path := p.path(base, ".idx")
	have, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	whole := min(len(have)/indexEntry, len(batches))
	if whole*indexEntry == len(have) && whole == len(batches) {
		return 0, nil
	}
	have = have[:whole*indexEntry]
	for i := whole; i < len(batches); i++ {
		have = batches[i].appendIndex(have)
		added++
	}
	return added, os.WriteFile(path, have, 0o600) //nolint:gosec // the user names the directory
}

// parseBatch reads one batch, if a whole and sound one is there.
func parseBatch(raw []byte) (b batch, size int, ok bool) {
	if len(raw) < 12 {
		return b, 0, false
	}
	size = 12 + int(binary.BigEndian.Uint32(raw[8:]))
	if size < 61 || size > len(raw) {
		return b, 0, false
	}
	raw = raw[:size]
	if binary.BigEndian.Uint32(raw[17:]) != crc32.Checksum(raw[21:], castagnoli()) {
		return b, 0, false
	}
	var rb kmsg.RecordBatch
	if err := rb.ReadFrom(raw); err != nil {
		return b, 0, false
	}
	b = batch{
		first: rb.FirstOffset, last: rb.FirstOffset + int64(rb.LastOffsetDelta), leader: rb.PartitionLeaderEpoch,
		pid: rb.ProducerID, epoch: rb.ProducerEpoch, time: rb.MaxTimestamp,
		txn:    rb.Attributes&transactional != 0 && rb.Attributes&control == 0,
		marker: rb.Attributes&control != 0,
	}
	if b.marker {
		b.commit = isCommit(rb.Records)
	}
	return b, size, true
}

func isCommit(records []byte) bool {
	var rec kmsg.Record
	var key kmsg.ControlRecordKey
	return rec.ReadFrom(records) == nil && key.ReadFrom(rec.Key) == nil && key.Type == kmsg.ControlRecordKeyTypeCommit
}

func (b *batch) appendIndex(to []byte) []byte {
	entry := make([]byte, indexEntry)
	entry[0] = 1
	binary.LittleEndian.PutUint32(entry[2:], uint32(b.leader)) //nolint:gosec // bits
	binary.LittleEndian.PutUint64(entry[6:], uint64(b.time))   //nolint:gosec // bits; the broker recomputes it
	if b.txn {
		entry[14] = 1
	}
	entry[1] = byte(crc32.Checksum(entry[2:], castagnoli()))
	return append(to, entry...)
}

func (p *partition) last() *batch {
	if len(p.batches) == 0 {
		return nil
	}
	return &p.batches[len(p.batches)-1]
}

// drop takes the last batch off.
func (p *partition) drop() error {
	b := *p.last()
	p.batches = p.batches[:len(p.batches)-1]
	if err := os.Truncate(p.path(b.segment, ".dat"), b.at); err != nil {
		return err
	}
	n := 0
	for _, other := range p.batches {
		if other.segment == b.segment {
			n++
		}
	}
	return os.Truncate(p.path(b.segment, ".idx"), int64(n*indexEntry))
}

// open returns, for each producer with data after its last marker, the last such batch, in the order of producers' first.
func (p *partition) open() []batch {
	var out []batch
	for _, b := range p.batches {
		i := slices.IndexFunc(out, func(o batch) bool { return o.pid == b.pid })
		switch {
		case b.marker && i >= 0:
			out = slices.Delete(out, i, i+1)
		case b.txn && i >= 0:
			out[i] = b
		case b.txn:
			out = append(out, b)
		}
	}
	return out
}

// abort ends the transaction of o with a marker.
func (p *partition) abort(o batch, now int64) error {
	last := p.last()
	raw := marker(o, last.last+1, last.leader, now)
	b, _, ok := parseBatch(raw)
	if !ok {
		return errors.New("the marker does not read back")
	}
	b.segment = p.segments[len(p.segments)-1]
	var err error
	if b.at, err = length(p.path(b.segment, ".dat")); err != nil {
		return err
	}
	p.batches = append(p.batches, b)
	return errors.Join(
		appendFile(p.path(b.segment, ".dat"), raw),
		appendFile(p.path(b.segment, ".idx"), b.appendIndex(nil)),
	)
}

// marker is a record batch that aborts the transaction of o, as the broker itself would write it.
func marker(o batch, offset int64, leader int32, now int64) []byte {
	key := kmsg.ControlRecordKey{Type: kmsg.ControlRecordKeyTypeAbort}
	end := kmsg.EndTxnMarker{}
	rec := kmsg.Record{Key: key.AppendTo(nil), Value: end.AppendTo(nil)}
	rec.Length = int32(len(rec.AppendTo(nil)) - 1) //nolint:gosec // some ten bytes, so that the length itself takes one
	rb := kmsg.RecordBatch{
		FirstOffset: offset, PartitionLeaderEpoch: leader, Magic: 2, Attributes: transactional | control,
		FirstTimestamp: now, MaxTimestamp: now, ProducerID: o.pid, ProducerEpoch: o.epoch, FirstSequence: -1,
		NumRecords: 1, Records: rec.AppendTo(nil),
	}
	raw := rb.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-12)) //nolint:gosec // some ninety bytes
	binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[21:], castagnoli()))
	return raw
}

func appendFile(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) //nolint:gosec // the user names the directory
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}
