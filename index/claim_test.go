package index_test

import (
	"testing"

	"github.com/unecho/unecho/index"
)

// claims apply records to a replica, one after the other.
type claims struct {
	*index.Replica
	header index.Header
	at     index.Stamp
}

func newClaims(t *testing.T) *claims {
	t.Helper()
	c := &claims{
		Replica: newReplica(t, index.DefaultParams()),
		header:  index.Header{Fingerprint: index.Fingerprint(settings)},
	}
	c.tell(&index.Settings{Text: settings})
	return c
}

func (c *claims) tell(rec index.Record) *index.Divergence {
	d := c.Apply(c.at, rec).Disputed
	c.at.Offset++
	return d
}

// many are records that change the hash.
func (c *claims) many(n int) {
	for range n {
		c.tell(&index.Forget{Header: c.header})
	}
}

// A replica remembers its hash after a mark until a checkpoint or an accusation refers to it, whatever comes in
// between: at 10,000 records a second, 5,000,000 records are a snapshot of more than eight minutes.
func TestMarksAreRemembered(t *testing.T) {
	t.Parallel()
	const records = 5_000_000
	c := newClaims(t)
	c.many(10)
	unmarked, other := c.Next(), c.Hash()
	c.tell(&index.Mark{Header: c.header})
	marked, hash := c.Next(), c.Hash()
	c.many(records)
	if d := c.tell(&index.Checkpoint{Header: c.header, Member: "b", Offset: marked, Hash: hash}); d != nil ||
		c.Confirmed() != marked {
		t.Errorf("a right checkpoint is disputed: %+v, confirmed %d", d, c.Confirmed())
	}
	if d := c.tell(&index.Checkpoint{Header: c.header, Member: "b", Offset: marked, Hash: hash + 1}); d == nil ||
		!d.Known || d.Ours != hash {
		t.Errorf("a wrong checkpoint is not disputed: %+v", d)
	}
	if d := c.tell(&index.Accusation{Header: c.header, Offset: marked, Hash: hash}); d != nil {
		t.Errorf("a right accusation is disputed: %+v", d)
	}
	if d := c.tell(&index.Accusation{Header: c.header, Offset: marked, Hash: hash + 1}); d == nil || !d.Known ||
		d.Ours != hash {
		t.Errorf("a wrong accusation is not disputed: %+v", d)
	}
	if d := c.tell(&index.Checkpoint{Header: c.header, Offset: unmarked, Hash: other + 1}); d != nil {
		t.Errorf("a checkpoint about no mark is disputed: %+v", d)
	}
	if d := c.tell(&index.Accusation{Header: c.header, Offset: unmarked, Hash: other}); d == nil || d.Known {
		t.Errorf("an offset without a mark is known: %+v", d)
	}
}

// A mark with foreign settings is ignored. When there are very many marks, the oldest are forgotten, so memory is
// bounded.
func TestMarksAreBounded(t *testing.T) {
	t.Parallel()
	c := newClaims(t)
	c.tell(&index.Mark{Header: index.Header{Fingerprint: c.header.Fingerprint + 1}})
	if d := c.tell(&index.Checkpoint{Header: c.header, Offset: c.Next(), Hash: c.Hash() + 1}); d != nil {
		t.Errorf("it remembers a mark of other settings: %+v", d)
	}
	const most = 1024
	var offsets []int64
	for range 2 * most {
		c.tell(&index.Mark{Header: c.header})
		offsets = append(offsets, c.Next())
		c.many(3)
	}
	for i, offset := range offsets {
		if d := c.tell(&index.Checkpoint{Header: c.header, Offset: offset, Hash: 1}); (d != nil) != (i >= most) {
			t.Fatalf("mark %d of %d: %+v", i, len(offsets), d)
		}
	}
}

// A stray record takes an offset of the journal, and changes only the hash, in the same way as an ignored record.
func TestSkip(t *testing.T) {
	t.Parallel()
	passed, ignored := newClaims(t), newClaims(t)
	before := passed.Capture()
	passed.Skip(passed.at)
	ignored.tell(&index.Forget{Header: index.Header{Fingerprint: 1}})
	if passed.Next() != before.Next+1 || passed.Hash() == before.Hash || passed.Hash() != ignored.Hash() {
		t.Errorf("at %d with hash %x, ignored: %d, %x", passed.Next(), passed.Hash(), ignored.Next(), ignored.Hash())
	}
	if s := passed.Stats(); s.Ignored != 1 || s.Records != 2 || s.Changed != passed.Next() {
		t.Errorf("the stats are %+v; want 1 record ignored of 2, and the last change at %d", s, passed.Next())
	}
}
