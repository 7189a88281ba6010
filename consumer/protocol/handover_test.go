package protocol

import (
	"reflect"
	"testing"

	"github.com/unecho/unecho/index/entry"
)

// TestAbandonedByALostJournal: a new group whose journal was lost may have completed the handover before. Its offsets
// tell: a group that is filled commits nothing.
func TestAbandonedByALostJournal(t *testing.T) {
	t.Parallel()
	older := Side{Group: "old", Journal: "old 1", Number: 2, Duty: Duty{Kind: Retired, Other: "new", OtherJournal: "new 1"}}
	newer := Side{Group: "new", Journal: "new 2", Number: 1, Duty: Duty{Kind: Fills, Other: "old"}}
	for _, c := range []struct {
		name string
		news int64
		want HandoverStep
	}{
		{"it never came to forward", 100, StepRestore},
		{"it has judged nothing", -1, StepRestore},
		{"it has forwarded", 101, StepRefused},
	} {
		h := &Handover{Back: true}
		h.Looked(newer, older)
		if h.Next() != StepOffsets {
			t.Fatalf("%s: it asks for %v", c.name, h.Next())
		}
		h.Offsets([]Standpoint{{Topic: "news", Source: entry.Source{}, End: 200, Old: 100, New: c.news}}, nil)
		if h.Next() == StepLook {
			h.Looked(newer, older)
		}
		if h.Next() != c.want || c.want == StepRefused && h.Refusal.Why != TakenOver {
			t.Errorf("%s: it asks for %v, refused as %v; want %v, and a refusal as TakenOver", c.name, h.Next(), h.Refusal.Why, c.want)
		}
	}
}

// TestHandoverOfExpiredOffsets: a group that was at work has committed. If nothing of it is there, its offsets are
// gone, and where it had come is not known.
func TestHandoverOfExpiredOffsets(t *testing.T) {
	t.Parallel()
	older := Side{Group: "old", Journal: "old 1", Number: 1}
	newer := Side{Group: "new", Journal: "new 1", Number: 1, Duty: Duty{Kind: Fills, Other: "old"}}
	for old, want := range map[int64]HandoverStep{-1: StepRefused, 0: StepRetire} {
		h := &Handover{}
		h.Looked(newer, older)
		h.Offsets([]Standpoint{{Topic: "news", End: 200, Old: old, New: -1}}, nil)
		if h.Next() != want || want == StepRefused && h.Refusal.Why != OffsetsGone {
			t.Errorf("committed %d: %v, %v", old, h.Next(), h.Refusal.Why)
		}
	}
}

// TestAbandonedKeepsTheDuty: a group that had taken over, retires, and forwards again when that is abandoned, has
// the duty it had before: what it had to remember, and which group came before it. Abandoning once more finds nothing to do.
func TestAbandonedKeepsTheDuty(t *testing.T) {
	t.Parallel()
	was := Duty{
		Kind: Forwards, Other: "a", OtherJournal: "a 1", OwnJournal: "b 1",
		From: []Boundary{{Topic: "news", Source: entry.Source{Partition: 1}, Offset: 40}},
		Fill: []Boundary{{Topic: "unique", Offset: 7}},
	}
	b := Side{Group: "b", Journal: "b 1", Number: 2, Duty: was}
	c := Side{Group: "c", Journal: "c 1", Number: 1, Duty: Duty{Kind: Fills, Other: "b", OwnJournal: "c 1"}}
	h := &Handover{}
	h.Looked(c, b)
	h.Offsets([]Standpoint{{Topic: "news", Source: entry.Source{Partition: 1}, End: 90, Old: 60, New: -1}}, nil)
	if h.Next() != StepRetire {
		t.Fatalf("it asks for %v", h.Next())
	}
	b.Number, b.Duty = 3, h.Duty()
	back := &Handover{Back: true}
	for _, want := range []HandoverStep{StepVoid, StepRestore, StepDone} {
		back.Looked(c, b)
		if back.Next() != want {
			t.Fatalf("it asks for %v, want %v", back.Next(), want)
		}
		if want == StepVoid {
			c.Number, c.Duty = c.Number+1, back.Duty()
		}
		if want == StepRestore {
			b.Number, b.Duty = b.Number+1, back.Duty()
		}
	}
	if !reflect.DeepEqual(b.Duty, was) {
		t.Errorf("its duty is %+v, and was %+v", b.Duty, was)
	}
	again := &Handover{Back: true}
	if again.Looked(c, b); again.Next() != StepDone {
		t.Errorf("the same command again asks for %v: %v", again.Next(), again.Refusal.Why)
	}
}

// TestFencingIsRepeated: a handover whose fencing failed fences again. It goes on only when that has succeeded.
func TestFencingIsRepeated(t *testing.T) {
	t.Parallel()
	older := Side{Group: "old", Journal: "old 1", Number: 2, Duty: Duty{Kind: Retired, Other: "new", OtherJournal: "new 1"}}
	newer := Side{Group: "new", Journal: "new 1", Number: 1, Duty: Duty{Kind: Fills, Other: "old"}}
	h := &Handover{}
	h.Looked(newer, older)
	h.Drained()
	for range 2 {
		h.Failed()
		if h.Looked(newer, older); h.Next() != StepFence {
			t.Fatalf("after a fencing that failed it asks for %v", h.Next())
		}
	}
	h.Fenced()
	if h.Next() != StepOffsets {
		t.Fatalf("after fencing it asks for %v", h.Next())
	}
	h.Failed()
	if h.Looked(newer, older); h.Next() != StepOffsets {
		t.Errorf("fenced once, it asks for %v", h.Next())
	}
}

// TestWhatATakeoverHasToRemember: the ends of the old group's unique documents, and what the old group had to remember
// itself. Where both name a partition, the farther boundary counts.
func TestWhatATakeoverHasToRemember(t *testing.T) {
	t.Parallel()
	boundary := func(topic byte, offset int64) Boundary {
		return Boundary{Topic: string('a' + rune(topic)), Source: entry.Source{Topic: [16]byte{topic}}, Offset: offset}
	}
	older := Side{Group: "old", Journal: "old 1", Number: 2, Duty: Duty{
		Kind: Retired, Other: "new", OtherJournal: "new 1", Fill: []Boundary{boundary(1, 5), boundary(0, 9), boundary(2, 4)},
	}}
	h := &Handover{}
	h.Looked(Side{Group: "new", Journal: "new 1", Number: 1, Duty: Duty{Kind: Fills, Other: "old"}}, older)
	h.Drained()
	h.Fenced()
	h.Offsets([]Standpoint{{Topic: "news", End: 90, Old: 60, New: -1}}, []Boundary{boundary(3, 0), boundary(2, 30), boundary(0, 7)})
	want := []Boundary{boundary(0, 9), boundary(1, 5), boundary(2, 30), boundary(3, 0)}
	if got := h.Duty(); h.Next() != StepActivate || !reflect.DeepEqual(got.Fill, want) {
		t.Errorf("it asks for %v, and is to remember %v; want %v", h.Next(), got.Fill, want)
	}
}

// TestHandoverOfATopicThatWasCreatedAgain: a duty has one boundary of each name. That of the topic that is there counts,
// so that its last documents are waited for.
func TestHandoverOfATopicThatWasCreatedAgain(t *testing.T) {
	t.Parallel()
	was := []Boundary{{Topic: "unique", Source: entry.Source{Topic: [16]byte{1}}, Offset: 1000}}
	now := []Boundary{{Topic: "unique", Source: entry.Source{Topic: [16]byte{2}}, Offset: 500}}
	h := &Handover{}
	newer := Side{Group: "new", Journal: "new 1", Number: 1, Duty: Duty{Kind: Fills, Other: "old"}}
	h.Looked(newer, Side{Group: "old", Journal: "old 1", Number: 2, Duty: Duty{Kind: Retired, Other: "new", OtherJournal: "new 1", Fill: was}})
	h.Drained()
	h.Fenced()
	h.Offsets([]Standpoint{{Topic: "news", End: 200, Old: 100, New: -1}}, now)
	if d := h.Duty(); h.Next() != StepActivate || !reflect.DeepEqual(d.Fill, now) {
		t.Errorf("%v, and %+v is to be remembered, want %+v", h.Next(), d.Fill, now)
	}
}

// TestHandoverKeepsDroppedTopics: what the old group's earlier routings wrote stays known while it retires, and when
// that is made void.
func TestHandoverKeepsDroppedTopics(t *testing.T) {
	t.Parallel()
	dropped := []string{"first", "second"}
	newer := Side{Group: "new", Journal: "new 1", Number: 1, Duty: Duty{Kind: Fills, Other: "old"}}
	older := Side{Group: "old", Journal: "old 1", Number: 2, Duty: Duty{Dropped: dropped}}
	h := &Handover{}
	h.Looked(newer, older)
	h.Offsets([]Standpoint{{Topic: "news", End: 90, Old: 60, New: -1}}, nil)
	retired := h.Duty()
	if h.Next() != StepRetire || !reflect.DeepEqual(retired.Dropped, dropped) {
		t.Errorf("it asks for %v with dropped topics %v, want %v with %v", h.Next(), retired.Dropped, StepRetire, dropped)
	}
	older.Number, older.Duty, newer.Duty.Void = 3, retired, 3
	back := &Handover{Back: true}
	back.Looked(newer, older)
	if d := back.Duty(); back.Next() != StepRestore || !reflect.DeepEqual(d.Dropped, dropped) {
		t.Errorf("it asks for %v with dropped topics %v, want %v with %v", back.Next(), d.Dropped, StepRestore, dropped)
	}
}
