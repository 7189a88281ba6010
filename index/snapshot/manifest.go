package snapshot

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/unecho/unecho/index/wire"
)

// Segment describes an immutable run of entries, as a manifest names it.
type Segment struct {
	// ascending; the same number in the same journal is the same run, apart from documents that were erased
	Number    uint64
	Sealed    bool   // it is full, so later snapshots name it again until a document of it is erased
	Name      string // SegmentName of its content
	Bytes     int64  // length of its content
	Documents int
	Checksum  uint64 // xxhash64 of its content
}

// NewSegment describes the segment with this content, except for its number.
func NewSegment(data []byte, documents int) Segment {
	return Segment{Name: SegmentName(data), Bytes: int64(len(data)), Documents: documents, Checksum: xxhash.Sum64(data)}
}

// SegmentName returns the SHA-256 of a segment's content, in lower-case hex.
func SegmentName(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// ValidSegmentName says whether name could come from SegmentName. Stores refuse all other names, so that none leads
// outside of its directory.
func ValidSegmentName(name string) bool {
	return len(name) == 2*sha256.Size && strings.Trim(name, "0123456789abcdef") == ""
}

// Manifest names the parts of one snapshot.
type Manifest struct {
	Index       string // the index it belongs to
	Position    Position
	Taken       int64  // ms since 1970, by the clock of the member that took it
	Fingerprint uint64 // fingerprint of the settings that decide verdicts
	Segments    []Segment
	State       []byte // the replica's state except for the segments, in its own encoding
}

// Names returns the names of the manifest's segments.
func (m *Manifest) Names() []string {
	names := make([]string, len(m.Segments))
	for i, s := range m.Segments {
		names[i] = s.Name
	}
	return names
}

// Totals returns the sums over the segments.
func (m *Manifest) Totals() (documents, bytes int64) {
	for _, s := range m.Segments {
		documents += int64(s.Documents)
		bytes += s.Bytes
	}
	return documents, bytes
}

// Check returns what prevents the manifest from being published for the index of that name.
func (m *Manifest) Check(index string) error {
	switch {
	case m.Index != index:
		return fmt.Errorf("the manifest is of index %q, the store is opened for %q", m.Index, index)
	case m.Position.Offset < 0:
		return fmt.Errorf("the journal offset %d is negative", m.Position.Offset)
	case len(m.State) > MaxBytes:
		return fmt.Errorf("the state takes %d bytes, the bound is %d", len(m.State), MaxBytes)
	}
	for _, s := range m.Segments {
		if !ValidSegmentName(s.Name) || s.Bytes < 0 || s.Bytes > MaxBytes || s.Documents < 0 || s.Documents > math.MaxInt32 {
			return fmt.Errorf("%+v is not a segment", s)
		}
	}
	return nil
}

// ReadManifest decodes what a store of an index has at a position, under a name that errors tell.
func ReadManifest(data []byte, at Position, index, name string) (Manifest, error) {
	m, err := DecodeManifest(data)
	if err == nil && m.Position != at {
		err = &CorruptError{Offset: -1, Err: fmt.Errorf("it is of %v, not of where it stands", m.Position)}
	}
	if err != nil {
		return Manifest{}, Locate(err, name)
	}
	return m, m.Check(index)
}

const fixedLen = 16 + 4 + 8 + 8 + 8 + 8 + 8

// HeadBytes is how many bytes of an encoded manifest DecodeHead needs.
const HeadBytes = headLen + fixedLen

// Encode returns the sealed manifest, as it is stored. The names of its segments must be valid.
func (m *Manifest) Encode() []byte {
	documents, bytes := m.Totals()
	le := binary.LittleEndian
	b := make([]byte, 0, fixedLen+2*binary.MaxVarintLen64+len(m.Index)+96*len(m.Segments)+len(m.State))
	b = append(b, m.Position.JournalTopic[:]...)
	b = le.AppendUint32(b, uint32(m.Position.LeaderEpoch))
	b = le.AppendUint64(b, uint64(m.Position.Offset))
	b = le.AppendUint64(b, uint64(m.Taken))
	b = le.AppendUint64(b, m.Fingerprint)
	b = le.AppendUint64(b, uint64(documents))
	b = le.AppendUint64(b, uint64(bytes))
	b = wire.AppendString(b, m.Index)
	b = binary.AppendUvarint(b, uint64(len(m.Segments)))
	for _, s := range m.Segments {
		b, _ = hex.AppendDecode(b, []byte(s.Name)) // Check refuses an invalid name
		b = binary.AppendUvarint(b, s.Number)
		b = append(b, wire.Flag(s.Sealed))
		b = binary.AppendUvarint(b, uint64(s.Bytes))
		b = binary.AppendUvarint(b, uint64(s.Documents))
		b = le.AppendUint64(b, s.Checksum)
	}
	return Seal(KindManifest, wire.AppendBytes(b, m.State))
}

// DecodeManifest reads what Encode wrote. State points into data. Errors are a *CorruptError or ErrNewerFormat.
func DecodeManifest(data []byte) (Manifest, error) {
	payload, err := Open(KindManifest, data)
	if err != nil {
		return Manifest{}, err
	}
	r := wire.NewReader(payload)
	m, documents, bytes := readFixed(&r)
	m.Index = string(r.Bytes())
	// A segment takes at least a name, four numbers of a byte each, and a checksum.
	if n := r.Count(sha256.Size + 4 + 8); n > 0 {
		m.Segments = make([]Segment, n)
	}
	for i := range m.Segments {
		if m.Segments[i], err = readSegment(&r); err != nil {
			return Manifest{}, corruptAt(data, &r, fmt.Errorf("segment %d: %w", i, err))
		}
	}
	m.State = r.Bytes()
	switch d, b := m.Totals(); {
	case r.Short():
		return Manifest{}, corruptAt(data, &r, errTorn)
	case r.Len() > 0:
		return Manifest{}, corruptAt(data, &r, fmt.Errorf("%d bytes too many", r.Len()))
	case d != documents || b != bytes:
		return Manifest{}, corruptAt(data, &r, errors.New("its totals are not the sums over its segments"))
	}
	return m, nil
}

func corruptAt(data []byte, r *wire.Reader, err error) error {
	return &CorruptError{Name: KindManifest.String(), Offset: int64(len(data) - tailLen - r.Len()), Err: err}
}

func readFixed(r *wire.Reader) (m Manifest, documents, bytes int64) {
	copy(m.Position.JournalTopic[:], r.Take(16))
	if b := r.Take(4); b != nil {
		m.Position.LeaderEpoch = int32(binary.LittleEndian.Uint32(b))
	}
	m.Position.Offset, m.Taken, m.Fingerprint = int64(r.Uint64()), int64(r.Uint64()), r.Uint64()
	return m, int64(r.Uint64()), int64(r.Uint64())
}

func readSegment(r *wire.Reader) (Segment, error) {
	s := Segment{Name: hex.EncodeToString(r.Take(sha256.Size)), Number: r.Uvarint()}
	sealed, size, documents := r.Byte(), r.Uvarint(), r.Uvarint()
	s.Sealed, s.Bytes, s.Documents, s.Checksum = sealed == 1, int64(size), int(documents), r.Uint64()
	if r.Short() || sealed > 1 || size > MaxBytes || documents > math.MaxInt32 {
		return Segment{}, errors.New("not a segment")
	}
	return s, nil
}

// DecodeHead reads what a listing shows from the first HeadBytes of an encoded manifest. It cannot know whether the
// manifest is whole: it checks only the magic and the version.
func DecodeHead(head []byte) (Info, bool) {
	if len(head) < HeadBytes || string(head[:len(magic)]) != magic || head[len(magic)] != version {
		return Info{}, false
	}
	r := wire.NewReader(head[headLen:])
	m, documents, bytes := readFixed(&r)
	return Info{Position: m.Position, Taken: m.Taken, Documents: documents, Bytes: bytes}, true
}
