package labelled

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/unecho/unecho/cmd/internal/reports"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
	"github.com/unecho/unecho/internal/corpus"
	"github.com/unecho/unecho/sink"
)

// Documents are the documents of eval, as far as they are compared.
type Documents struct {
	similarity index.SimilarityParams
	normalizer *text.Normalizer
	text       text.Params // how documents are normalised
	shingling  text.Shingling
	sketch     sketch.Sketch
	empty      *document.Rejection // rejection of a document without text; nil if it is not rejected
	numbers    map[string]int
	names      []string
	sets       [][]uint64 // a rejected document has none, like an empty one
	scopes     []uint64
	texts      [][]byte // normalised, if they are what is compared
	rejected   reports.Rejections
	raw        [][]byte // documents as they came in, if they are kept
	keepsRaw   bool
}

// New builds an empty Documents for documents that are compared by these settings.
func New(judge index.Params, p document.Params) (*Documents, error) {
	judge, err := judge.Planned()
	if err != nil {
		return nil, err
	}
	similarity := judge.Similarity
	shingling, err := similarity.Shingling()
	if err != nil {
		return nil, err
	}
	signs, err := similarity.NewSketch()
	if err != nil {
		return nil, err
	}
	reader, err := document.New(p)
	if err != nil {
		return nil, err
	}
	return &Documents{
		similarity: similarity, normalizer: text.NewNormalizer(judge.Text), text: judge.Text, shingling: shingling, sketch: signs,
		empty: reader.EmptyRejection(), numbers: map[string]int{},
	}, nil
}

// KeepTexts has the documents that come be kept as they come in, to be shown.
func (d *Documents) KeepTexts() { d.keepsRaw = true }

// Len returns the number of documents.
func (d *Documents) Len() int { return len(d.names) }

// TellRejected reports how many would be rejected, and why the first of them.
func (d *Documents) TellRejected(out io.Writer) { d.rejected.Tell(out, ", and so like no other") }

// Add takes the next document.
func (d *Documents) Add(name string, r *corpus.Record) error {
	if other, twice := d.numbers[name]; twice {
		return fmt.Errorf("documents %d and %d have the same id %q: labels could mean either", other+1, len(d.names)+1, name)
	}
	d.numbers[name] = len(d.names)
	d.names = append(d.names, name)
	set, normalized, bad := d.compared(r)
	d.rejected.Add(name, bad)
	d.keep(set, r.Scope, normalized)
	if d.keepsRaw {
		d.raw = append(d.raw, slices.Clone(r.Text))
	}
	return nil
}

// compared returns the compared part of a document, and nothing of a rejected one.
func (d *Documents) compared(r *corpus.Record) (set []uint64, normalized []byte, bad *document.Rejection) {
	if r.Bad != nil {
		return nil, nil, r.Bad
	}
	normalized = d.normalizer.Append(nil, r.Text)
	if len(normalized) > entry.MaxText {
		return nil, nil, &document.Rejection{Reason: sink.TooLarge, Detail: "the text is too long when normalised"}
	}
	if set = d.shingling.AppendHashes(nil, d.similarity.Compared(normalized)); len(set) == 0 {
		return nil, nil, d.empty
	}
	return set, normalized, nil
}

func (d *Documents) keep(set []uint64, scope uint64, normalized []byte) {
	if d.similarity.Repeated() {
		slices.Sort(set)
	} else {
		set = text.Set(set)
	}
	d.sets = append(d.sets, slices.Clip(set))
	d.scopes = append(d.scopes, scope)
	if d.similarity.Verify == "levenshtein" {
		d.texts = append(d.texts, slices.Clone(index.FrontOf(normalized)))
	}
}

func (d *Documents) trial() *eval.Trial { return eval.NewTrial(d.sketch, d.sets, d.scopes) }

// pairs returns the pairs that the service would find, unless they are too many to compare or to keep.
func (d *Documents) pairs(trial *eval.Trial, mostCandidates, mostPairs int) ([]eval.Pair, error) {
	verified := d.verified(trial)
	pairs, err := trial.Pairs(func(a, b int) bool { return d.scopes[a] == d.scopes[b] && verified(a, b) }, mostCandidates,
		mostPairs)
	switch {
	case errors.Is(err, eval.ErrPairs):
		err = fmt.Errorf("%w: %s", err, fewerPairs)
	case errors.Is(err, eval.ErrCandidates):
		err = fmt.Errorf("%w: take longer shingles (--shingle), a higher --threshold, or fewer documents", err)
	}
	return pairs, err
}

// fewerPairs is the remedy for too many of them.
const fewerPairs = "many are copies of each other: keep one of each, as `unecho dedup --threshold 1` does, or take " +
	"fewer documents"

// verified returns the function by which the service verifies candidates.
func (d *Documents) verified(trial *eval.Trial) func(a, b int) bool {
	p := d.similarity
	threshold := int(p.Threshold*eval.Scale + 0.5)
	switch p.Verify {
	case "estimate":
		bar := eval.Bar(p.Least())
		return func(a, b int) bool { return trial.Reached(bar, a, b) }
	case "levenshtein":
		var l sketch.Levenshtein
		return func(a, b int) bool {
			num, den := l.Similarity(d.texts[a], d.texts[b], threshold)
			return sketch.AtLeast(num, den, threshold)
		}
	}
	return eval.Exactly(d.sets, threshold)
}
