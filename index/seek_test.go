package index_test

import (
	"fmt"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// coordinates are those of a document.
type coordinates struct {
	source entry.Source
	offset int64
}

// TestSeek: a search in steps finds what a walk over everything finds, over random histories, while these go on.
func TestSeek(t *testing.T) {
	for seed := uint64(1); seed <= 8; seed++ {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			p, steps := history(t, seed, 300)
			r := newReplica(t, p)
			for _, s := range steps {
				r.Apply(s.At, s.Record)
			}
			alive, found := map[coordinates]index.Remembered{}, 0
			r.Each(func(m *index.Remembered) {
				seen := m.Entered
				if m.Repeated {
					seen = m.Last
				}
				if age := p.Duplicates.Remember.Age.Milliseconds(); !m.Dead && (age == 0 || r.Stats().Now-seen < age) {
					alive[coordinates{m.Source, m.Entry.Offset}] = *m
				}
			})
			for _, row := range r.Contents().Partitions {
				for offset := range int64(400) {
					want, ok := alive[coordinates{row.Source, offset}]
					got := sought(r, r.TopicOf(row.Source), row.Source.Partition, offset, 7)
					switch {
					case (got != nil && got.Source == row.Source) != ok:
						t.Fatalf("%v/%d: %+v, and a walk finds it: %v", row.Source, offset, got, ok)
					case ok && (got.Copies != want.Copies || got.Position != want.Judged || got.Scope != want.Entry.Scope ||
						got.Copied != (want.Root != want.Number) && !want.RootLeft):
						t.Fatalf("%v/%d: %+v, and a walk finds %+v", row.Source, offset, got, want)
					case ok:
						found++
					}
				}
			}
			if len(alive) > 0 && found == 0 {
				t.Error("nothing was compared")
			}
		})
	}
}

// sought runs a search to its end.
func sought(r *index.Replica, topic string, partition int32, offset int64, most int) *index.Known {
	s := index.Search{Topic: topic, Partition: partition, Offset: offset}
	for {
		if k, done := r.Seek(&s, most); done {
			return k
		}
	}
}

// TestSeekGoesOn: what enters while a search goes on is found, and what leaves does not stop it.
func TestSeekGoesOn(t *testing.T) {
	for _, enters := range []bool{true, false} {
		f := newFeed(t, estimating(5000), 5000, 0)
		f.fill(6000)
		s := index.Search{Topic: "news", Offset: f.record.Entries[runEntries-1].Offset + 1}
		if k, done := f.replica.Seek(&s, 50); done {
			t.Fatalf("at its end early: %+v", k)
		}
		if !enters {
			s.Offset = 1 << 40
		}
		f.make()
		f.apply()
		found, steps := (*index.Known)(nil), 0
		for done := false; !done && steps < 1000; steps++ {
			found, done = f.replica.Seek(&s, 50)
			f.make()
			f.apply()
		}
		if (found != nil) != enters || steps == 1000 {
			t.Errorf("enters: %v, found %+v after %d steps", enters, found, steps)
		}
	}
}
