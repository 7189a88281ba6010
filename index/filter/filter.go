package filter

import (
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/setting"
)

// Params are the settings of a filter: those of a service that decide verdicts, in the sections duplicates and
// normalize.
type Params = index.Params

// DefaultParams returns a service's defaults.
func DefaultParams() Params { return index.DefaultParams() }

// Document is what is judged.
type Document struct {
	ID string // names the document in verdicts about its copies; may be empty
	// Text is only read, and may be changed when Judge returns. Judging takes up to a hundred times its bytes of memory, so
	// bound it: a service does at 1 MiB.
	Text []byte
	// Time is when the document arrived, by the clock of your program. The window's time is the latest so far, and begins
	// at 1970. The zero Time moves nothing. A document's own date that lies in the future empties the window, and stops
	// ageing until then: clamp such dates first.
	Time time.Time
	// Scope names what the document is compared within, such as a tenant. The empty one is a scope, too.
	Scope string
}

// Verdict says what became of a document.
type Verdict struct {
	Number int64 // how many documents were judged before it
	// Copy says that the document is a copy of Of. Else the fields of the match are zero.
	Copy bool
	// Reemitted says of a copy that it is to be passed on as a unique document is (duplicates.remember.reemit_every).
	Reemitted bool

	Of         Original
	Similarity float64 // to the original, or to a copy of it with duplicates.compare_copies; to four decimals, rounded down
	Method     string  // by which it was measured: identical, jaccard, estimate, hamming or levenshtein
	Ordinal    uint64  // the original is 1, its first copy 2

	// Empty says that there is no text to compare. The document is unique, whatever was before, and not remembered.
	Empty bool
	// Short says that the text is so short that it would be no copy with one word changed.
	Short bool
	// Cut says that the document is unique by what it was compared with, and that a bound of duplicates (max_candidates,
	// max_references, max_work) left others out.
	Cut bool
}

// Unique says that the document is to be passed on: it is no copy, or one that is re-emitted.
func (v Verdict) Unique() bool { return !v.Copy || v.Reemitted }

// Original is the remembered document that another is a copy of.
type Original struct {
	ID     string
	Number int64
	Time   time.Time // its own, to the millisecond, in UTC
}

// Filter remembers documents and judges others by them.
type Filter struct {
	series *index.Series
	signer *index.Signer
	next   int64 // number of the next document
	entry  [1]entry.Entry
}

// New makes a filter that remembers nothing. The error wraps ErrSettings, and has all that is wrong with the settings.
func New(p Params) (*Filter, error) {
	p, err := checked(p)
	if err == nil {
		p, err = p.Planned()
	}
	if err != nil {
		return nil, fmt.Errorf("make filter: %w", err)
	}
	series, err := index.NewTimedSeries(p, p.Settings())
	if err != nil {
		return nil, fmt.Errorf("make filter: %w", err)
	}
	return newFilter(series, 0)
}

// checked returns p, or all that is wrong with it.
func checked(p Params) (Params, error) {
	p.OwnBounds, p.Duplicates.Signed = false, index.Signed{}
	remember, wrong := p.Duplicates.Remember, p.Validate()
	if remember.Directory != "" {
		wrong = append(wrong, setting.Wrong("duplicates.remember.directory", remember.Directory,
			"has no effect: a filter is in memory", "leave it out, and bound duplicates.remember.memory"))
	}
	if remember.Clock == "event" {
		wrong = append(wrong, setting.Wrong("duplicates.remember.clock", remember.Clock,
			"has no effect: a Document has one time", "write arrival"))
	}
	if d := p.Duplicates; d.Ignore != "" && d.Ignored.Fingerprint == "" {
		wrong = append(wrong, setting.Wrong(index.IgnoreKey, d.Ignore,
			"has no effect: a filter reads no files", "read the list with index/ignore, and set Duplicates.Ignored"))
	}
	if remember.Keys != 0 {
		wrong = append(wrong, setting.Wrong("duplicates.remember.keys", remember.Keys,
			"has no effect: a Document has no idempotency key", "leave it out"))
	}
	return p, refuse(wrong)
}

func newFilter(series *index.Series, next int64) (*Filter, error) {
	signer, err := index.NewSigner(series.Replica().Params())
	if err != nil {
		return nil, fmt.Errorf("make filter: %w", err)
	}
	return &Filter{series: series, signer: signer, next: next}, nil
}

// Judge decides about a document, and remembers it if it is unique. The error wraps ErrTooLong; judging may go on.
func (f *Filter) Judge(d Document) (Verdict, error) {
	e := &f.entry[0]
	*e = entry.Entry{Offset: f.next, Time: d.Time.UnixMilli(), Scope: scope(d.Scope), ID: []byte(d.ID)}
	f.signer.Reset()
	if len(d.Text) > entry.MaxText || !f.signer.Sign(e, d.Text) {
		return Verdict{}, fmt.Errorf("judge document %.100q: %w", d.ID, ErrTooLong)
	}
	f.series.At(e.Time)
	judged, err := f.series.Judge(f.entry[:])
	if err != nil {
		return Verdict{}, fmt.Errorf("judge document %.100q: %w", d.ID, err)
	}
	f.next++
	v := verdict(&judged[0])
	v.Empty, v.Short = e.Empty(), f.signer.Short()
	return v, nil
}

// scope hashes the name of a scope; 0 is that of no name.
func scope(name string) uint64 {
	if name == "" {
		return 0
	}
	return max(1, xxhash.Sum64String(name))
}

func verdict(of *index.Verdict) Verdict {
	v := Verdict{Number: of.Offset, Copy: of.Matched(), Reemitted: of.Reemitted, Cut: of.Cut}
	if m := &of.Match; v.Copy {
		v.Of = Original{ID: m.ID, Number: m.Offset, Time: time.UnixMilli(m.Time).UTC()}
		v.Similarity, v.Method, v.Ordinal = float64(m.Similarity.TenThousandths())/10_000, m.Method.String(), m.Copy
	}
	return v
}

// Stats counts what the filter did since it was made or opened, and what it remembers (Documents, WindowBytes, Memory).
func (f *Filter) Stats() index.Stats { return f.series.Replica().Stats() }
