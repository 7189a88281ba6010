package protocol

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

var settings = []byte(`{"settings":"of the test"}`)

// judged is a replica in epoch 1 of a partition with base 5, which holds verdicts for offsets 5 and 7, of the
// contents 50 and 70.
func judged(t *testing.T) (*index.Replica, *Assignment) {
	t.Helper()
	r, err := index.NewReplica(index.DefaultParams(), index.Fingerprint(settings))
	if err != nil {
		t.Fatal(err)
	}
	a := &Assignment{Mode: live{}, TopicPartition: TopicPartition{Topic: "news", Partitions: 1}, Epoch: 1, Base: 5}
	h := index.Header{Fingerprint: index.Fingerprint(settings)}
	run := a.Announcement(h)
	run.Entries = []entry.Entry{{Offset: 5, Content: 50}, {Offset: 7, Content: 70}}
	for i, rec := range []index.Record{&index.Settings{Text: settings}, a.Reposition(h, 0, 1), run} {
		if !r.Apply(index.Stamp{Offset: int64(i)}, rec).Applied {
			t.Fatalf("%T does not apply", rec)
		}
	}
	return r, a
}

func documents(of ...Document) func(func(*Document) bool) {
	return func(yield func(*Document) bool) {
		for i := range of {
			if !yield(&of[i]) {
				return
			}
		}
	}
}

func document(offset int64, content uint64) Document {
	return Document{Entry: entry.Entry{Offset: offset, Content: content}}
}

func TestJudge(t *testing.T) {
	r, a := judged(t)
	docs := []Document{document(5, 50), document(6, 60), {Entry: entry.Entry{Offset: 7}, Rejected: true}}
	if err := a.Judge(r, documents(docs...)); err != nil {
		t.Fatal(err)
	}
	if !docs[0].Judged || docs[1].Judged || !docs[2].Judged || docs[2].Verdict.Content != 70 {
		t.Errorf("got %+v", docs)
	}
	if docs[2].Rejects() {
		t.Error("a rejection outranks the held verdict")
	}
	docs[0].Bypassed, docs[1].Bypassed = true, true
	if err := a.Judge(r, documents(docs...)); err != nil || docs[0].Bypassed || !docs[1].Bypassed {
		t.Errorf("of what was passed on that with a verdict has it, and the other goes out unchecked: %+v, %v", docs, err)
	}
	if err := a.Judge(r, documents(document(5, 51))); !errors.Is(err, ErrMoved) {
		t.Errorf("another document: %v", err)
	}
	if err := a.Judge(r, documents(document(4, 40))); !errors.Is(err, ErrOvertaken) {
		t.Errorf("below base: %v", err)
	}
	a.Epoch = 2
	if err := a.Judge(r, documents()); !errors.Is(err, ErrEpoch) {
		t.Errorf("in another epoch: %v", err)
	}
}

// A session takes no verdicts where another routing is in force than its own, or none, and takes them again where it
// is back.
func TestJudgeAsksForTheRouting(t *testing.T) {
	r, a := judged(t)
	h := index.Header{Fingerprint: index.Fingerprint(settings)}
	at := index.Stamp{Offset: 10}
	route := func(number uint32, text string) {
		at.Offset++
		if !r.Apply(at, &index.Routing{Header: h, Routes: index.Routes{Number: number, Text: []byte(text)}}).Applied {
			t.Fatalf("routing %d does not apply", number)
		}
	}
	a.Routed = index.Fingerprint([]byte("here"))
	docs := []Document{document(5, 50)}
	for _, step := range []struct {
		number uint32
		text   string
		want   error
	}{{0, "", ErrRouting}, {1, "here", nil}, {2, "there", ErrRouting}, {3, "here", nil}} {
		if step.number > 0 {
			route(step.number, step.text)
		}
		docs[0].Judged = false
		if err := a.Judge(r, documents(docs...)); !errors.Is(err, step.want) || (err == nil) != docs[0].Judged {
			t.Errorf("under routing %d (%s): %v, judged %v", step.number, step.text, err, docs[0].Judged)
		}
	}
}

func TestRuns(t *testing.T) {
	size := entry.Size(&entry.Entry{Offset: 1, ID: make([]byte, 100)})
	var docs []Document
	for offset := range int64(10) {
		d := Document{Entry: entry.Entry{Offset: offset, ID: make([]byte, 100)}}
		d.Judged, d.Rejected = offset == 2, offset == 3
		docs = append(docs, d)
	}
	a := &Assignment{Mode: live{}, Epoch: 3, Base: 9}
	for _, c := range []struct {
		name string
		b    RunLimits
		want string
	}{
		{"one run", RunLimits{100, 1 << 20}, "[[0 1 4 5 6 7 8 9]]"},
		{"by count", RunLimits{3, 1 << 20}, "[[0 1 4] [5 6 7] [8 9]]"},
		{"by bytes", RunLimits{100, 5 * size}, "[[0 1 4 5 6] [7 8 9]]"},
		{"each alone", RunLimits{100, 1}, "[[0] [1] [4] [5] [6] [7] [8] [9]]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got [][]int64
			a.Runs(index.Header{}, documents(docs...), c.b, func(run *index.Run) {
				var offsets []int64
				for i := range run.Entries {
					offsets = append(offsets, run.Entries[i].Offset)
				}
				got = append(got, offsets)
				if run.Epoch != 3 || run.Base != 9 {
					t.Errorf("of epoch %d with base %d", run.Epoch, run.Base)
				}
			})
			if fmt.Sprint(got) != c.want {
				t.Errorf("got %v, want %s", got, c.want)
			}
		})
	}
	a.Runs(index.Header{}, documents(docs[2:4]...), RunLimits{3, 100}, func(*index.Run) { t.Error("a run of nothing") })
}

func TestAnnouncement(t *testing.T) {
	a := &Assignment{Mode: live{}, Epoch: 3, Start: 2, Base: 9, Announced: 9}
	if a.Unannounced() {
		t.Error("what the journal knows is announced again")
	}
	a.Committed(12)
	if !a.Unannounced() {
		t.Error("what was committed is not announced")
	}
	if run := a.Announcement(index.Header{}); run.Base != 12 || run.Epoch != 3 || len(run.Entries) != 0 {
		t.Errorf("got %+v", run)
	}
}

func TestStands(t *testing.T) {
	a := &Assignment{Mode: live{}, Epoch: 3, Start: 2, Base: 9}
	stands := NewCommitted(9, a.Mode.Metadata(a))
	if !a.Unmoved(stands) {
		t.Error("what stands does not")
	}
	for i, change := range []func(*Committed){
		func(c *Committed) { c.Offset++ }, func(c *Committed) { c.Offset-- }, func(c *Committed) { c.Epoch++ },
		func(c *Committed) { c.Start++ }, func(c *Committed) { c.Ours = false },
	} {
		c := stands
		change(&c)
		if a.Unmoved(c) {
			t.Errorf("change %d is not seen", i)
		}
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		d        Document
		want     []Answer
		untimely []Answer // where it is refused for its time
	}{
		"unique": {Document{Judged: true}, []Answer{Forget, Forget}, []Answer{Forget, Forget}},
		"duplicate": {
			Document{Judged: true, Verdict: index.Verdict{Match: index.Match{Method: compare.Identical}}},
			[]Answer{Again, Again, Hopeless},
			[]Answer{Again, Again, Hopeless},
		},
		"rejected": {Document{Rejected: true}, []Answer{Again, Hopeless}, []Answer{Again, Hopeless}},
		"forgotten": {
			Document{Judged: true, Verdict: index.Verdict{Forgotten: true}},
			[]Answer{Again, Hopeless},
			[]Answer{Again, Hopeless},
		},
		"let through": {Document{Judged: true, Verdict: index.Verdict{
			Match:     index.Match{Method: compare.Identical},
			Reemitted: true,
		}}, []Answer{Forget, Forget}, []Answer{Forget, Forget}},
		"was rejected": {Document{Judged: true, Rejected: true}, []Answer{Forget, Forget}, []Answer{Forget, Forget}},
	} {
		t.Run(name, func(t *testing.T) {
			a := &Assignment{Mode: live{}}
			if got := a.Refused(&c.d, 2, true); got != Split || a.Level(0) != Whole || a.Retimed(0) {
				t.Errorf("of two documents: %v", got)
			}
			var got []Answer
			for range c.want {
				got = append(got, a.Refused(&c.d, 1, false))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			last := a.Level(0)
			if want := map[Answer]Level{Hopeless: Withhold, Forget: Whole}[got[len(got)-1]]; last != want {
				t.Errorf("the last form is %v, want %v", last, want)
			}
			if a.Committed(0); a.Level(0) != last {
				t.Error("it is dropped before it is committed")
			}
			if a.Committed(1); a.Level(0) != Whole {
				t.Error("it is remembered for ever")
			}
			got = nil
			for range c.untimely {
				got = append(got, a.Refused(&c.d, 1, true))
			}
			if !slices.Equal(got, c.untimely) || a.Retimed(0) != slices.Contains(c.untimely, Hopeless) {
				t.Errorf("refused for its time: %v, want %v; retimed %v", got, c.untimely, a.Retimed(0))
			}
			if a.Committed(1); a.Retimed(0) {
				t.Error("it is retimed for ever")
			}
		})
	}
}

func TestNeedless(t *testing.T) {
	for _, c := range []struct {
		whole []int64
		want  int64
		ok    bool
	}{{nil, 0, false}, {[]int64{90}, 0, false}, {[]int64{90, 70}, 70, true}, {[]int64{90, 70, 20}, 70, true}} {
		if got, ok := Needless(c.whole); got != c.want || ok != c.ok {
			t.Errorf("of %v: %d, %v", c.whole, got, ok)
		}
	}
}
