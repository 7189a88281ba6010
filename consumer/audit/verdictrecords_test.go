package audit_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/sink"
)

func telling(p *sink.Params) { p.Verdicts.Topic = "{source}.verdicts" }

// toldScene has a topic of verdicts.
func toldScene(t *testing.T) *scene {
	t.Helper()
	s := newScene(t)
	telling(&s.sink)
	s.reset()
	return s
}

// replace changes what a record of verdicts says.
func (s *scene) replace(i int, old, by string) {
	s.t.Helper()
	s.reword(&s.tales[i].Value, old, by)
}

// reword changes what the value of a record says.
func (s *scene) reword(value *[]byte, old, by string) {
	s.t.Helper()
	was := string(*value)
	is := strings.Replace(was, old, by, 1)
	if was == is {
		s.t.Fatalf("%s has no %s", was, old)
	}
	*value = []byte(is)
}

// Each output has one record in the topic of verdicts. It says what the output's headers say, in the same order. Tales
// 0 and 1 are of unique documents, 2 and 3 of duplicates, 4 of the rejected one.
func TestToldAsDecided(t *testing.T) {
	five := audit.Report{Records: 5, Unique: 2, Duplicate: 2, Rejected: 1, Verdicts: 5}
	broken := func(lost, doubled, different, misordered, invented, verdicts int) audit.Report {
		r := five
		r.Lost, r.Doubled, r.Different, r.Misordered, r.Invented, r.Verdicts = lost, doubled, different, misordered, invented, verdicts
		return r
	}
	for _, c := range []struct {
		name string
		do   func(s *scene)
		want audit.Report
		says string
	}{
		{"as it should", func(*scene) {}, five, ""},
		{"in another order of fields", func(s *scene) {
			s.replace(0, `{"verdict":"unique",`, `{`)
			s.replace(0, `}`, `, "verdict": "unique"}`)
		}, five, ""},
		{
			"one is lost", func(s *scene) { s.tales = s.tales[1:] }, broken(1, 0, 0, 0, 0, 4),
			"lost: news/0/0: its output is in news.unique/0/0, and no verdict in news.verdicts",
		},
		{"one comes twice", func(s *scene) { s.tales = append(s.tales, s.tales[3]) }, broken(0, 1, 0, 0, 0, 6), "every output has one already"},
		{
			"another verdict", func(s *scene) { s.replace(0, `"unique"`, `"duplicate"`) }, broken(0, 0, 1, 0, 0, 5),
			`different: news/0/0 in news.verdicts/0/0: unecho-verdict is "duplicate", its output in news.unique/0/0 says "unique"`,
		},
		{"another similarity", func(s *scene) { s.replace(2, `"similarity":1.0000`, `"similarity":0.9999`) }, broken(0, 0, 1, 0, 0, 5), `unecho-similarity is "0.9999"`},
		{"a copy's number as text", func(s *scene) { s.replace(2, `"copy":2`, `"copy":"2"`) }, broken(0, 0, 1, 0, 0, 5), "field copy is 2, which is of another type"},
		{"a field less", func(s *scene) { s.replace(3, `"copy":3,`, ``) }, broken(0, 0, 1, 0, 0, 5), "unecho-copy is missing"},
		{"a field more", func(s *scene) { s.replace(4, `{`, `{"mood":"good",`) }, broken(0, 0, 1, 0, 0, 5), `there is no field "mood"`},
		{"a field twice", func(s *scene) { s.replace(4, `{`, `{"verdict":"rejected",`) }, broken(0, 0, 1, 0, 0, 5), "field verdict stands twice"},
		{"a time that the source has not", func(s *scene) { s.replace(1, `2023-11-14T`, `2023-11-15T`) }, broken(0, 0, 1, 0, 0, 5), `time is "2023-11-15T`},
		{"more behind it", func(s *scene) { s.replace(1, `}`, `}{}`) }, broken(0, 0, 1, 0, 0, 5), "something stands behind the JSON object"},
		{"no key", func(s *scene) { s.tales[4].Key = nil }, broken(0, 0, 1, 0, 0, 5), `the key is "", the source news/0/2`},
		{"another partition", func(s *scene) { s.tales[2].Partition = 0 }, broken(0, 0, 1, 0, 0, 5), "it stands in partition 0, its document came from 1"},
		{"no JSON", func(s *scene) { s.tales[4].Value = []byte("rejected") }, broken(1, 0, 0, 0, 1, 5), "its source is no audited source partition"},
		{
			"of no document", func(s *scene) {
				tale := *s.tales[0]
				tale.Value = []byte(strings.Replace(string(tale.Value), "news/0/0", "news/0/17", 1))
				s.tales = append(s.tales, &tale)
			}, broken(0, 0, 0, 0, 1, 6), "there is no such source record",
		},
		{"in another order", func(s *scene) { s.tales[0], s.tales[1] = s.tales[1], s.tales[0] }, broken(0, 0, 0, 1, 0, 5), "misordered: news/0/1 in news.verdicts/0/0: before news/0/0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := toldScene(t).tell()
			c.do(s)
			if got := s.audit(); !sameCounts(got, c.want) || !strings.Contains(got.String(), c.says) {
				t.Errorf("got %s\nwant %s\n  with %s", got.String(), c.want.String(), c.says)
			}
		})
	}
}

// Only what was forwarded by a routing with a topic of verdicts has records there. What was judged before the routing
// changed and not announced as committed may have one.
func TestToldSinceTheRoutingChanged(t *testing.T) {
	told := func(number uint32) func(*scene) { return func(s *scene) { s.reroute(number, telling) } }
	untold := func(number uint32) func(*scene) { return func(s *scene) { s.reroute(number, here) } }
	write := func(n int) func(*scene) {
		return func(s *scene) {
			for range n {
				s.forward(s.document(0, strings.Repeat("a text of its own kind ", len(s.sources)+1)), 1)
			}
			s.announce(0, 1, int64(len(s.sources)))
		}
	}
	silent := func(from, to int) func(*scene) {
		return func(s *scene) { s.tales = slices.Delete(s.tales, from, to) }
	}
	begin := func(s *scene) { s.begin() }
	for _, c := range []struct {
		name string
		do   []func(*scene)
		lost int
	}{
		{"from the beginning", []func(*scene){told(1), begin, write(3)}, 0},
		{"later", []func(*scene){untold(1), begin, write(2), told(2), write(2), silent(0, 2)}, 0},
		{"later, one is lost", []func(*scene){untold(1), begin, write(2), told(2), write(2), silent(0, 3)}, 1},
		{"no more", []func(*scene){told(1), begin, write(2), untold(2), write(2), silent(2, 4)}, 0},
		{"no more, one is lost", []func(*scene){told(1), begin, write(2), untold(2), write(2), silent(1, 4)}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := toldScene(t)
			s.append(&index.Settings{Text: settings, Wall: time.Now().UnixMilli()})
			for _, step := range c.do {
				step(s)
			}
			if got := s.audit(); got.Lost != c.lost || got.Broken() != c.lost || got.Records != len(s.sources) {
				t.Errorf("got %s, want %d lost", got.String(), c.lost)
			}
		})
	}
}

// What a topic of verdicts holds of an earlier journal, and of withheld and forgotten documents, breaks no promise.
func TestToldOfOthers(t *testing.T) {
	s := toldScene(t).tell()
	r := s.document(1, "an output will not take this document whatever it says")
	v := s.judge(r, 1)
	s.append(&index.Forget{Header: s.header(), Target: v.Position})
	s.output(func(dst *kgo.Record) { s.batch.Withhold(dst, r, sink.OutputRefused, "no \"good\"\n") })
	if got := s.audit(); !got.OK() || got.Verdicts != 6 || got.Rejected != 2 {
		t.Errorf("got %s", got.String())
	}
}

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
