package audit

import (
	"encoding/binary"
	"math"

	"github.com/cespare/xxhash/v2"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index/entry"
)

// stream is one source partition, and the passes that the journal made over it.
type stream struct {
	entry.PartitionName
	number  uint32
	first   int64 // the first offset of the partition's log
	passes  []epoch
	goes    target   // by the routing in force
	named   []target // all targets that the journal's routings name
	aimed   target   // the one of named that is audited
	aways   []span   // that another group forwards, or may have forwarded
	retired bool     // another group takes over
	cut     bool     // an output is trimmed where it has what came of this partition
	turned  bool     // the routing changed, and no run has come since
	judged  int64    // the offset after the last one that was judged in the present pass
}

// epoch is the time between two repositions.
type epoch struct {
	start int64     // the offset it began at
	base  int64     // all offsets below were announced as forwarded when the next pass began
	open  int64     // verdicts below are older than the snapshot that began the replay: any verdict fits
	went  []stretch // where its documents went; the last stretch is that of the routing in force
}

// before returns a pass that ended before the snapshot. Its outputs may be there and need not be.
func before() epoch { return epoch{open: math.MaxInt64} }

// unknown says whether nothing is known of a pass but that there was one.
func (p *epoch) unknown() bool { return p.open == math.MaxInt64 }

// outputDue says whether pass i must have an output of an offset: the pass began at or below it and got beyond it, and
// the routing of the pass sends the output here.
func (s *stream) outputDue(i int, offset int64) bool {
	return s.reached(i, offset) && !s.sentAway(i, offset)
}

func (s *stream) reached(i int, offset int64) bool {
	p := &s.passes[i]
	return offset >= p.start && (i == len(s.passes)-1 || offset < p.base)
}

// span is the part [from, to) of a partition, by offsets, or of a file, by bytes.
type span struct{ from, to int64 }

func (s span) has(at int64) bool { return at >= s.from && at < s.to }

// facts are digests of the parts of a record that forwarding must not change.
type facts struct {
	key, value, headers digest
	timestamp           int64 // ms
}

// digest tells byte strings apart, and null from an empty one.
type digest struct {
	null  bool
	bytes int
	sum   uint64
}

func digestOf(b []byte) digest { return digest{null: b == nil, bytes: len(b), sum: xxhash.Sum64(b)} }

// factsOf digests a record without the headers of our prefix.
func factsOf(r *kgo.Record) facts {
	return facts{key: digestOf(r.Key), value: digestOf(r.Value), headers: headersOf(r), timestamp: r.Timestamp.UnixMilli()}
}

// withheldDigest returns the digest of a part that came in a batch too large to be unpacked: only its length is known.
func withheldDigest(size int64) digest {
	if size < 0 {
		return digestOf(nil)
	}
	return digest{bytes: int(size), sum: 1}
}

// headersOf digests the headers that are not ours, in their order. It counts the bytes of their names and values.
func headersOf(r *kgo.Record) digest {
	var (
		d    digest
		flat []byte
	)
	for i := range r.Headers {
		h := &r.Headers[i]
		if ours(h.Key) {
			continue
		}
		d.bytes += len(h.Key) + len(h.Value)
		length := int64(len(h.Value))
		if h.Value == nil {
			length = -1
		}
		flat = append(binary.AppendVarint(flat, int64(len(h.Key))), h.Key...)
		flat = append(binary.AppendVarint(flat, length), h.Value...)
	}
	d.sum = xxhash.Sum64(flat)
	return d
}

func (a *audit) source(r *kgo.Record) error {
	s := a.streams[entry.Name(r.Topic, r.Partition)]
	if s == nil {
		return nil // a partition added after the audit began: nothing is owed yet
	}
	a.read++
	f := factsOf(r)
	if sizes, ok := a.unpacker.Withheld(r); ok {
		f.key, f.value, f.headers = withheldDigest(sizes.Key), withheldDigest(sizes.Value), headersOf(&kgo.Record{})
		f.headers.bytes = int(sizes.Headers)
	}
	a.scratch = f.append(a.scratch[:0])
	return a.sorter.add(keyOf(s.number, r.Offset, factSource, 0), a.scratch)
}
