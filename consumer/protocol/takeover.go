package protocol

import (
	"time"

	"github.com/unecho/unecho/index"
)

// Ask is what a takeover needs next. The values stand in the order of the steps.
type Ask int

// What a takeover asks for, and the method that answers.
const (
	AskEnd        Ask = iota // the end of the journal, as it is now: JournalEnd
	AskReached               // that the replica has applied every record below Until: Reached
	AskOffset                // the committed offset, fetched as RequireStable says: Offset
	AskExtent                // where the partition begins and ends: Extent, or NoLeader
	AskCommit                // that the group commits Decision.Offset with Metadata: Begun
	AskReposition            // that Reposition is appended to the journal: Appended
	AskApply                 // as AskReached, of the reposition: Applied
	AskPause                 // that a moment passes: Resume
	Outdated                 // nothing: another routing is in force than the Terms say. It stands before what a takeover of another partition may have come to, because it ends the session
	Taken                    // nothing: Assignment may be read
	Leaderless               // nothing: the partition has no leader, and cannot be read now
	Refused                  // nothing: a person is needed, and Decision.Reason says why
)

// RequireStable says that a committed offset is fetched only when no transaction is open on it. A member that is gone
// may still commit, or the markers of its transaction may be on their way (design 4, rule 4).
const RequireStable = true

// Terms are the settings by which a session takes partitions over.
type Terms struct {
	Routed            uint64 // the hash of the routes by which the session works
	Duty              Duty   // by these routes
	Latest            bool   // sources.start: latest
	AcceptLostOffsets bool   // go on from base where the committed offset is below
	AcceptJournalGap  bool   // go on with an empty memory
	Mode              Mode
}

// Patience is what a session remembers of a partition from one takeover to the next.
type Patience struct {
	Ahead    time.Duration // counts as waited before a wait begins; for tests
	since    time.Time     // when the first of the waits in a row began; zero: nothing is waited for
	appended int           // repositions in a row that were appended and not found
}

// Takeover leads one partition from being given to a session to being read: the steps of an assignment (design 4,
// rules 3 and 4). It asks for one thing after the other. The caller does what Asks says, and answers by the method
// that is named there.
type Takeover struct {
	Findings
	Decision Decision // the last one
	patience *Patience
	asks     Ask
	until    int64
}

// NewTakeover begins a takeover. The session keeps the patience.
func NewTakeover(tp TopicPartition, terms Terms, patience *Patience) *Takeover {
	return &Takeover{Findings: Findings{TopicPartition: tp, Terms: terms}, patience: patience}
}

// Asks says what is needed next.
func (t *Takeover) Asks() Ask { return t.asks }

// Until is the journal offset that the replica has to reach.
func (t *Takeover) Until() int64 { return t.until }

// Repeats is how often in a row the reposition that is asked for was appended and not found afterwards. An epoch that
// begins has another one.
func (t *Takeover) Repeats() int {
	if t.Decision.Action != Resume {
		return 0
	}
	return t.patience.appended
}

// JournalEnd answers AskEnd. All records stand below the end for which earlier owners had an answer.
func (t *Takeover) JournalEnd(end int64) { t.until, t.asks = end, AskReached }

// Reached answers AskReached. Moved says that the source has another document at an offset than was judged.
func (t *Takeover) Reached(r *index.Replica, moved bool) {
	if r.Routed() != t.Routed { // nothing may be committed by a duty that is over
		t.asks = Outdated
		return
	}
	t.Replica, t.Known = r.Partition(t.Source)
	t.Among, t.Moved = t.Partitions, moved
	if n, known := r.TopicPartitions(t.Source.Topic); known {
		t.Among = n
	}
	t.asks = AskOffset
}

// Offset answers AskOffset.
func (t *Takeover) Offset(c Committed) { t.Committed, t.asks = c, AskExtent }

// NoLeader answers AskExtent. Nobody can read the partition now. Other partitions do not wait for it.
func (t *Takeover) NoLeader() { t.asks = Leaderless }

// Extent answers AskExtent with the first offset of the partition and the one behind its last. It decides (rule 4).
func (t *Takeover) Extent(begin, end int64, now time.Time) {
	t.Begin, t.End, t.Waited = begin, end, t.patience.waited(now)
	t.Decision = t.Decide()
	switch t.Decision.Action {
	case GoOn:
		t.patience.since, t.patience.appended, t.asks = time.Time{}, 0, Taken
	case Begin:
		t.patience.since, t.asks = time.Time{}, AskCommit
	case Resume:
		t.asks = AskReposition
	case Wait:
		t.patience.wait(now)
		t.asks = AskPause
	case Refuse:
		t.asks = Refused
	}
	if t.asks == AskReposition && !AppendAgain(t.patience.appended) {
		t.Decision.Action, t.Decision.Reason, t.asks = Refuse, Unreadable, Refused
	}
}

// Begun answers AskCommit. If the group refuses the commit, the session is no member any more, and appends nothing: it
// is built anew, or takes the steps again.
func (t *Takeover) Begun(committed bool) {
	if !committed {
		t.asks = AskEnd
		return
	}
	t.Moved, t.asks = false, AskReposition
}

// NextReposition is the record that AskReposition wants in the journal.
func (t *Takeover) NextReposition(h index.Header) *index.Reposition {
	return t.Reposition(h, t.Decision.Offset, t.Decision.Epoch)
}

// Appended answers AskReposition with the journal offset of the record.
func (t *Takeover) Appended(offset int64) {
	if t.Decision.Action == Resume {
		t.patience.appended++
	}
	t.until, t.asks = offset+1, AskApply
}

// Applied answers AskApply. The steps begin again, and find the epoch in force.
func (t *Takeover) Applied() { t.asks = AskEnd }

// Resume answers AskPause. The steps begin again.
func (t *Takeover) Resume() { t.asks = AskEnd }

// Assignment is what was settled, where Asks is Taken.
func (t *Takeover) Assignment() *Assignment { return &t.Decision.Assignment }

func (p *Patience) wait(now time.Time) {
	if p.since.IsZero() {
		p.since = now
	}
}

// waited is how long the partition has waited.
func (p *Patience) waited(now time.Time) time.Duration {
	if p.since.IsZero() {
		return 0
	}
	return now.Sub(p.since) + p.Ahead
}
