package protocol

import (
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// Document is one document of a batch on its way to its verdict.
type Document struct {
	Entry    entry.Entry
	Rejected bool // before signing, so that it has no entry; a held verdict outranks it
	Withheld bool // its value did not come with it: it goes to rejected, whatever its verdict
	// Unchecked says that it has no entry because nobody asks whether it is a copy. Without a verdict it goes to unique.
	Unchecked bool
	Verdict   index.Verdict
	Judged    bool
	Bypassed  bool // it goes to unique unchecked, because the journal is away
}

// Rejects says that the document goes to rejected whatever its output would take, because it was never judged or was
// forgotten.
func (d *Document) Rejects() bool {
	return !d.Judged && d.Rejected && !d.Unchecked || d.Judged && d.Verdict.Forgotten
}

// Judge takes the verdicts that the replica holds for documents of this assignment (design 4, rule 5). Documents
// without one are to be appended, again if need be; those that were fed without an entry are rejected. After
// ErrEpoch, ErrOvertaken, ErrMoved or ErrUnfed the documents cannot be judged any more. After ErrRouting this session
// must not forward them: a routing in the journal holds for all verdicts behind it, whichever member has them.
func (a *Assignment) Judge(r *index.Replica, docs iter.Seq[*Document]) error {
	if r.Routed() != a.Routed {
		return ErrRouting
	}
	a.Requests = r.Requests()
	p, _ := r.Partition(a.Source)
	if p.Epoch != a.Epoch {
		return fmt.Errorf("%w: %s/%d is in epoch %d, not %d", ErrEpoch, a.Topic, a.Source.Partition, p.Epoch, a.Epoch)
	}
	for d := range docs {
		if d.Entry.Offset < p.Base {
			return fmt.Errorf("%w: base %d of %s/%d has passed %d", ErrOvertaken, p.Base, a.Topic, a.Source.Partition,
				d.Entry.Offset)
		}
		d.Verdict, d.Judged = r.Held(a.Source, a.Epoch, d.Entry.Offset)
		d.Bypassed = d.Bypassed && !d.Judged // an append of before has come, and the journal is read: its verdict counts
		if a.Mode.Fed() {
			if d.Entry.Offset >= r.Fed(a.Source).Through {
				return fmt.Errorf("%w: offset %d of %s/%d", ErrUnfed, d.Entry.Offset, a.Topic, a.Source.Partition)
			}
			d.Rejected = !d.Judged
			continue
		}
		if d.Judged && a.refused[d.Entry.Offset].passed { // with a verdict it is tried again: it may have to be forgotten
			delete(a.refused, d.Entry.Offset)
		}
		if d.Judged && !d.Rejected && d.Verdict.Content != d.Entry.Content {
			return fmt.Errorf("%w: at offset %d of %s/%d", ErrMoved, d.Entry.Offset, a.Topic, a.Source.Partition)
		}
	}
	return nil
}

// requestBytes is what the request of an entry takes in a run at most: its hash and the number of the entry.
const requestBytes = len(entry.Request{}) + binary.MaxVarintLen32

// RunLimits are those of one journal record.
type RunLimits struct{ Entries, Bytes int }

// Runs frames the documents that have no verdict yet, and calls fn with each run. The run is good until fn returns.
func (a *Assignment) Runs(h index.Header, docs iter.Seq[*Document], b RunLimits, fn func(*index.Run)) {
	run := a.Announcement(h)
	bytes := 0
	for d := range docs {
		if d.Judged || d.Rejected {
			continue
		}
		e := d.Entry
		if !a.Requests {
			e.Request = entry.Request{}
		}
		size := entry.Size(&e)
		if e.Request != (entry.Request{}) {
			size += requestBytes
		}
		if n := len(run.Entries); n == b.Entries || n > 0 && bytes+size > b.Bytes {
			fn(run)
			run.Entries, bytes = run.Entries[:0], 0
		}
		run.Entries = append(run.Entries, e)
		bytes += size
	}
	if len(run.Entries) > 0 {
		fn(run)
	}
}
