package session

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/protocol"
)

const (
	// grace is how long a session that was ready may be on its way to its partitions again, as in every rebalance.
	grace = 5 * time.Second
	// spareAfter is when a session that the group gives nothing has nothing to do. A new member is given nothing at
	// first, and then, by the next rebalance, what others have given up.
	spareAfter = 2 * time.Second
	// A session that was built anew so often in a row, without a commit and without having lasted, forwards nothing.
	tooManyRebuilds = 5
	lasting         = time.Minute
)

// standing is how a session stands: whether it would forward a document that came now. Its loop and the callbacks of
// its client tell it, the service looks.
type standing struct {
	slot string
	stir func()      // lets the service look
	left atomic.Bool // the group, for good

	mu       sync.Mutex
	lives    time.Time // since when, as it was last built
	owes     time.Time // since when it is on its way to what it is to read; zero: it is there
	spare    time.Time // since when the group gives it nothing; zero: it gives something
	settled  bool      // it has been there since this process takes part
	waits    map[protocol.PartitionName]*wait
	skipped  map[protocol.PartitionName]skip // since this process began
	rebuilds int                             // in a row
	because  error
}

// wait is why a partition is not read.
type wait struct {
	why  string
	told bool
}

func newStanding(slot string, stir func()) *standing {
	return &standing{slot: slot, stir: stir, waits: map[protocol.PartitionName]*wait{}, skipped: map[protocol.PartitionName]skip{}}
}

// change does something with the lock held, and lets the service look.
func (st *standing) change(do func()) {
	st.mu.Lock()
	do()
	st.mu.Unlock()
	st.stir()
}

// opens: the session is built, and is on its way.
func (st *standing) opens(now time.Time) {
	st.change(func() {
		st.lives, st.owes, st.spare = now, now, time.Time{}
		clear(st.waits)
	})
}

// assigned: the group gave partitions, and the steps of an assignment begin.
func (st *standing) assigned(now time.Time) {
	st.change(func() {
		st.spare = time.Time{}
		if st.owes.IsZero() {
			st.owes = now
		}
	})
}

// reads: the steps are taken.
func (st *standing) reads() {
	st.change(func() {
		st.owes, st.settled = time.Time{}, true
		clear(st.waits)
	})
}

// idles: the group gives nothing.
func (st *standing) idles(now time.Time) {
	st.change(func() { st.owes, st.spare = time.Time{}, now })
}

// waitsFor notes that a partition holds up the steps, and says whether that should be told.
func (st *standing) waitsFor(at protocol.PartitionName, why string, since time.Duration) (tell bool) {
	st.change(func() {
		w := st.waits[at]
		if w == nil {
			w = &wait{}
			st.waits[at] = w
		}
		tell = !w.told && since > cluster.StablePatience
		w.why, w.told = why, w.told || tell
	})
	return tell
}

// skips notes what is left out of a partition, and says whether that is news.
func (st *standing) skips(at protocol.PartitionName, k skip) (news bool) {
	st.change(func() {
		was, there := st.skipped[at]
		news = !there || was.from != k.from || was.to != k.to
		st.skipped[at] = k
	})
	return news
}

// fails: the session is closed, and will be built anew. It returns how often that was so in a row.
func (st *standing) fails(now time.Time, because error, committed bool) (inARow int) {
	st.change(func() {
		if committed || now.Sub(st.lives) >= lasting {
			st.rebuilds = 0
		}
		st.rebuilds++
		st.because, inARow = because, st.rebuilds
	})
	return inARow
}

// commits: the session has committed, so earlier failures do not count any more.
func (st *standing) commits() {
	st.mu.Lock()
	was := st.rebuilds
	st.rebuilds = 0
	st.mu.Unlock()
	if was > 0 {
		st.stir()
	}
}

// trouble says what keeps the session from forwarding; empty: nothing does.
func (st *standing) trouble(now time.Time) string {
	st.mu.Lock()
	defer st.mu.Unlock()
	all := st.leftOut()
	if stuck := st.stuck(now); stuck != "" {
		all = append([]string{stuck}, all...)
	}
	return strings.Join(all, "; ")
}

// stuck says what keeps the session from forwarding at this moment. The caller holds mu.
func (st *standing) stuck(now time.Time) string {
	switch {
	case st.rebuilds >= tooManyRebuilds && now.Sub(st.lives) < lasting:
		return fmt.Sprintf("session %s was built anew %d times in a row, and committed nothing: %v", st.slot, st.rebuilds, st.because)
	case st.settled && (st.owes.IsZero() || now.Sub(st.owes) < grace):
		return ""
	case st.owes.IsZero() && !st.spare.IsZero() && now.Sub(st.spare) >= spareAfter:
		return ""
	case len(st.waits) > 0:
		return "session " + st.slot + " waits: " + strings.Join(st.waiting(), "; ")
	}
	return "session " + st.slot + " has not got its partitions yet"
}

// waiting names the partitions that are not read. The caller holds mu.
func (st *standing) waiting() []string {
	names := make([]string, 0, len(st.waits))
	for at, w := range st.waits {
		names = append(names, at.String()+": "+w.why)
	}
	slices.Sort(names)
	return names
}

// mostNamed is how many partitions of which something was skipped are named.
const mostNamed = 10

// leftOut names what was skipped, and what to do. The caller holds mu.
func (st *standing) leftOut() []string {
	all := make([]string, 0, len(st.skipped)+1)
	for at, k := range st.skipped {
		all = append(all, at.String()+": "+k.String())
	}
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	if more := len(all) - mostNamed; more > 0 {
		all = append(all[:mostNamed], fmt.Sprintf("and of %d more partitions", more))
	}
	return append(all, skippedRemedy)
}

// Standing is whether a process would forward a document that came now, and if not, why.
type Standing struct {
	Trouble string // what keeps it from that; empty: nothing does
	InARow  int    // rebuilds of a session without a commit between them, the most of any
}

// Stand sums the sessions up.
func Stand(sessions []*Session, now time.Time) Standing {
	var all Standing
	var troubles []string
	for _, s := range sessions {
		if t := s.standing.trouble(now); t != "" {
			troubles = append(troubles, t)
		}
		s.standing.mu.Lock()
		all.InARow = max(all.InARow, s.standing.rebuilds)
		s.standing.mu.Unlock()
	}
	all.Trouble = strings.Join(troubles, "; ")
	return all
}
