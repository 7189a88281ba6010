package protocol

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// produced is a batch of n documents that wait for the answer of the outputs.
func produced(n int) (*Batch, *Assignment, *Intake) {
	docs := make([]Document, n)
	for i := range docs {
		docs[i] = Document{Entry: entry.Entry{Offset: int64(i)}, Judged: true}
	}
	a, in := &Assignment{Mode: live{}, Epoch: 1}, NewIntake(100)
	g := NewGroup(nil, a, 0)
	g.Documents = func(yield func(*Document) bool) {
		for i := range docs {
			if !yield(&docs[i]) {
				return
			}
		}
	}
	g.Polled(int64(n)-1, math.MaxInt64)
	b := NewBatch([]Group{g}, n, in)
	b.wants = WantOutputs
	return b, a, in
}

// A client may bring records twice, in one piece or in two. Each belongs to a batch once, and the end does not go back.
func TestRecordsPolledTwice(t *testing.T) {
	const reach = 9
	a := &Assignment{Mode: live{}, Base: 3}
	var groups []Group
	var taken []int64
	for _, piece := range [][]int64{{1, 2, 3, 4, 3, 4, 6}, {4, 6, 7}, {8, 9, 10, 3, 8}} {
		g := NewGroup(groups, a, a.Base)
		for _, offset := range piece {
			if g.Polled(offset, reach) {
				taken = append(taken, offset)
			}
		}
		groups = append(groups, g)
	}
	if want := []int64{3, 4, 6, 7, 8}; !slices.Equal(taken, want) {
		t.Errorf("the batch has %d, want %d", taken, want)
	}
	if last := groups[2]; last.End != reach || !last.Beyond {
		t.Errorf("the batch ends at %d, beyond the reach: %v; want %d and true", last.End, last.Beyond, reach)
	}
	if other := NewGroup(groups, &Assignment{Mode: live{}}, 5); other.End != 5 {
		t.Errorf("a group of another partition begins at %d, want 5", other.End)
	}
}

// A backfill counts what all pieces of a partition bring, and nothing of a batch that was aborted.
func TestAPartitionInTwoPiecesIsCounted(t *testing.T) {
	a := &Assignment{Mode: NewMode(&Plan{}), Pending: Tally{Unique: 5}}
	docs := make([]Document, 3)
	for i := range docs {
		docs[i] = Document{Entry: entry.Entry{Offset: int64(i)}, Unchecked: true}
	}
	var groups []Group
	for _, piece := range [][]int{{0, 1}, {2}} {
		g := NewGroup(groups, a, a.Base)
		for _, i := range piece {
			g.Polled(int64(i), math.MaxInt64)
		}
		g.Documents = func(yield func(*Document) bool) {
			for _, i := range piece {
				if !yield(&docs[i]) {
					return
				}
			}
		}
		groups = append(groups, g)
	}
	b := NewBatch(groups, len(docs), NewIntake(100))
	b.Produced(nil, false)
	b.Ended(true, nil)
	if want := (Tally{Unchecked: 3}); a.Tally != want || a.Base != 3 {
		t.Errorf("%+v is counted below %d, want %+v below 3", a.Tally, a.Base, want)
	}
}

func TestHowATransactionEnds(t *testing.T) {
	for _, c := range []struct {
		refused *Refusal
		revoked bool
		want    Want
	}{{nil, false, WantCommit}, {&Refusal{}, false, WantAbort}, {nil, true, WantAbort}, {&Refusal{}, true, WantAbort}} {
		b, _, _ := produced(1)
		if b.Produced(c.refused, c.revoked); b.Wants() != c.want {
			t.Errorf("%+v: it wants %v", c, b.Wants())
		}
	}
}

func TestWhatACommitMeans(t *testing.T) {
	gone := errors.New("gone")
	for _, c := range []struct {
		committed bool
		err       error
		want      Want
		base      int64
	}{{true, nil, Done, 3}, {false, nil, WantOffsets, 0}, {false, gone, Rebuild, 0}, {true, gone, Rebuild, 0}} {
		b, a, _ := produced(3)
		b.Produced(nil, false)
		if b.Ended(c.committed, c.err); b.Wants() != c.want || a.Base != c.base {
			t.Errorf("%+v: it wants %v, and base is %d", c, b.Wants(), a.Base)
		}
	}
}

// A commit that was refused took effect where the offsets are no longer where the batch began.
func TestRefusedCommit(t *testing.T) {
	for offset, want := range map[int64]Want{0: Done, 3: Rebuild} {
		b, _, _ := produced(3)
		b.Produced(nil, false)
		b.Ended(false, nil)
		err := b.Offsets(func(entry.Source) Committed { return Committed{Ours: true, Epoch: 1, Offset: offset} })
		if b.Wants() != want || (err == nil) != (want == Done) {
			t.Errorf("at %d it wants %v: %v", offset, b.Wants(), err)
		}
	}
}

// A refused record of many has the batch taken in parts. Alone, and unique, it is forgotten before it goes to rejected.
func TestAfterARefusal(t *testing.T) {
	b, _, in := produced(80)
	b.Produced(&Refusal{}, false)
	if got := b.Aborted(index.Header{}); got != Split || b.Wants() != Done || in.Records() != 10 {
		t.Errorf("of 80: %v, it wants %v, and polls %d", got, b.Wants(), in.Records())
	}
	b, _, _ = produced(1)
	b.Produced(&Refusal{}, false)
	if got := b.Aborted(index.Header{}); got != Forget || b.Wants() != WantForget || len(b.Forgets()) != 1 {
		t.Errorf("alone: %v, it wants %v", got, b.Wants())
	}
	b.Appended(7)
	if b.Wants() != WantForgotten || b.Until() != 8 {
		t.Errorf("it wants %v below %d", b.Wants(), b.Until())
	}
	if b.Reached(); b.Wants() != Done {
		t.Errorf("forgotten, it wants %v", b.Wants())
	}
	b, _, _ = produced(2)
	b.Produced(&Refusal{Transient: true}, false)
	if b.Aborted(index.Header{}); b.Wants() != Rebuild {
		t.Errorf("after no answer it wants %v", b.Wants())
	}
}

// What only waits ends when partitions are taken away, what is in a transaction ends with it.
func TestRevoked(t *testing.T) {
	b, _, _ := produced(1)
	for want, then := range map[Want]Want{
		WantVerdicts: WantAbort, WantReached: WantAbort, WantForgotten: WantAbort,
		WantOutputs: WantOutputs, WantCommit: WantCommit,
	} {
		b.wants = want
		if b.Revoked(); b.Wants() != then {
			t.Errorf("of %v it becomes %v", want, b.Wants())
		}
	}
}
