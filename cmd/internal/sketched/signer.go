package sketched

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/cmd/internal/written"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// Document is a document's sketch and keys. Its JSON is a promise to scripts.
type Document struct {
	ID       string   `json:"id"`
	Sketch   string   `json:"sketch"`
	Keys     []string `json:"keys"`
	Shingles int      `json:"shingles"` // how many different ones
}

// WriteText writes a line of columns: id, sketch, keys.
func (d Document) WriteText(out io.Writer) error {
	_, err := out.Write(written.AppendTSV(nil, d.ID, d.Sketch, strings.Join(d.Keys, " ")))
	return err
}

// WriteJSON writes a line of JSON.
func (d Document) WriteJSON(out io.Writer) error { return terminal.WriteJSON(out, d) }

// Signer signs documents one after the other.
type Signer struct {
	params     index.Params
	normalizer *text.Normalizer
	shingling  text.Shingling
	scheme     sketch.Scheme
	sketch     sketch.Sketch
}

// New makes a Signer for these settings.
func New(p index.Params) (*Signer, error) {
	p, err := p.Planned()
	if err != nil {
		return nil, err
	}
	shingling, err := p.Similarity.Shingling()
	if err != nil {
		return nil, err
	}
	scheme, params, err := p.Similarity.Scheme()
	if err != nil {
		return nil, err
	}
	s, err := scheme.New(params)
	if err != nil {
		return nil, err
	}
	return &Signer{params: p, normalizer: text.NewNormalizer(p.Text), shingling: shingling, scheme: scheme, sketch: s}, nil
}

func (s *Signer) shingles(document []byte) []uint64 {
	return s.shingling.AppendHashes(nil, s.params.Similarity.Compared(s.normalizer.Append(nil, document)))
}

// Sign signs a document. A document without text gets neither sketch nor keys.
func (s *Signer) Sign(id string, document []byte, scope uint64) Document {
	hashes := s.shingles(document)
	if len(hashes) == 0 {
		return Document{ID: id, Keys: []string{}}
	}
	s.sketch.Sign(hashes)
	out := Document{ID: id, Shingles: len(text.Set(hashes)), Sketch: s.scheme.Text(s.sketch.AppendCodes(nil))}
	width := s.params.Similarity.KeyBytes
	for key := range slices.Chunk(s.sketch.AppendKeys(nil, scope, width), width) {
		out.Keys = append(out.Keys, fmt.Sprintf("%x", key))
	}
	return out
}
