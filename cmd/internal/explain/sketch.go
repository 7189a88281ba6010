package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// sketched is a document's sketch and keys. Its JSON is a promise to scripts.
type sketched struct {
	ID       string   `json:"id"`
	Sketch   string   `json:"sketch"`
	Keys     []string `json:"keys"`
	Shingles int      `json:"shingles"` // how many different ones
}

// writeText writes a line of columns: id, sketch, keys.
func (d sketched) writeText(out io.Writer) error {
	_, err := out.Write(outfile.AppendTSV(nil, d.ID, d.Sketch, strings.Join(d.Keys, " ")))
	return err
}

// writeJSON writes a line of JSON.
func (d sketched) writeJSON(out io.Writer) error { return terminal.WriteJSON(out, d) }

// signer signs documents one after the other.
type signer struct {
	params     index.Params
	normalizer *text.Normalizer
	shingling  text.Shingling
	scheme     sketch.Scheme
	sketch     sketch.Sketch
}

// newSigner makes a signer for these settings.
func newSigner(p index.Params) (*signer, error) {
	p, err := p.Planned()
	if err != nil {
		return nil, err
	}
	shingling, err := p.Duplicates.Shingling()
	if err != nil {
		return nil, err
	}
	scheme, params, err := p.Duplicates.Scheme()
	if err != nil {
		return nil, err
	}
	s, err := scheme.New(params)
	if err != nil {
		return nil, err
	}
	return &signer{params: p, normalizer: text.NewNormalizer(p.Normalize), shingling: shingling, scheme: scheme, sketch: s}, nil
}

func (s *signer) shingles(document []byte) []uint64 {
	return s.shingling.AppendHashes(nil, s.params.Duplicates.Compared(s.normalizer.Append(nil, document)))
}

// sign signs a document. A document without text gets neither sketch nor keys.
func (s *signer) sign(id string, document []byte, scope uint64) sketched {
	hashes := s.shingles(document)
	if len(hashes) == 0 {
		return sketched{ID: id, Keys: []string{}}
	}
	s.sketch.Sign(hashes)
	out := sketched{ID: id, Shingles: len(text.Set(hashes)), Sketch: s.scheme.Text(s.sketch.AppendCodes(nil))}
	for key := range slices.Chunk(s.sketch.AppendKeys(nil, scope, entry.KeyBytes), entry.KeyBytes) {
		out.Keys = append(out.Keys, fmt.Sprintf("%x", key))
	}
	return out
}
