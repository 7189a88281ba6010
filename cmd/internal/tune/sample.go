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
	// Sign signs each document, in order. One that is rejected for its length is empty, as one without text is.
	Sign(p index.Params) ([]entry.Entry, error)
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
	p := t.Params
	p.Duplicates.Shingle, p.Duplicates.Hash = shingle, hash
	shingling, err := p.Duplicates.Shingling()
	if err != nil {
		return nil, err
	}
	var (
		normalizer = text.NewNormalizer(p.Normalize)
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
		sets[i] = slices.Clone(inOrder(hashes, p.Duplicates.Weighted))
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

// Sign signs the documents as the service does.
func (t Texts) Sign(p index.Params) ([]entry.Entry, error) {
	signer, err := index.NewSigner(p)
	if err != nil {
		return nil, err
	}
	entries := make([]entry.Entry, len(t.Documents))
	for i := range entries {
		if t.Scopes != nil {
			entries[i].Scope = t.Scopes[i]
		}
		signer.Sign(&entries[i], t.Documents[i])
		keep(&entries[i], signer)
	}
	return entries, nil
}

// keep keeps an entry when the memory of its signer is used again.
func keep(e *entry.Entry, signer *index.Signer) {
	*e = e.Clone()
	signer.Reset()
}

// Tokens are documents that are already cut: a run of N tokens is a shingle, like one of N words.
type Tokens struct {
	Documents [][][]byte
	Weighted  bool // a shingle counts as often as it occurs
}

// Len is the number of documents.
func (t Tokens) Len() int { return len(t.Documents) }

// Sets returns shingles of the tokens as they are.
func (t Tokens) Sets(shingle, hash string) ([][]uint64, error) {
	sets, err := t.hashes(shingle, hash)
	for i := range sets {
		sets[i] = inOrder(sets[i], t.Weighted)
	}
	return sets, err
}

// Sign signs the tokens as if each were a word. There is no text to keep.
func (t Tokens) Sign(p index.Params) ([]entry.Entry, error) {
	p.Duplicates.Evidence = "shingles"
	signer, err := index.NewSigner(p)
	if err != nil {
		return nil, err
	}
	hashes, err := t.hashes(p.Duplicates.Shingle, p.Duplicates.Hash)
	entries := make([]entry.Entry, len(hashes))
	for i := range entries {
		signer.SignShingles(&entries[i], hashes[i])
		keep(&entries[i], signer)
	}
	return entries, err
}

// hashes returns the hashes of each document's shingles as they follow each other. There are no shingles of characters.
func (t Tokens) hashes(shingle, hash string) ([][]uint64, error) {
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
	all := make([][]uint64, len(t.Documents))
	for i, d := range t.Documents {
		all[i] = shingling.Hashed(h).AppendTokenHashes(nil, d)
	}
	return all, nil
}
