package ignore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/text"
)

// List is what stands in many documents of a sample.
type List struct {
	Documents int      // of the sample that differ from each other
	Share     float64  // of them, which a shingle exceeds
	Passages  []string // in their normal form, the most common first
}

// header is the first line of a list.
type header struct {
	Unecho    string            `json:"unecho"`
	Version   int               `json:"version"`
	Settings  map[string]string `json:"settings"`
	Documents int               `json:"documents"`
	Share     float64           `json:"share"`
}

const (
	kind    = "common"
	version = 1
)

// madeBy returns the settings that decide what a passage looks like, and which shingles it has. How shingles become numbers,
// and how a text is taken out of HTML, does not.
func madeBy(p index.Params) map[string]string {
	n := p.Normalize
	return map[string]string{
		"duplicates.shingle": p.Duplicates.Shingle,
		"normalize.urls":     n.URLs, "normalize.ids": n.IDs, "normalize.accents": n.Accents, "normalize.digits": n.Digits,
		"normalize.punctuation": n.Punctuation, "normalize.space": n.Space,
	}
}

// Append appends the file of a list that was found by these settings.
func (l *List) Append(dst []byte, p index.Params) ([]byte, error) {
	first, err := json.Marshal(header{kind, version, madeBy(p), l.Documents, l.Share})
	dst = append(append(dst, first...), '\n')
	for _, passage := range l.Passages {
		dst = append(append(dst, passage...), '\n')
	}
	return dst, err
}

// MaxBytes bounds the file of a list.
const MaxBytes = 16 << 20

// Remake is what to do where a list does not serve.
const Remake = "make it again by the settings here (unecho common); a group that runs keeps the list that it has"

// Read reads the file of a list, from which people may have deleted lines. What an editor does to the ends of lines, or to the
// beginning of the file, makes no other list. The error says why it is none for these settings.
func Read(p index.Params, file []byte) (text.Ignored, error) {
	first, lines, _ := bytes.Cut(bytes.TrimPrefix(file, []byte("\ufeff")), []byte("\n"))
	var h header
	if err := json.Unmarshal(first, &h); err != nil || h.Unecho != kind {
		return text.Ignored{}, errors.New("is no list of unecho common: its first line does not say so")
	}
	if h.Version != version {
		return text.Ignored{}, fmt.Errorf("is of version %d, and this unecho reads version %d", h.Version, version)
	}
	if differ := difference(h.Settings, madeBy(p)); len(differ) > 0 {
		return text.Ignored{}, errors.New("was made by other settings: " + strings.Join(differ, "; "))
	}
	r, err := newReading(p)
	if err != nil {
		return text.Ignored{}, err
	}
	var hashes []uint64
	sum := sha256.New()
	for line := range bytes.Lines(lines) {
		hashes = append(hashes, r.shingles(line)...)
		if len(r.normalized) > 0 {
			fmt.Fprintf(sum, "%s\n", r.normalized) // a hash takes everything
		}
	}
	if len(hashes) == 0 {
		return text.Ignored{}, errors.New("has no passage")
	}
	return text.Ignore("sha256:"+hex.EncodeToString(sum.Sum(nil)[:8]), hashes), nil
}

func difference(theirs, ours map[string]string) (lines []string) {
	for _, key := range slices.Sorted(maps.Keys(ours)) {
		if theirs[key] != ours[key] {
			lines = append(lines, fmt.Sprintf("%s is %s there, and %s here", key, theirs[key], ours[key]))
		}
	}
	return lines
}

// reading makes shingles of texts.
type reading struct {
	normalizer *text.Normalizer
	shingling  text.Shingling
	normalized []byte
	hashes     []uint64
}

// newReading reads passages: they are no HTML, and none is cut.
func newReading(p index.Params) (reading, error) {
	p.Duplicates.Ignored = text.Ignored{}
	p.Normalize.HTML, p.Normalize.MaxBytes = "keep", 0
	shingling, err := p.Duplicates.Shingling()
	return reading{normalizer: text.NewNormalizer(p.Normalize), shingling: shingling}, err
}

// shingles returns the hashes of a text's shingles, which are valid until the next call.
func (r *reading) shingles(document []byte) []uint64 {
	r.normalized = r.normalizer.Append(r.normalized[:0], document)
	r.hashes = r.shingling.AppendHashes(r.hashes[:0], r.normalized)
	return r.hashes
}
