package dedup

import (
	"context"
	"errors"
	"fmt"

	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/paging"
	"github.com/unecho/unecho/index/setting"
)

// ErrMemory is returned if the documents exceed the memory bound: from then on, old ones would be forgotten and copies
// missed.
var ErrMemory = errors.New("the index outgrew its memory")

// IndexParams say how documents are judged.
type IndexParams struct {
	Index index.Params // the window's bounds do not apply, as files have no time
	// canonical text of the settings that decide verdicts; a saved index is loaded only under the same
	Settings []byte
	Memory   setting.Bytes // bytes that the index may take
	// A document is compared with all before it, copies too, rather than with the unique ones, as far as that is needed to
	// find its cluster; wants duplicates.compare_copies: true. Documents of equal text are compared as one.
	All   bool
	Every bool // with All: a document has all its matches, with their similarities
	Pairs bool // with Every: those with documents of equal text as well, each by itself
	// where old documents lie when they take more than Memory; nil: they must fit
	Directory *files.Directory
	// called when that much of a saved index is read; nil: nobody asks
	Shown func(stage string, done, total int64)
}

// bound is what the window may count; 0 is no bound.
func (p *IndexParams) bound() setting.Bytes {
	if p.Directory != nil {
		return 0
	}
	return p.Memory
}

// begun fixes the settings that are left open, as those of a saved index if there is one.
func (p *IndexParams) begun(saved []byte) (err error) {
	p.Index, err = p.Index.ForFiles(saved)
	p.Settings = p.Index.Written(p.Settings)
	return err
}

// Index is the judge that uses a Series, which has a replica of its own. It holds no verdict for longer than a run. A
// document's number is its offset there.
type Index struct {
	numbered
	params   IndexParams
	series   *index.Series
	replica  *index.Replica // that of the series
	kept     int            // number of documents that the window must hold
	found    matches
	chains   *chains     // nil unless all matches are wanted
	copies   copies      // nil unless pairs are wanted
	unlisted uint64      // documents with more copies than are listed
	places   report.Rows // of the documents of its file

	pager  paging.Pager
	paged  bool   // old documents lie in files from now on
	begins func() // called when they begin to; may be nil
	sealed int    // segments that no block covered when that was looked at last
}

// NewIndex builds an Index without documents. The caller must have validated the Params.
func NewIndex(p IndexParams) (*Index, error) {
	if err := p.begun(nil); err != nil {
		return nil, fmt.Errorf("make an index: %w", err)
	}
	series, err := index.NewSeries(p.Index, p.bound(), p.Settings)
	if err != nil {
		return nil, fmt.Errorf("make an index: %w", err)
	}
	return newIndex(p, series), nil
}

func newIndex(p IndexParams, series *index.Series) *Index {
	x := &Index{params: p, series: series, replica: series.Replica()}
	x.pager = paging.Pager{Replica: x.replica, Directory: p.Directory, Mend: x.lost}
	series.ApplyBy(func(at index.Stamp, rec index.Record) (index.Effect, error) {
		return x.pager.Apply(context.Background(), at, rec) // to its end
	})
	if p.Directory != nil { // segments are as large as those of a window that the memory bounds
		x.replica.Reshape(1<<16, int(min(max(p.Memory/128, 1<<18), 16<<20)))
	}
	if p.All {
		x.chains = newChains(x.replica, p.Every)
	}
	if p.All && p.Pairs {
		x.copies = copies{}
	}
	return x
}

// Params are the settings of the index: those that were given, with what they left open.
func (x *Index) Params() index.Params { return x.params.Index }

// Begin makes the documents judged so far the index that the following documents are compared with.
func (x *Index) Begin() {
	x.numbered.Begin()
	if x.chains != nil {
		x.chains.apart = false
	}
}

// beginIndex says that the documents to come are those of the index: they are not compared with each other.
func (x *Index) beginIndex() {
	if x.chains != nil {
		x.chains.apart = true
	}
}

// Stats are those of the replica, and of what is listed beside it.
func (x *Index) Stats() index.Stats {
	s := x.replica.Stats()
	s.Cuts.Candidates += x.unlisted
	return s
}

// mostEntries is how many entries are judged at once. A chunk of texts of 1 kB and more has no more.
const mostEntries = 256

// atOnce returns 1 if a document may match all before it, or each comparison may take long.
func (x *Index) atOnce() int {
	if x.params.All || x.params.Index.Duplicates.Verify == "levenshtein" {
		return 1
	}
	return mostEntries
}

// apply judges entries whose offsets ascend from call to call, and returns their matches.
func (x *Index) apply(ctx context.Context, s *signed) (*matches, error) {
	x.found.reset()
	if err := x.judge(s.entries); err != nil {
		return nil, err
	}
	if x.chains != nil {
		x.addNear(&s.entries[0])
	}
	return &x.found, x.keep(ctx)
}

// addNear adds all matches of the document that was judged last.
func (x *Index) addNear(e *entry.Entry) {
	near, cut := x.chains.near, x.chains.cut
	if e.Empty() {
		near, cut = nil, false
	}
	if x.copies != nil {
		if x.copies.add(&x.found, e, near, x.params.Index.Duplicates.MaxCandidates) {
			cut = true
			x.unlisted++
		}
	} else {
		for i := range near {
			n := &near[i]
			x.found.add(n.Offset, n.ID, n.Similarity, n.Method)
		}
	}
	x.found.next(cut)
}

func (x *Index) judge(entries []entry.Entry) error {
	judged, err := x.series.Judge(entries)
	if err != nil {
		return err
	}
	if x.chains != nil && !entries[0].Empty() {
		x.chains.enter()
	}
	for i := range judged {
		v := &judged[i]
		if !entries[i].Empty() && (!v.Matched() || x.params.Index.Duplicates.CompareCopies && (x.chains == nil || !x.chains.same)) {
			x.kept++
		}
		if x.chains != nil {
			continue
		}
		if m := &v.Match; v.Matched() {
			x.found.add(m.Offset, []byte(m.ID), m.Similarity, m.Method)
		}
		x.found.next(v.Cut)
	}
	if x.params.Directory == nil && x.replica.Stats().Documents < x.kept {
		return x.full(entries[len(entries)-1].Offset)
	}
	return nil
}

func (x *Index) full(documents int64) error {
	return fmt.Errorf("%w of %s after %d documents", ErrMemory, x.params.Memory, documents)
}

// Judge decides about documents in their order: an *Index at once, *EachPair at the end.
type Judge interface {
	// Begin makes the documents judged so far the index that the following documents are compared with.
	Begin()
	// First is the number of the first document since Begin: those with lower numbers belong to the index.
	First() int64
	// Next is the number of the next document.
	Next() int64

	// atOnce returns the most entries that apply accepts: their matches are in memory together, and a run that is
	// stopped waits for them.
	atOnce() int
	// apply judges entries whose offsets, the numbers of the documents, ascend from call to call, and returns their
	// matches as far as they are known. These are valid until the next call. It is not broken off when ctx is done.
	apply(ctx context.Context, s *signed) (*matches, error)
	// reach tells the judge that all documents below that number have been given, except for the rejected ones.
	reach(number int64)
}

// numbered are the numbers that a judge gives to documents.
type numbered struct {
	next  int64 // that of the next one
	first int64 // that of the first one since Begin
}

// Begin implements Judge, as the others do.
func (n *numbered) Begin() { n.first = n.next }

func (n *numbered) First() int64 { return n.first }

func (n *numbered) Next() int64 { return n.next }

func (n *numbered) reach(number int64) { n.next = number }
