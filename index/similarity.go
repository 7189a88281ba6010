package index

import (
	"fmt"
	"math"

	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// Algorithm returns the name and version of the sketch, such as "minhash/2", for the unecho-algorithm header.
func (p Params) Algorithm() string {
	if planned, err := p.Planned(); err == nil {
		p = planned
	}
	s, err := p.Duplicates.NewSketch()
	if err != nil {
		return p.Duplicates.Method // settings that Validate refuses: nothing is signed by them
	}
	return s.Algorithm()
}

// Version names everything besides the settings that decides how a text is signed. It is stored with the settings of
// a journal, so that members that would sign differently refuse to run together. The Unicode tables are no part of
// it: members of different builds differ in characters that were added lately, and what the journal has is what
// counts.
func (p Params) Version() string {
	return fmt.Sprintf("text/%d %s evidence/%d", text.Version, p.Algorithm(), entry.Version)
}

// Scheme returns the configured sketch and its parameters.
func (p DuplicatesParams) Scheme() (sketch.Scheme, sketch.Params, error) {
	scheme, err := sketch.SchemeOf(p.Method)
	if err != nil {
		return nil, sketch.Params{}, err
	}
	threshold, err := p.plannedThreshold()
	return scheme, sketch.Params{
		Weighted:  p.Repeated(),
		Threshold: threshold, Recall: p.Recall, ByArea: p.Plan == planArea, Slots: p.Slots, Bands: p.Bands, Rows: p.Rows,
		Bits: p.Bits, Distance: p.Distance,
	}, err
}

// byDistance says whether the sketch finds candidates by the number of differing bits; see sketch.Scheme.
func (p DuplicatesParams) byDistance() bool {
	scheme, err := sketch.SchemeOf(p.Method)
	return err == nil && scheme.ByDistance()
}

// Banding returns how the slots of a sketch are cut into bands: as set, or else as planned for the Jaccard similarity
// of two documents at the threshold. It is the zero Banding for a sketch by distance.
func (p DuplicatesParams) Banding() (sketch.Banding, error) {
	scheme, params, err := p.Scheme()
	if err != nil {
		return sketch.Banding{}, err
	}
	return scheme.Banding(params)
}

// Described says what sketches are made of; where that is not known, by which method.
func (p DuplicatesParams) Described() string {
	scheme, params, err := p.Scheme()
	if err != nil {
		return p.Method
	}
	described, err := scheme.Describe(params)
	if err != nil {
		return p.Method
	}
	return described
}

// NewSketch builds the configured sketch.
func (p DuplicatesParams) NewSketch() (sketch.Sketch, error) {
	scheme, params, err := p.Scheme()
	if err != nil {
		return nil, err
	}
	return scheme.New(params)
}

// EstimatedBy returns the method that verify: estimate uses.
func (p DuplicatesParams) EstimatedBy() compare.Method {
	if p.byDistance() {
		return compare.Hamming
	}
	return compare.Estimate
}

// evidence returns what an entry keeps of its document for verification. For auto and verify: jaccard these are
// shingles, of runs of characters too: a text is then somewhat smaller, but has to be cut into shingles for each
// candidate, which takes two to four times as long where much is compared (decision 14).
func (p DuplicatesParams) evidence() entry.Kind {
	p = p.asSigned()
	switch {
	case p.Verify == verifyEstimate:
		return entry.Sketch
	case p.Verify == verifyLevenshtein, p.Evidence == evidenceText:
		return entry.Text
	}
	return entry.Shingles
}

// comparer builds what compares entries, given the sketch of p.
func (p DuplicatesParams) comparer(s sketch.Sketch) (*compare.Comparer, error) {
	shingling, err := p.Shingling()
	if err != nil {
		return nil, err
	}
	return compare.New(compare.Params{
		Kind: p.evidence(), Least: p.Least(), Runes: p.Verify == verifyLevenshtein, Shingling: shingling, Weighted: p.Weighted,
		Sketch: s, ByBits: p.byDistance(), Distance: p.Distance, Slots: p.Slots,
	}), nil
}

// Least returns the least similarity of a duplicate.
func (p DuplicatesParams) Least() compare.Similarity {
	if p.Verify == verifyEstimate && p.byDistance() {
		return compare.Similarity{Num: uint32(p.Bits - p.Distance), Den: uint32(p.Bits)}
	}
	return compare.Similarity{Num: uint32(math.Round(p.Threshold * compare.Scale)), Den: compare.Scale}
}
