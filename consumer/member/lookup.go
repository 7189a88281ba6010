package member

import (
	"context"
	"errors"
	"fmt"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

// Bounds of lookups.
const (
	// maxLookups bounds how many lookups wait. The follower's part of one takes microseconds, and it does one between
	// two records. More than these wait only if somebody asks for more than the replica can answer. Such callers are
	// better told at once.
	maxLookups = 64
	// maxEvidence is what the candidates of one lookup may hold, in bytes: copying it takes the follower some 100 us.
	// That of ordinary documents is some 10 KiB.
	maxEvidence = 1 << 20
	// comparersKept is how many comparers are kept for later lookups.
	comparersKept = 4
)

var (
	// ErrBusy says that as many lookups wait as may: ask again later.
	ErrBusy = errors.New("too many lookups wait for the replica")
	// ErrNoReplica says that the replica is not restored yet, or follows the journal no more.
	ErrNoReplica = errors.New("the replica is not at work")
	// ErrTooMuch says that the documents that a text may be like are too large to compare it with them beside the journal.
	ErrTooMuch = errors.New("the documents that the text may be like hold too much to be compared beside the journal")
)

// Lookup returns what the index holds at least as similar to e as the threshold, or else the nearest that it was
// compared with, as of the journal offset that the replica has come to: see index.Replica.Inquire. The follower finds
// the candidates between two records, so that applying waits for no lock that a lookup holds; the caller's goroutine
// compares them. Lookup may be called at any time and from any goroutine; the entry, signed under the service's
// settings, is copied. It returns ErrBusy if too many wait, ErrTooMuch, ErrNoReplica after the replica's time, and the
// cause of ctx.
func (f *Follower) Lookup(ctx context.Context, e *entry.Entry, most int) (index.Answer, error) {
	own := e.Clone()
	type inquired struct {
		*index.Inquiry
		error
	}
	found := make(chan inquired, 1)
	ask := func() {
		if ctx.Err() == nil {
			q, err := f.old.inquire(ctx, &own)
			found <- inquired{q, err}
		}
	}
	select {
	case <-f.ended:
		return index.Answer{}, ErrNoReplica
	case f.asks <- ask:
	default:
		return index.Answer{}, ErrBusy
	}
	select {
	case q := <-found:
		if q.error != nil {
			return index.Answer{}, q.error
		}
		return f.compare(q.Inquiry, most)
	case <-f.ended:
		return index.Answer{}, ErrNoReplica
	case <-ctx.Done():
		return index.Answer{}, context.Cause(ctx)
	}
}

// inquire finds the candidates of an entry. A file that cannot be read is no reason to hold up the journal.
func (o *old) inquire(ctx context.Context, e *entry.Entry) (*index.Inquiry, error) {
	o.f.mu.Lock()
	defer o.f.mu.Unlock()
	defer o.f.replica.Files().Done()
	for {
		o.f.replica.Files().Again()
		q, ok := o.f.replica.Inquire(e, maxEvidence)
		wanted := o.f.replica.Files().Wanted()
		switch {
		case len(wanted) == 0 && !ok:
			return nil, ErrTooMuch
		case len(wanted) == 0:
			return q, nil
		}
		for name, err := range o.pager.Give(ctx, wanted) {
			return nil, fmt.Errorf("look up among old documents: segment %s: %w", name, err)
		}
	}
}

// comparer is a Comparer, and by what it compares.
type comparer struct {
	*compare.Comparer
	by index.DuplicatesParams
}

// compare answers an inquiry with a comparer that nobody else uses meanwhile.
func (f *Follower) compare(q *index.Inquiry, most int) (index.Answer, error) {
	var c *comparer
	select {
	case c = <-f.comparers:
	default:
	}
	if p := f.Reading().Params; c == nil || c.by != p.Duplicates { // bounds were changed since it was made
		made, err := index.NewComparer(p)
		if err != nil {
			return index.Answer{}, fmt.Errorf("look up: %w", err)
		}
		c = &comparer{made, p.Duplicates}
	}
	a := q.Answer(c.Comparer, most)
	select {
	case f.comparers <- c:
	default:
	}
	return a, nil
}
