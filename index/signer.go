package index

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// Signer turns texts into entries. It is pure but not safe for concurrent use: each goroutine has its own.
type Signer struct {
	normalizer *text.Normalizer
	shingling  text.Shingling // of all shingles
	ignored    text.Ignored
	sketch     sketch.Sketch
	similarity DuplicatesParams
	evidence   entry.Kind
	short      int // number of shingles below which a changed word makes a text another
	signed     int // number of shingles of the text that was signed last
	leftOut    int // and of those of it that do not count

	sorter     text.Sorter
	normalized []byte
	shingles   []uint64
	arena      []byte // memory of the entries signed since Reset
	last       int    // offset in arena at which the last entry begins
}

// Bounds of what a signer keeps from one document to the next: enough for documents of up to LargeDocument bytes, and
// for the entries of some thousand of them. A larger document may need a hundred times its own bytes, as one of nothing
// but U+FDFA does. Memory beyond the bounds is given back at once.
const (
	LargeDocument = 64 << 10
	keptScratch   = 1 << 20 // bytes: normalised text and the hashes of its shingles
	keptArena     = 4 << 20
)

// NewSigner builds a signer for valid Params.
func NewSigner(p Params) (*Signer, error) {
	p, err := p.Planned()
	if err != nil {
		return nil, fmt.Errorf("build signer: %w", err)
	}
	shingling, err := p.Duplicates.Shingling()
	if err != nil {
		return nil, fmt.Errorf("build signer: %w", err)
	}
	sketch, err := p.Duplicates.NewSketch()
	if err != nil {
		return nil, fmt.Errorf("build signer: %w", err)
	}
	if !p.Duplicates.Ignored.Read() {
		return nil, errors.New("build signer: the list of duplicates.ignore was not read")
	}
	return &Signer{
		normalizer: text.NewNormalizer(p.Normalize), shingling: shingling.Ignoring(text.Ignored{}), ignored: p.Duplicates.Ignored, sketch: sketch,
		similarity: p.Duplicates, evidence: p.Duplicates.evidence(), short: p.Duplicates.LeastShingles(),
	}, nil
}

// Sign sets Content, Keys, Digest, Kind and Evidence of e from the text and e.Scope. A text without shingles leaves e
// empty.
// The slices are valid until Reset. Sign returns false for a text that is longer than entry.MaxText when normalised:
// such a document has no entry.
func (s *Signer) Sign(e *entry.Entry, document []byte) bool {
	s.last = len(s.arena)
	signed := s.sign(e, document)
	if len(document) > LargeDocument || cap(s.normalized)+8*cap(s.shingles) > keptScratch {
		s.giveBack()
	}
	return signed
}

// ByBytes says whether the text that was signed last is compared by its bytes; see text.Normalizer.
func (s *Signer) ByBytes() bool { return s.normalizer.ByBytes() }

// SignShingles does what Sign does for a document of which there is no text, only the hashes of its shingles in their
// order. Its evidence is what is made of these.
func (s *Signer) SignShingles(e *entry.Entry, shingles []uint64) {
	s.last = len(s.arena)
	s.shingles = append(s.shingles[:0], shingles...)
	s.normalized = s.normalized[:0]
	for _, hash := range shingles {
		s.normalized = binary.LittleEndian.AppendUint64(s.normalized, hash)
	}
	s.signShingles(e, nil)
}

// Short says whether the text that was signed last is so short that it would be no duplicate with one word changed.
func (s *Signer) Short() bool { return s.signed > 0 && s.signed < s.short }

// LeftOut is how many of the shingles of the text that was signed last do not count (duplicates.ignore), and how many it has.
func (s *Signer) LeftOut() (ignored, all int) { return s.leftOut, s.leftOut + s.signed }

// giveBack releases all memory that grew with the document, except for the entries.
func (s *Signer) giveBack() {
	s.normalizer.GiveBack()
	s.normalized, s.shingles, s.sorter = nil, nil, text.Sorter{}
	if fresh, err := s.similarity.NewSketch(); err == nil { // it did not fail the first time
		s.sketch = fresh
	}
}

// Unsign releases the memory of the entry that was signed last. The entry must not be used afterwards.
func (s *Signer) Unsign() { s.arena = s.arena[:s.last] }

func (s *Signer) sign(e *entry.Entry, document []byte) bool {
	e.Kind, e.Content, e.Keys, e.Digest, e.Evidence = entry.None, 0, nil, nil, nil
	s.normalized = s.normalizer.Append(s.normalized[:0], document)
	if len(s.normalized) > entry.MaxText {
		return false
	}
	compared := s.similarity.Compared(s.normalized)
	s.shingles = s.shingling.AppendHashes(s.shingles[:0], compared)
	s.signShingles(e, compared)
	return true
}

// signShingles signs what was hashed. e is empty.
func (s *Signer) signShingles(e *entry.Entry, compared []byte) {
	all := len(s.shingles)
	s.shingles = s.ignored.Without(s.shingles)
	s.leftOut = all - len(s.shingles)
	if s.signed = len(s.shingles); s.signed == 0 {
		return
	}
	e.Kind, e.Content = s.evidence, xxhash.Sum64(s.normalized)
	if s.evidence == entry.Shingles {
		s.shingles = compare.Sorted(&s.sorter, s.shingles, s.similarity.Weighted)
	}
	s.sketch.Sign(s.shingles)
	from := len(s.arena)
	s.arena = s.sketch.AppendKeys(s.arena, e.Scope, entry.KeyBytes)
	e.Keys, from = s.arena[from:len(s.arena):len(s.arena)], len(s.arena)
	s.arena = s.appendEvidence(s.arena, compared)
	e.Evidence, from = s.arena[from:len(s.arena):len(s.arena)], len(s.arena)
	s.arena = s.appendDigest(s.arena, e.Evidence)
	e.Digest = s.arena[from:len(s.arena):len(s.arena)]
}

// appendDigest appends the digest of what was signed.
func (s *Signer) appendDigest(dst, evidence []byte) []byte {
	switch s.evidence {
	case entry.Sketch:
		return compare.AppendFront(dst, evidence)
	case entry.Text:
		s.shingles = s.sorter.Set(s.shingles)
	case entry.Shingles, entry.None:
	}
	return compare.AppendOdd(dst, s.shingles)
}

func (s *Signer) appendEvidence(dst, compared []byte) []byte {
	if s.evidence == entry.Shingles {
		return entry.AppendShingles(dst, s.shingles)
	}
	if s.evidence == entry.Text {
		return entry.AppendText(dst, compared)
	}
	return s.sketch.AppendCodes(dst)
}

// Reset allows the memory of all entries signed so far to be reused. Entries signed before the arena last grew stay
// intact in the old memory.
func (s *Signer) Reset() {
	if s.arena, s.last = s.arena[:0], 0; cap(s.arena) > keptArena {
		s.arena = nil
	}
}
