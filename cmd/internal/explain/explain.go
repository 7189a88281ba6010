package explain

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// Explanation is what can be said about two documents. A came first. Its JSON is a promise to scripts.
type Explanation struct {
	A      Document `json:"a"`
	B      Document `json:"b"`
	Shared []string `json:"shared"` // shingles, each once, in alphabetical order
	// with duplicates.weighted, or verify: levenshtein, of shingles as often as they occur
	Jaccard  Share   `json:"jaccard"`
	Estimate Share   `json:"estimate"` // similarity as the sketches estimate it
	Error    float64 `json:"error"`    // estimate minus exact
	Sketch   Sketch  `json:"sketch"`
	// 1 - distance / longer length, in code points, of the first 32 KiB of the normalised texts
	Levenshtein float64 `json:"levenshtein"`
	SameScope   bool    `json:"same_scope"` // documents of different scopes (sources.scope) never match
	Threshold   float64 `json:"threshold"`
	Verdict     string  `json:"verdict"` // unique or duplicate
	Method      string  `json:"method"`  // for a duplicate
	Similarity  float64 `json:"similarity"`
	// with --in, the document of which B is a copy, if that is not A
	Match string `json:"match,omitempty"`
	Cut   bool   `json:"cut"` // a bound left out documents of which B may be a copy
	Why   string `json:"why"`
	Flip  string `json:"flip"` // the nearest setting that would change the verdict; empty if there is none

	levenshtein Share
	agreement   sketch.Agreement
	text        text.Params
}

// Document is the compared part of a document.
type Document struct {
	Bytes      int      `json:"bytes"`
	Normalized string   `json:"normalized"`
	Shingles   int      `json:"shingles"`           // different ones that count
	Ignored    []string `json:"ignored,omitempty"`  // shingles that do not, in alphabetical order
	LeftOut    float64  `json:"left_out,omitempty"` // their share, each as often as it occurs: unecho-ignored
	ByBytes    bool     `json:"by_bytes,omitempty"` // it is compared by its bytes: too much of it cannot be read
	Only       []string `json:"only"`               // shingles that the other lacks
	Keys       []string `json:"band_keys"`

	input  Input
	set    []uint64 // sorted; each once, unless shingles are weighted
	entry  entry.Entry
	hashes map[uint64]string // shingle hash -> text
}

// Share is a part of a whole.
type Share struct {
	Part  int     `json:"part"`
	Whole int     `json:"whole"`
	Value float64 `json:"value"`
}

func newShare(part, whole int) Share {
	return Share{part, whole, float64(part) / float64(max(1, whole))}
}

// tenThousandths returns the share in units of 0.0001, rounded down: the highest threshold that it reaches.
func (s Share) tenThousandths() int { return s.Part * grain / max(1, s.Whole) }

// Sketch is how the sketches of two documents agree.
type Sketch struct {
	Algorithm     string  `json:"algorithm"`
	MatchingSlots int     `json:"matching_slots"` // of minhash
	Slots         int     `json:"slots"`
	Hamming       int     `json:"hamming"` // of simhash: bits that differ
	Bits          int     `json:"bits"`
	MatchingBands []int   `json:"matching_bands"` // from 0
	Bands         int     `json:"bands"`
	Rows          int     `json:"rows"`
	Probability   float64 `json:"probability"` // that two documents of this Jaccard similarity share a band; 0 for simhash
}

// Input is a document as the service would take it.
type Input struct {
	Text  []byte
	Scope uint64 // hash of the value that limits the comparison; 0 is no limit
	// what became of it among the documents of its file; nil if it stands alone
	Judged *Judged
}

// Explain compares two documents under settings that are valid.
func Explain(p index.Params, a, b Input) (*Explanation, error) {
	r, err := newReader(p)
	if err != nil {
		return nil, fmt.Errorf("explain: %w", err)
	}
	x := &Explanation{Threshold: p.Duplicates.Threshold, SameScope: a.Scope == b.Scope, text: p.Normalize}
	if err := cmp.Or(r.read(&x.A, a), r.read(&x.B, b)); err != nil {
		return nil, fmt.Errorf("explain: %w", err)
	}
	x.compare()
	if err := x.compareSketches(p); err != nil {
		return nil, fmt.Errorf("explain: %w", err)
	}
	x.compareTexts()
	return x, x.decide(p)
}

func (x *Explanation) compareTexts() {
	var l sketch.Levenshtein
	num, den := l.Similarity(compare.FrontOf([]byte(x.A.Normalized)), compare.FrontOf([]byte(x.B.Normalized)), 0)
	x.levenshtein = newShare(int(num), int(den))
	x.Levenshtein = x.levenshtein.Value
}

// LevenshteinOf returns a note that only the front of the texts was compared; empty if they were compared completely.
func (x *Explanation) LevenshteinOf() string {
	if max(len(x.A.Normalized), len(x.B.Normalized)) <= compare.ComparedText {
		return ""
	}
	return fmt.Sprintf(", the first %d KiB of each", compare.ComparedText>>10)
}

// reader returns the compared part of a document.
type reader struct {
	normalizer *text.Normalizer
	shingling  text.Shingling // of all shingles
	signer     *index.Signer
	similarity index.DuplicatesParams
}

func newReader(p index.Params) (*reader, error) {
	shingling, err := p.Duplicates.Shingling()
	if err != nil {
		return nil, err
	}
	signer, err := index.NewSigner(p)
	if err != nil {
		return nil, err
	}
	return &reader{
		normalizer: text.NewNormalizer(p.Normalize), shingling: shingling.Ignoring(text.Ignored{}), signer: signer,
		similarity: p.Duplicates,
	}, nil
}

func (r *reader) read(d *Document, in Input) error {
	normalized := r.normalizer.Append(nil, in.Text)
	d.ByBytes = r.normalizer.ByBytes()
	compared := r.similarity.Compared(normalized)
	hashes := r.shingling.AppendHashes(nil, compared)
	d.hashes = make(map[uint64]string, len(hashes))
	i := 0
	r.shingling.Each(compared, func(start, end int) {
		d.hashes[hashes[i]] = string(compared[start:end])
		i++
	})
	if hashes = r.similarity.Ignored.Without(hashes); len(hashes) < i {
		for hash, shingle := range d.hashes { // in no order: they are sorted
			if r.similarity.Ignored.Has(hash) {
				d.Ignored = append(d.Ignored, shingle)
				delete(d.hashes, hash)
			}
		}
		slices.Sort(d.Ignored)
	}
	d.Bytes, d.Normalized, d.input, d.entry.Scope = len(in.Text), string(normalized), in, in.Scope
	d.Shingles = len(d.hashes)
	if d.set = hashes; r.similarity.Repeated() {
		slices.Sort(d.set)
	} else {
		d.set = text.Set(d.set)
	}
	if !r.signer.Sign(&d.entry, in.Text) {
		return fmt.Errorf("a document of %d bytes is too long when normalised: it would be rejected as too_large",
			len(in.Text))
	}
	if ignored, all := r.signer.LeftOut(); ignored > 0 {
		d.LeftOut = float64(ignored*10_000/all) / 10_000 // rounded down, as in the header
	}
	d.Keys = make([]string, 0, len(d.entry.Keys)/entry.KeyBytes)
	for key := range slices.Chunk(d.entry.Keys, entry.KeyBytes) {
		d.Keys = append(d.Keys, fmt.Sprintf("%x", key))
	}
	return nil
}

func (x *Explanation) compare() {
	shared, union := sketch.Jaccard(x.A.set, x.B.set)
	x.Jaccard = newShare(shared, union)
	x.Shared, x.A.Only, x.B.Only = []string{}, []string{}, []string{}
	for hash, shingle := range x.A.hashes { // in no order: they are sorted below
		if _, both := x.B.hashes[hash]; both {
			x.Shared = append(x.Shared, shingle)
		} else {
			x.A.Only = append(x.A.Only, shingle)
		}
	}
	for hash, shingle := range x.B.hashes {
		if _, both := x.A.hashes[hash]; !both {
			x.B.Only = append(x.B.Only, shingle)
		}
	}
	slices.Sort(x.Shared)
	slices.Sort(x.A.Only)
	slices.Sort(x.B.Only)
}

func (x *Explanation) compareSketches(p index.Params) error {
	p, err := p.Planned()
	if err != nil {
		return err
	}
	s, err := p.Duplicates.NewSketch()
	if err != nil {
		return err
	}
	var codes [2][]byte
	for i, d := range []*Document{&x.A, &x.B} {
		s.Sign(d.set)
		codes[i] = s.AppendCodes(nil)
	}
	x.Sketch = Sketch{Algorithm: s.Algorithm(), Bands: s.Bands(), MatchingBands: []int{}}
	if x.A.Shingles > 0 && x.B.Shingles > 0 {
		num, den := s.Similarity(codes[0], codes[1])
		x.Estimate = newShare(int(num), int(den))
		x.Error = x.Estimate.Value - x.Jaccard.Value
		x.compareKeys()
	}
	return x.agree(p.Duplicates, codes)
}

func (x *Explanation) compareKeys() {
	for band := range x.Sketch.Bands {
		if at := band * entry.KeyBytes; bytes.Equal(x.A.entry.Keys[at:at+entry.KeyBytes], x.B.entry.Keys[at:at+entry.KeyBytes]) {
			x.Sketch.MatchingBands = append(x.Sketch.MatchingBands, band)
		}
	}
}

// agree asks the scheme how the sketches agree.
func (x *Explanation) agree(p index.DuplicatesParams, codes [2][]byte) error {
	scheme, params, err := p.Scheme()
	if err != nil {
		return err
	}
	x.agreement, err = scheme.Agree(params, sketch.Pair{
		A: codes[0], B: codes[1], Jaccard: x.Jaccard.Value, Estimate: x.Estimate.Value, Shared: len(x.Sketch.MatchingBands),
		Keys: x.Sketch.Bands,
	})
	s, a := &x.Sketch, &x.agreement
	s.Slots, s.MatchingSlots, s.Rows, s.Probability, s.Bits, s.Hamming = a.Slots, a.MatchingSlots, a.Rows, a.Probability,
		a.Bits, a.Hamming
	return err
}

// Diff compares the texts word by word, and leaves out words far from any change.
func (x *Explanation) Diff() []report.Piece {
	return report.Diff(string(x.A.input.Text), string(x.B.input.Text), x.text)
}
