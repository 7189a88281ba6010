package audit_test

import (
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/sink"
)

// dropped has duplicates written nowhere.
func dropped(s *scene) {
	s.sink.Duplicate.Drop = true
	s.outputs = slices.DeleteFunc(s.outputs, func(r *kgo.Record) bool { return r.Topic == "news.duplicate" })
}

// A duplicate that the journal knows is not lost where duplicates are dropped; a unique document is.
func TestDuplicatesThatAreDropped(t *testing.T) {
	tryAll(t, []happening{
		{"as they should", dropped, audit.Report{Records: 5, Unique: 2, Rejected: 1, Dropped: 2}},
		{"a unique one too", func(s *scene) {
			dropped(s)
			s.outputs = s.outputs[1:]
		}, audit.Report{Records: 5, Unique: 1, Rejected: 1, Dropped: 2, Lost: 1}},
		{"a duplicate that came out", func(s *scene) {
			together(s)
			s.sink.Duplicate.Drop = true
		}, audit.Report{Records: 5, Unique: 4, Rejected: 1, Different: 2}},
		{"one that was refused goes to rejected", func(s *scene) {
			dropped(s)
			s.reject(s.sources[2], sink.OutputRefused)
		}, audit.Report{Records: 5, Unique: 2, Rejected: 2, Dropped: 1}},
	})
}

// What the topic of verdicts says of duplicates that were dropped is held against the journal.
func TestVerdictsOnWhatIsDropped(t *testing.T) {
	five := audit.Report{Records: 5, Unique: 2, Rejected: 1, Dropped: 2, Verdicts: 5}
	for name, c := range map[string]struct {
		do   func(s *scene)
		want func(r *audit.Report)
	}{
		"as they should":          {func(*scene) {}, func(*audit.Report) {}},
		"one is missing":          {func(s *scene) { s.tales = slices.Delete(s.tales, 2, 3) }, func(r *audit.Report) { r.Verdicts, r.Lost = 4, 1 }},
		"one says another thing":  {func(s *scene) { s.replace(2, `"copy":2`, `"copy":3`) }, func(r *audit.Report) { r.Different = 1 }},
		"one has another time":    {func(s *scene) { s.replace(2, `"time":"2`, `"time":"1`) }, func(r *audit.Report) { r.Different = 1 }},
		"one comes twice":         {func(s *scene) { s.tales = append(s.tales, s.tales[2]) }, func(r *audit.Report) { r.Verdicts, r.Doubled = 6, 1 }},
		"one says that it passed": {func(s *scene) { s.replace(2, `"verdict":"duplicate"`, `"verdict":"unique"`) }, func(r *audit.Report) { r.Different = 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := toldScene(t).tell()
			dropped(s)
			c.do(s)
			want := five
			c.want(&want)
			if got := s.audit(); !sameCounts(got, want) {
				t.Errorf("got %s\nwant %s", got.String(), want.String())
			}
		})
	}
}

// Where the journal is trimmed, nobody knows which of the documents in no output were duplicates: none is called lost.
func TestDroppedAndTrimmed(t *testing.T) {
	t.Parallel()
	s := story(t)
	dropped(s)
	s.announce(0, 1, 3)
	s.announce(1, 1, 2)
	in := s.trimHere()
	s.transaction(kgo.TryCommit, s.outputs...)
	got := s.run(in)
	want := audit.Report{From: got.From, Records: 3, Unique: 2, Rejected: 1, Unjudged: 5, Absent: 2}
	if !sameCounts(got, want) {
		t.Errorf("got  %s\nwant %s", got.String(), want.String())
	}
}
