package index

import (
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// Algorithm names what Sign computes, for the unecho-algorithm header and the settings. It changes when the same text would
// get other keys or other evidence.
const Algorithm = "minhash/1"

// Version names everything beside the settings that decides what a text is signed as: it belongs to the settings of a
// journal, so that members who would sign differently refuse to run together.
func Version() string {
	return fmt.Sprintf("text/%d unicode/%s sketch/%d", text.Version, text.Unicode, sketch.Version)
}

// Signer turns texts into entries. It is pure but not safe for concurrent use: each goroutine has its own.
type Signer struct {
	normalizer *text.Normalizer
	shingling  text.Shingling
	minhash    *sketch.MinHash
	banding    sketch.Banding
	width      int
	bits       int
	keepText   bool

	normalized []byte
	shingles   []uint64
	values     []uint64
	packed     []byte
	arena      []byte
}

// NewSigner builds a signer for valid Params.
func NewSigner(p Params) (*Signer, error) {
	shingling, err := text.ParseShingling(p.Similarity.Shingle)
	if err != nil {
		return nil, fmt.Errorf("build signer: %w", err)
	}
	minhash, err := sketch.NewMinHash(p.Similarity.Slots)
	if err != nil {
		return nil, fmt.Errorf("build signer: %w", err)
	}
	banding, err := sketch.Plan(p.Similarity.Threshold, p.Similarity.Slots, p.Similarity.Recall)
	if err != nil {
		return nil, fmt.Errorf("build signer: %w", err)
	}
	return &Signer{
		normalizer: text.NewNormalizer(), shingling: shingling, minhash: minhash, banding: banding,
		width: p.Similarity.KeyBytes, bits: p.Similarity.CodeBits, keepText: p.Similarity.Verify != "estimate",
		values: make([]uint64, p.Similarity.Slots),
	}, nil
}

// Sign fills Content, Keys, Kind and Evidence of e from the text and e.Scope. A text without a single shingle leaves e
// empty. The slices live until Reset. It returns false for a text that is longer than entry.MaxText when normalised: such a
// document has no entry.
func (s *Signer) Sign(e *entry.Entry, document []byte) bool {
	e.Kind, e.Content, e.Keys, e.Evidence = entry.None, 0, nil, nil
	s.normalized = s.normalizer.Append(s.normalized[:0], document)
	if len(s.normalized) > entry.MaxText {
		return false
	}
	s.shingles = s.shingling.AppendHashes(s.shingles[:0], s.normalized)
	if len(s.shingles) == 0 {
		return true
	}
	e.Content = xxhash.Sum64(s.normalized)
	s.minhash.Sign(s.values, s.shingles)
	e.Keys = s.keep(func(dst []byte) []byte { return s.banding.AppendKeys(dst, s.values, e.Scope, s.width) })
	if s.keepText {
		e.Kind = entry.Text
		s.packed = entry.CompressText(s.packed, s.normalized)
		e.Evidence = s.keep(func(dst []byte) []byte { return append(dst, s.packed...) })
		return true
	}
	e.Kind = entry.Sketch
	e.Evidence = s.keep(func(dst []byte) []byte { return sketch.AppendCodes(dst, s.values, s.bits) })
	return true
}

// Reset lets the memory of all entries signed so far be used again.
func (s *Signer) Reset() { s.arena = s.arena[:0] }

// keep appends to the arena. When the arena grows, what was cut from it before stays where it was.
func (s *Signer) keep(appendTo func([]byte) []byte) []byte {
	from := len(s.arena)
	s.arena = appendTo(s.arena)
	return s.arena[from:len(s.arena):len(s.arena)]
}
