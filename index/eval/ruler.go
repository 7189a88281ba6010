package eval

import "github.com/unecho/unecho/index/text"

// A Ruler makes the sets of shingles whose Jaccard similarity is that of documents. It is not safe for concurrent use.
type Ruler struct {
	normalizer *text.Normalizer
	shingling  text.Shingling
	normal     []byte
}

// NewRuler makes a Ruler by settings that are valid.
func NewRuler(p text.Params, shingling text.Shingling) *Ruler {
	return &Ruler{normalizer: text.NewNormalizer(p), shingling: shingling}
}

// Set returns the set of a document, sorted, in the memory of dst.
func (r *Ruler) Set(dst []uint64, document []byte) []uint64 {
	r.normal = r.normalizer.Append(r.normal[:0], document)
	return text.Set(r.shingling.AppendHashes(dst[:0], r.normal))
}
