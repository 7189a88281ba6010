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

// Banding is how a MinHash is cut into bands: as set, or else as planned for the Jaccard similarity of two documents at the
// threshold.
func (p SimilarityParams) Banding() (sketch.Banding, error) {
	if p.Bands != 0 || p.Rows != 0 {
		return sketch.Banding{Bands: p.Bands, Rows: p.Rows}, nil
	}
	if p.Plan == "area" {
		return sketch.PlanByArea(p.Threshold, p.Slots, 0.5, 0.5)
	}
	if p.plannedByEdits() {
		return p.planByEdits()
	}
	return sketch.Plan(p.Threshold, p.Slots, p.Recall)
}

// NewSketch makes the sketch that is set.
func (p SimilarityParams) NewSketch() (sketch.Sketch, error) {
	if p.Sketch == "simhash" {
		return sketch.NewSimHashSketch(p.simHash())
	}
	banding, err := p.Banding()
	if err != nil {
		return nil, err
	}
	return sketch.NewMinHashSketch(p.minHash(banding))
}

func (p SimilarityParams) minHash(banding sketch.Banding) sketch.MinHashParams {
	return sketch.MinHashParams{Slots: p.Slots, Banding: banding, CodeBits: p.CodeBits, Weighted: p.Repeated()}
}

func (p SimilarityParams) simHash() sketch.SimHashParams {
	return sketch.SimHashParams{Bits: p.Bits, Distance: p.Distance, Blocks: p.Blocks, Weighted: p.Weighted}
}

// evidence is what an entry keeps of its document, for verify to compare. Of a text there are about as many runs of characters
// as it has characters, and a hash of each takes more than the character: runs of words are a fifth of that.
func (p SimilarityParams) evidence() entry.Kind {
	auto := p.Evidence == "auto"
	switch {
	case p.Verify == "estimate":
		return entry.Sketch
	case p.Verify == verifyLevenshtein, p.Evidence == "text", auto && strings.HasPrefix(p.Shingle, "char:"):
		return entry.Text
	}
	return entry.Shingles
}

// least is the similarity that makes a duplicate.
func (p SimilarityParams) least() Similarity {
	if p.Verify == "estimate" && p.Sketch == "simhash" {
		return Similarity{Num: uint32(p.Bits - p.Distance), Den: uint32(p.Bits)}
	}
	return Similarity{Num: uint32(math.Round(p.Threshold * scale)), Den: scale}
}

// scale of a threshold: four decimals.
const scale = 10000
