package index

import (
	"fmt"
	"math"
	"strings"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// Algorithm names what finds candidates and its version, for the unecho-algorithm header: such as "minhash/2".
func (p Params) Algorithm() string {
	s, err := p.Similarity.NewSketch()
	if err != nil {
		return p.Similarity.Sketch // settings that Validate refuses: nothing is signed by them
	}
	return s.Algorithm()
}

// Version names everything beside the settings that decides what a text is signed as: it belongs to the settings of a
// journal, so that members who would sign differently refuse to run together.
func (p Params) Version() string {
	return fmt.Sprintf("text/%d unicode/%s %s evidence/%d", text.Version, text.Unicode, p.Algorithm(), entry.Version)
}

// Scheme is the sketch that is set, and its settings.
func (p SimilarityParams) Scheme() (sketch.Scheme, sketch.Params, error) {
	scheme, err := sketch.SchemeOf(p.Sketch)
	if err != nil {
		return nil, sketch.Params{}, err
	}
	threshold, err := p.plannedThreshold()
	return scheme, sketch.Params{
		Weighted:  p.Repeated(),
		Threshold: threshold, Recall: p.Recall, ByArea: p.Plan == planArea, Slots: p.Slots, Bands: p.Bands, Rows: p.Rows, CodeBits: p.CodeBits,
		Bits: p.Bits, Distance: p.Distance, Blocks: p.Blocks,
	}, err
}

// byDistance says that bits decide what is a candidate; see sketch.Scheme.
func (p SimilarityParams) byDistance() bool {
	scheme, err := sketch.SchemeOf(p.Sketch)
	return err == nil && scheme.ByDistance()
}

// Banding is how a sketch of slots is cut into bands: as set, or else as planned for the Jaccard similarity of two documents at
// the threshold. Of a sketch by distance it is the zero Banding.
func (p SimilarityParams) Banding() (sketch.Banding, error) {
	scheme, params, err := p.Scheme()
	if err != nil {
		return sketch.Banding{}, err
	}
	return scheme.Banding(params)
}

// NewSketch makes the sketch that is set.
func (p SimilarityParams) NewSketch() (sketch.Sketch, error) {
	scheme, params, err := p.Scheme()
	if err != nil {
		return nil, err
	}
	return scheme.New(params)
}

// EstimatedBy is the method of verify: estimate.
func (p SimilarityParams) EstimatedBy() Method {
	if p.byDistance() {
		return Hamming
	}
	return Estimate
}

// evidence is what an entry keeps of its document, for verify to compare. Of a text there are about as many runs of characters
// as it has characters, and a hash of each takes more than the character: runs of words are a fifth of that.
func (p SimilarityParams) evidence() entry.Kind {
	auto := p.Evidence == evidenceAuto
	switch {
	case p.Verify == verifyEstimate:
		return entry.Sketch
	case p.Verify == verifyLevenshtein, p.Evidence == evidenceText, auto && strings.HasPrefix(p.Shingle, "char:"):
		return entry.Text
	}
	return entry.Shingles
}

// Least is the similarity that makes a duplicate.
func (p SimilarityParams) Least() Similarity {
	if p.Verify == verifyEstimate && p.byDistance() {
		return Similarity{Num: uint32(p.Bits - p.Distance), Den: uint32(p.Bits)}
	}
	return Similarity{Num: uint32(math.Round(p.Threshold * scale)), Den: scale}
}

// scale of a threshold: four decimals.
const scale = 10000
