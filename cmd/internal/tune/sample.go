package tune

import (
	"fmt"
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/text"
)

// Sample is the documents that settings are tried on.
type Sample interface {
	// Len is the number of documents.
	Len() int
	// Sets returns the hashes of each document's shingles, in order: each once, or as often as it occurs if shingles
	// are weighted. A document without text has none.
	Sets(shingle, hash string) ([][]uint64, error)
	// Evidence returns about how many bytes the index keeps of a document to compare it exactly.
	Evidence(shingle, hash string) (float64, error)
}

// Texts are documents as they come in, before they are normalised.
type Texts struct {
	Params    index.Params // without shingle and
	Documents [][]byte
	Scopes    []uint64 // of the documents, which are compared within the same only; nil is one for all
}

// Len is the number of documents.
func (t Texts) Len() int { return len(t.Documents) }

// Sets are made as the service makes them.
func (t Texts) Sets(shingle, hash string) ([][]uint64, error) {
	p := t.params(shingle, hash)
	shingling, err := p.Similarity.Shingling()
	if err != nil {
		return nil, err
	}
	var (
		normalizer = text.NewNormalizer(p.Text)
		normalized []byte
		hashes     []uint64
		sets       = make([][]uint64, len(t.Documents))
	)
	for i, d := range t.Documents {
		normalized = normalizer.Append(normalized[:0], d)
		hashes = shingling.AppendHashes(hashes[:0], normalized)
		if t.Scopes != nil {
			for k := range hashes {
				hashes[k] ^= t.Scopes[i] // so that nothing is shared across scopes, and as much as before within a scope
			}
		}
		sets[i] = slices.Clone(inOrder(hashes, p.Similarity.Weighted))
	}
	return sets, nil
}

// inOrder sorts hashes in place.
func inOrder(hashes []uint64, weighted bool) []uint64 {
	if !weighted {
		return text.Set(hashes)
	}
	slices.Sort(hashes)
	return hashes
}

// measured is the number of documents whose evidence is measured: coding it takes longer than finding duplicates.
const measured = 1000

// Evidence signs some of the documents, taken evenly.
func (t Texts) Evidence(shingle, hash string) (float64, error) {
	p := t.params(shingle, hash)
	p.Similarity.Verify = "jaccard"
	signer, err := index.NewSigner(p)
	if err != nil {
		return 0, err
	}
	bytes, n := 0, 0
	for i := 0; i < len(t.Documents); i += 1 + len(t.Documents)/measured {
		var e entry.Entry
		if signer.Sign(&e, t.Documents[i]) && !e.Empty() {
			bytes += len(e.Evidence)
			n++
		}
		signer.Reset()
	}
	return float64(bytes) / float64(max(1, n)), nil
}

func (t Texts) params(shingle, hash string) index.Params {
	p := t.Params
	p.Similarity.Shingle, p.Similarity.Hash = shingle, hash
	return p
}

// Tokens are documents that are already cut: a run of N tokens is a shingle, like one of N words.
type Tokens struct {
	Documents [][][]byte
	Weighted  bool // a shingle counts as often as it occurs
}

// Len is the number of documents.
func (t Tokens) Len() int { return len(t.Documents) }

// Sets returns shingles of the tokens as they are. There are no shingles of characters.
func (t Tokens) Sets(shingle, hash string) ([][]uint64, error) {
	shingling, err := text.ParseShingling(shingle)
	if err != nil {
		return nil, err
	}
	h, err := text.ParseHash(hash)
	if err != nil {
		return nil, err
	}
	if !shingling.OfWords() {
		return nil, fmt.Errorf("shingle %s: tokens are taken as they are: write word:N, runs of N tokens", shingle)
	}
	var hashes []uint64
	sets := make([][]uint64, len(t.Documents))
	for i, d := range t.Documents {
		hashes = shingling.Hashed(h).AppendTokenHashes(hashes[:0], d)
		sets[i] = slices.Clone(inOrder(hashes, t.Weighted))
	}
	return sets, nil
}

// Evidence returns the size of the sets: there is no text.
func (t Tokens) Evidence(shingle, hash string) (float64, error) {
	sets, err := Tokens{t.Documents[:min(measured, len(t.Documents))], t.Weighted}.Sets(shingle, hash)
	if err != nil {
		return 0, err
	}
	bytes := 0
	for _, set := range sets {
		bytes += len(entry.AppendShingles(nil, set))
	}
	return float64(bytes) / float64(max(1, len(sets))), nil
}
