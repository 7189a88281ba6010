package index_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/unecho/unecho/index"
)

// TestInquire: candidates that are copied and compared elsewhere give what Lookup gives, after the replica has gone
// on, too. And neither an inquiry nor a lookup changes anything.
func TestInquire(t *testing.T)     { tryInquire(t, 8) }
func TestInquireLong(t *testing.T) { tryInquire(t, 200) }

func tryInquire(t *testing.T, seeds uint64) {
	matched, shared := 0, 0
	for seed := uint64(1); seed <= seeds; seed++ {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			p, steps := history(t, seed, 300)
			r, twin := newReplica(t, p), newReplica(t, p)
			for i, s := range steps {
				run, ok := s.Record.(*index.Run)
				if !ok || len(run.Entries) == 0 || i%2 > 0 {
					r.Apply(s.At, s.Record)
					twin.Apply(s.At, s.Record)
					continue
				}
				e := run.Entries[0].Clone()
				want := twin.Lookup(&e, 5)
				q, ok := r.Inquire(&e, 1<<30)
				if !ok {
					t.Fatal("it holds more than a GiB")
				}
				comparer, err := index.NewComparer(r.Params()) // by what is in force when it is asked
				if err != nil {
					t.Fatal(err)
				}
				effect, plain := r.Apply(s.At, s.Record), twin.Apply(s.At, s.Record)
				if !slices.Equal(effect.Judged, plain.Judged) || r.Stats() != twin.Stats() {
					t.Fatalf("step %d: an inquiry changes the replica", i)
				}
				a := q.Answer(comparer, 5)
				for _, h := range a.Hits {
					shared += len(h.Bands)
				}
				if matched += len(a.Hits); !reflect.DeepEqual(a.Hits, want) {
					t.Fatalf("step %d: got\n%+v\na lookup finds\n%+v", i, a.Hits, want)
				}
			}
		})
	}
	if matched < 10 || shared < matched {
		t.Errorf("only %d matches, with %d bands", matched, shared)
	}
}

// TestInquireIsBounded: what is more than may be copied is refused.
func TestInquireIsBounded(t *testing.T) {
	p := index.DefaultParams()
	p.Duplicates.CompareCopies = true
	s := newStand(t, p)
	const text = "the council met on tuesday evening and decided after a long debate to build the new bridge across the " +
		"river before winter"
	for i := range 40 {
		s.judge(fmt.Append(nil, text, " begins ", i))
	}
	s.sign([]byte(text))
	e := &s.record.Entries[0]
	if _, ok := s.replica.Inquire(e, 100); ok {
		t.Error("a hundred bytes hold all candidates")
	}
	q, ok := s.replica.Inquire(e, 1<<20)
	if !ok {
		t.Fatal("a MiB does not hold them")
	}
	comparer, err := index.NewComparer(p)
	if err != nil {
		t.Fatal(err)
	}
	if a := q.Answer(comparer, 100); len(a.Hits) != 1 || a.Compared < 8 || len(a.Hits[0].Bands) == 0 ||
		a.Hits[0].Copy != 41 {
		t.Errorf("the answer is %+v; want 8 comparisons or more, and one hit with bands, as copy 41", a)
	}
}
