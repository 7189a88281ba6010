package member

import (
	"context"
	"errors"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// maxLookups bounds how many lookups wait. A lookup takes microseconds, and one is answered between two records. More than
// these wait only if somebody asks for more than the replica can answer. Such callers are better told at once.
const maxLookups = 64

var (
	// ErrBusy says that as many lookups wait as may: ask again later.
	ErrBusy = errors.New("too many lookups wait for the replica")
	// ErrNoReplica says that the replica is not restored yet, or follows the journal no more.
	ErrNoReplica = errors.New("the replica is not at work")
)

// Lookup returns what the index holds at least as similar to e as the threshold, as of the journal offset that the replica has
// come to: see index.Replica.Lookup. The follower answers it between two records, so that applying waits for no lock that a
// lookup holds. It may be called at any time and from any goroutine; the entry, signed under the service's settings, is
// copied. It returns ErrBusy if too many wait, ErrNoReplica after the replica's time, and the cause of ctx.
func (f *Follower) Lookup(ctx context.Context, e *entry.Entry, most int) ([]index.Match, error) {
	own := e.Clone()
	answer := make(chan []index.Match, 1)
	ask := func() {
		if ctx.Err() == nil {
			f.Look(func(r *index.Replica) { answer <- r.Lookup(&own, most) })
		}
	}
	select {
	case <-f.ended:
		return nil, ErrNoReplica
	case f.asks <- ask:
	default:
		return nil, ErrBusy
	}
	select {
	case matches := <-answer:
		return matches, nil
	case <-f.ended:
		return nil, ErrNoReplica
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
