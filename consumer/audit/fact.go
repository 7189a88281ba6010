package audit

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
)

// Kinds of facts about a source record, in the order in which they are visited.
const (
	factSource        = iota // the source record exists
	factVerdict              // the journal judged it, or changed its mind
	factOutput               // an output says that it comes from it
	factVerdictRecord        // a record of verdicts says that it is about it
	factClusterRecord        // a record of clusters says that it is about it
)

var errFact = errors.New("the temporary file does not hold what was written")

// judgement is the journal's decision about a source record in one pass.
type judgement struct {
	pass    int
	verdict index.Verdict
}

// claim is an output record: what its headers say, and what it carries. It is also a record of verdicts, which carries
// nothing, or of clusters, of which the fields are in headers.
type claim struct {
	output    entry.PartitionName
	offset    int64
	carries   facts
	malformed string // what is wrong with the form of its headers; empty if nothing is
	headers   headers
}

// partitionBits is how many of the 64 bits that order claims hold the number of the output partition. The other bits hold
// the offset there.
const partitionBits = 20

func claimOrder(output int, offset int64) uint64 {
	return uint64(output)<<(64-partitionBits) | uint64(offset)
}

func claimedAt(order uint64) (output int, offset int64) {
	return int(order >> (64 - partitionBits)), int64(order & (1<<(64-partitionBits) - 1))
}

func (f *facts) append(dst []byte) []byte {
	for _, d := range []digest{f.key, f.value, f.headers} {
		length := uint64(d.bytes) << 1
		if d.null {
			length |= 1
		}
		dst = binary.LittleEndian.AppendUint64(binary.AppendUvarint(dst, length), d.sum)
	}
	return binary.AppendVarint(dst, f.timestamp)
}

func readFacts(rd *wire.Reader) (f facts) {
	for _, d := range []*digest{&f.key, &f.value, &f.headers} {
		length := rd.Uvarint()
		d.null, d.bytes, d.sum = length&1 == 1, int(length>>1), rd.Uint64()
	}
	f.timestamp = rd.Varint()
	return f
}

// Flags of a judgement.
const (
	judgedReemitted = 1 << iota
	judgedForgotten
	judgedMatched
	judgedCut
	judgedLate
)

func (j *judgement) append(dst []byte) []byte {
	v, m := &j.verdict, &j.verdict.Match
	flags := byte(0)
	for flag, set := range map[byte]bool{
		judgedReemitted: v.Reemitted, judgedForgotten: v.Forgotten,
		judgedMatched: v.Matched(), judgedCut: v.Cut, judgedLate: v.Late != 0,
	} {
		if set {
			flags |= flag
		}
	}
	dst = append(binary.AppendUvarint(dst, uint64(j.pass)), flags)
	if v.Late != 0 {
		dst = binary.AppendVarint(dst, v.Late)
	}
	if !v.Matched() {
		return dst
	}
	dst = binary.AppendVarint(binary.AppendVarint(dst, v.Position.Offset), int64(v.Position.Entry))
	dst = append(dst, byte(m.Method))
	dst = wire.AppendString(dst, m.Topic)
	dst = binary.AppendVarint(dst, int64(m.Source.Partition))
	dst = binary.AppendVarint(dst, m.Offset)
	dst = binary.AppendVarint(dst, m.Time)
	dst = wire.AppendString(dst, m.ID)
	dst = binary.AppendUvarint(dst, uint64(m.Similarity.Num))
	dst = binary.AppendUvarint(dst, uint64(m.Similarity.Den))
	return binary.AppendUvarint(dst, m.Copy)
}

func readJudgement(rd *wire.Reader) (j judgement) {
	j.pass = int(rd.Uvarint())
	flags := rd.Byte()
	v, m := &j.verdict, &j.verdict.Match
	v.Reemitted, v.Forgotten, v.Cut = flags&judgedReemitted != 0, flags&judgedForgotten != 0, flags&judgedCut != 0
	if flags&judgedLate != 0 {
		v.Late = rd.Varint()
	}
	if flags&judgedMatched == 0 {
		return j
	}
	v.Position.Offset, v.Position.Entry = rd.Varint(), int32(rd.Varint())
	m.Method = compare.Method(rd.Byte())
	m.Topic, m.Source.Partition = string(rd.Bytes()), int32(rd.Varint())
	m.Offset, m.Time, m.ID = rd.Varint(), rd.Varint(), string(rd.Bytes())
	m.Similarity = compare.Similarity{Num: uint32(rd.Uvarint()), Den: uint32(rd.Uvarint())}
	m.Copy = rd.Uvarint()
	return j
}

// A header is stored with the number of its name, and without its value where that is the expected one: nearly all
// outputs say the same, so this saves space.
const (
	headerOther    = 0xff // no number: the name follows
	headerExpected = 0x80 // added to the number: the value is the one in common
)

// append appends a claim without its place.
func (c *claim) append(dst []byte, known []string, common headers) []byte {
	dst = c.carries.append(dst)
	dst = wire.AppendString(dst, c.malformed)
	dst = binary.AppendUvarint(dst, uint64(len(c.headers)))
	for _, name := range names(c.headers) {
		value := c.headers[name]
		number := slices.Index(known, name)
		want, expected := common[name]
		switch expected = expected && value != nil && string(value) == string(want); {
		case number < 0:
			dst = wire.AppendString(append(dst, headerOther), name)
		case expected:
			dst = append(dst, byte(number)|headerExpected)
			continue
		default:
			dst = append(dst, byte(number))
		}
		dst = wire.AppendBytes(dst, value)
	}
	return dst
}

func readClaim(rd *wire.Reader, known []string, common headers) (c claim) {
	c.carries = readFacts(rd)
	c.malformed = string(rd.Bytes())
	c.headers = headers{}
	for n := rd.Uvarint(); n > 0 && !rd.Short(); n-- {
		number, name := rd.Byte(), ""
		switch {
		case number == headerOther:
			name = string(rd.Bytes())
		case int(number&^headerExpected) < len(known):
			name = known[number&^headerExpected]
		}
		if number != headerOther && number&headerExpected != 0 {
			c.headers[name] = common[name]
			continue
		}
		c.headers[name] = slices.Clone(rd.Bytes())
	}
	return c
}
