package standing

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/measure"
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

// Session is how a session stands. It is safe for concurrent use: the loop and the callbacks of the client tell it.
type Session struct {
	slot     string
	stir     func() // lets the service look
	counters *measure.Counters

	mu       sync.Mutex
	lives    time.Time // since when, as it was last built
	owes     time.Time // since when it is on its way to what it is to read; zero: it is there
	spare    time.Time // since when the group gives it nothing; zero: it gives something
	taken    time.Time // by when the outputs should have taken what is written to them; zero: nothing is
	settled  bool      // it has been there since this process takes part
	waits    map[protocol.PartitionName]*wait
	skipped  map[protocol.PartitionName]skip // since this process began
	rebuilds int                             // in a row
	because  error
	of       map[protocol.PartitionName]reach // that the group gave
	counted  int                              // of these, in the counters
}

// wait is why a partition is not read.
type wait struct {
	why  string
	told bool
}

// skip is what somebody else's commit had the group leave out, at most.
type skip struct{ from, to int64 }

// New is how a session stands that is not built yet. What others look at is stirred.
func New(slot string, stir func(), counters *measure.Counters) *Session {
	return &Session{
		slot: slot, stir: stir, counters: counters,
		waits: map[protocol.PartitionName]*wait{}, skipped: map[protocol.PartitionName]skip{}, of: map[protocol.PartitionName]reach{},
	}
}

// change does something with the lock held, and lets the service look.
func (st *Session) change(do func()) {
	st.mu.Lock()
	do()
	st.mu.Unlock()
	st.stir()
}

// Opens notes that the session is built, and is on its way. The partitions that it had are counted until others are given.
func (st *Session) Opens(now time.Time) {
	st.change(func() {
		st.lives, st.owes, st.spare = now, now, time.Time{}
		clear(st.waits)
		clear(st.of)
	})
}

// Assigned notes that the group gave partitions, and the steps of an assignment begin.
func (st *Session) Assigned(now time.Time) {
	st.change(func() {
		st.spare = time.Time{}
		if st.owes.IsZero() {
			st.owes = now
		}
	})
}

// Reads notes that the steps are taken.
func (st *Session) Reads() {
	st.change(func() {
		st.owes, st.settled = time.Time{}, true
		clear(st.waits)
	})
}

// Idles notes that the group gives nothing.
func (st *Session) Idles(now time.Time) {
	st.change(func() { st.owes, st.spare = time.Time{}, now })
}

// WaitsFor notes that a partition holds up the steps, and says whether that should be told.
func (st *Session) WaitsFor(at protocol.PartitionName, why string, since time.Duration) (tell bool) {
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

// Writes notes by when the outputs should have taken what is written to them now; zero: nothing is.
func (st *Session) Writes(by time.Time) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.taken = by
}

// Skips notes what somebody else's commit has left out of a partition, at most. It says whether that is news.
func (st *Session) Skips(at protocol.PartitionName, from, to int64) (news bool) {
	st.change(func() {
		was, there := st.skipped[at]
		news = !there || was != skip{from, to}
		st.skipped[at] = skip{from, to}
	})
	return news
}

// Fails notes that the session is closed, and will be built anew. It returns how often that was so in a row.
func (st *Session) Fails(now time.Time, because error, committed bool) (inARow int) {
	st.change(func() {
		if committed || now.Sub(st.lives) >= lasting {
			st.rebuilds = 0
		}
		st.rebuilds++
		st.because, inARow = because, st.rebuilds
	})
	return inARow
}

// Commits notes that the session has committed: earlier failures do not count any more. Last are the timestamps of the last
// documents.
func (st *Session) Commits(last iter.Seq2[protocol.PartitionName, time.Time]) {
	st.mu.Lock()
	st.reached(last)
	was := st.rebuilds
	st.rebuilds = 0
	st.mu.Unlock()
	if was > 0 {
		st.stir()
	}
}

// trouble says what keeps the session from forwarding; empty: nothing does. It says as well how often the session was
// rebuilt in a row.
func (st *Session) trouble(now time.Time) (trouble string, rebuilds int) {
	st.mu.Lock()
	defer st.mu.Unlock()
	all := st.leftOut()
	if stuck := st.stuck(now); stuck != "" {
		all = append([]string{stuck}, all...)
	}
	return strings.Join(all, "; "), st.rebuilds
}

// stuck says what keeps the session from forwarding at this moment. The caller holds mu.
func (st *Session) stuck(now time.Time) string {
	switch {
	case st.rebuilds >= tooManyRebuilds && now.Sub(st.lives) < lasting:
		return fmt.Sprintf("session %s was built anew %d times in a row, and committed nothing: %v", st.slot, st.rebuilds, st.because)
	case !st.taken.IsZero() && now.After(st.taken):
		return "the outputs take nothing of session " + st.slot + ": see that their brokers are up, can be reached from here (the " +
			"log names one that cannot), and that as many are in sync as min.insync.replicas asks for (kafka-topics.sh --describe " +
			"--under-min-isr-partitions)"
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
func (st *Session) waiting() []string {
	names := make([]string, 0, len(st.waits))
	for at, w := range st.waits {
		names = append(names, at.String()+": "+w.why)
	}
	slices.Sort(names)
	return names
}

// mostNamed is how many partitions of which something was skipped are named.
const mostNamed = 10

// SkippedRemedy does not name the offset to go back to: what was forwarded last may not be announced in the journal, and
// would come out twice. The audit knows what is in the outputs.
const SkippedRemedy = "unecho audit names which of them nobody judged, and the command that has them judged; if it was " +
	"meant, start this member again"

// leftOut names what was skipped, and what to do. The caller holds mu.
func (st *Session) leftOut() []string {
	all := make([]string, 0, len(st.skipped)+1)
	for at, k := range st.skipped {
		all = append(all, fmt.Sprintf("%s: somebody else has committed offset %d, and those from %d on may have been judged by nobody",
			at, k.to, k.from))
	}
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	if more := len(all) - mostNamed; more > 0 {
		all = append(all[:mostNamed], fmt.Sprintf("and of %d more partitions", more))
	}
	return append(all, SkippedRemedy)
}

// Summary is whether a process would forward a document that came now, and if not, why.
type Summary struct {
	Trouble string // what keeps it from that; empty: nothing does
	InARow  int    // rebuilds of a session without a commit between them, the most of any
}

// Sum sums the sessions of a process up.
func Sum(sessions []*Session, now time.Time) (all Summary) {
	var troubles []string
	for _, st := range sessions {
		trouble, rebuilds := st.trouble(now)
		if trouble != "" {
			troubles = append(troubles, trouble)
		}
		all.InARow = max(all.InARow, rebuilds)
	}
	all.Trouble = strings.Join(troubles, "; ")
	return all
}
