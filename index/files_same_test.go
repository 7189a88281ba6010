package index_test

import (
	"reflect"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/window"
)

func (s *shelf) sameStats(got, want *index.Replica) {
	s.t.Helper()
	a, b := got.Stats(), want.Stats()
	a.Memory, a.Segments, a.Moved, a.MostMoved, a.Filed, a.FileBytes = b.Memory, b.Segments, b.Moved, b.MostMoved, 0, 0
	a.Blocks = window.BlockStats{}
	if a != b {
		s.t.Fatalf("got %+v\nin memory %+v", a, b)
	}
}

func (s *shelf) sameInquiry(got, want *index.Replica, run *index.Run, i int) {
	s.t.Helper()
	e := &run.Entries[i%len(run.Entries)]
	b, _ := want.Inquire(e, 1<<30)
	for {
		got.Files().Again()
		a, ok := got.Inquire(e, 1<<30)
		if wanted := got.Files().Wanted(); len(wanted) > 0 {
			s.give(got, wanted)
			continue
		}
		if !ok || !reflect.DeepEqual(a, b) {
			s.t.Fatalf("an inquiry gives %+v, %v; in memory %+v", a, ok, b)
		}
		return
	}
}

// sameContents walks over both, and searches for a document of each partition.
func (s *shelf) sameContents(got, want *index.Replica) {
	s.t.Helper()
	if a, b := got.Contents(), want.Contents(); !reflect.DeepEqual(a, b) {
		s.t.Fatalf("contents %+v; in memory %+v", a, b)
	}
	var all, found []index.Remembered
	want.Each(func(m *index.Remembered) {
		c := *m
		c.Entry = m.Entry.Clone()
		all = append(all, c)
	})
	for walk, done := (index.Walk{}), false; !done; {
		got.Files().Again()
		done = got.Step(&walk, 1+s.r.IntN(5), func(m *index.Remembered) {
			c := *m
			c.Entry = m.Entry.Clone()
			found = append(found, c)
		})
		if wanted := got.Files().Wanted(); len(wanted) > 0 {
			s.give(got, wanted)
		}
	}
	if !reflect.DeepEqual(found, all) {
		s.t.Fatalf("a walk gives %+v; in memory %+v", found, all)
	}
}
