package index

import (
	"math"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/window"
)

// leastKeyBits is the least width of a key of a SimHash.
const leastKeyBits = 16

// SizingOf returns what a member takes for so many documents that keeps old ones in files (duplicates.remember.directory).
// No setting is open. load says how similar documents are that are no copies.
func SizingOf(p Params, parts Parts, documents int64, load sketch.Load) (window.Sizing, error) {
	banding, err := p.Duplicates.Banding()
	if err != nil {
		return window.Sizing{}, err
	}
	bands, fixed := int(parts.Keys)/entry.KeyBytes, parts.Keys+parts.Digest
	met := 0.0
	if p.Duplicates.byDistance() { // keys are bits of the sketch, and as good as random
		bits := max(leastKeyBits, p.Duplicates.Bits/(p.Duplicates.Distance+1))
		met = float64(bands) * float64(documents) / math.Exp2(float64(bits))
	} else {
		load.Documents, load.Tags = int(documents), 0 // blocks tell whole keys apart
		met = load.Cost(banding).Met
	}
	met = min(met, float64(lookupKeys*p.Duplicates.MaxReferences))
	return window.SizingOf(p.window(bands), documents, parts.Stored()-fixed, met), nil
}

// UsualSizing does what SizingOf does, if nothing is known of the documents: they take what bands are planned for.
func UsualSizing(p Params) (window.Sizing, error) {
	p, err := p.Planned()
	if err != nil {
		return window.Sizing{}, err
	}
	made, err := p.Duplicates.NewSketch()
	if err != nil {
		return window.Sizing{}, err
	}
	parts := Parts{Keys: int64(made.Bands()) * entry.KeyBytes, Digest: entry.DigestBytes}
	parts.Evidence = max(0, plannedBytes-fixedBytes(p, made.Bands()))
	return SizingOf(p, parts, int64(p.Duplicates.Remember.documents()), p.Load())
}
