package audit_test

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/sink"
)

func grouping(p *sink.Params) { p.Clusters.Topic = "{source}.clusters" }

// groupedScene has a topic of clusters.
func groupedScene(t *testing.T) *scene {
	t.Helper()
	s := newScene(t)
	grouping(&s.sink)
	s.reset()
	return s
}

// regroup changes what a record of clusters says.
func (s *scene) regroup(i int, old, by string) {
	s.t.Helper()
	s.reword(&s.groups[i].Value, old, by)
}

// ofAnother has a record of clusters name another journal.
func (s *scene) ofAnother(i int) {
	s.t.Helper()
	s.regroup(i, base64.RawURLEncoding.EncodeToString(s.journal[:]), base64.RawURLEncoding.EncodeToString(s.id[:]))
}

// about changes the document that a record of clusters is about, with its key.
func (s *scene) about(i int, newest, partition string) *kgo.Record {
	r := *s.groups[i]
	r.Value = []byte(strings.Replace(string(r.Value), `"newest":"news/1/1"`, `"newest":"`+newest+`"`, 1))
	r.Key, r.Partition = []byte("news/0/0 "+partition), int32(partition[len(partition)-1]-'0')
	return &r
}

// grouped is what an audit finds of the story, whose two copies are of one key: groups 0 and 1 are of them.
func grouped(change func(r *audit.Report)) audit.Report {
	r := audit.Report{Records: 5, Unique: 2, Duplicate: 2, Rejected: 1, Clusters: 2}
	change(&r)
	return r
}

// regrouping is what happens to the records of clusters, and what an audit says of it.
type regrouping struct {
	name string
	do   func(s *scene)
	want audit.Report
	says string
}

func tryRegrouped(t *testing.T, all []regrouping) {
	t.Helper()
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := groupedScene(t).tell()
			c.do(s)
			if got := s.audit(); !sameCounts(got, c.want) || !strings.Contains(got.String(), c.says) {
				t.Errorf("got %s\nwant %s\n  with %s", got.String(), c.want.String(), c.says)
			}
		})
	}
}

// Each copy has one record of clusters, of which compaction may take away all but the last of a key.
func TestClusterRecords(t *testing.T) {
	five := grouped(func(*audit.Report) {})
	tryRegrouped(t, []regrouping{
		{"as it should", func(*scene) {}, five, ", 2 clusters"},
		{"compacted", func(s *scene) { s.groups = s.groups[1:] }, grouped(func(r *audit.Report) { r.Clusters = 1 }), ""},
		{
			"the last is lost", func(s *scene) { s.groups = s.groups[:1] }, grouped(func(r *audit.Report) { r.Clusters, r.Lost = 1, 1 }),
			`lost: news/1/1: it is a copy, and neither its record nor a later one of key "news/0/0 news/1" is in news.clusters, ` +
				`which must have cleanup.policy compact alone`,
		},
		{"all are lost", func(s *scene) { s.groups = nil }, grouped(func(r *audit.Report) { r.Clusters, r.Lost = 0, 1 }), "lost: news/1/1"},
		{"one comes twice", func(s *scene) { s.groups = append(s.groups, s.groups[1]) }, grouped(func(r *audit.Report) { r.Clusters, r.Doubled = 3, 1 }), "a copy has one"},
		{"a unique document has one", func(s *scene) {
			s.groups = append(s.groups, s.about(1, "news/0/1", "news/0"))
		}, grouped(func(r *audit.Report) { r.Clusters, r.Doubled = 3, 1 }), "what is none has none"},
		{"of no document", func(s *scene) {
			s.groups = append(s.groups, s.about(1, "news/1/17", "news/1"))
		}, grouped(func(r *audit.Report) { r.Clusters, r.Invented = 3, 1 }), "there is no such source record"},
		{"of no partition", func(s *scene) {
			s.groups = append(s.groups, s.about(1, "blog/1/1", "blog/1"))
		}, grouped(func(r *audit.Report) { r.Clusters, r.Invented = 3, 1 }), "of no audited source partition"},
		{"in another order", func(s *scene) { slices.Reverse(s.groups) }, grouped(func(r *audit.Report) { r.Misordered = 1 }), "misordered: news/1/1"},
		{"no JSON", func(s *scene) { s.groups[1].Value = nil }, grouped(func(r *audit.Report) { r.Lost, r.Invented = 1, 1 }), "of no audited source partition"},
		{"replaced by a later copy's of another journal", func(s *scene) {
			s.groups[1] = s.about(1, "news/1/17", "news/1")
			s.ofAnother(1)
		}, grouped(func(r *audit.Report) { r.Earlier = 1 }), "1 of an earlier journal"},
		{"of another journal and key", func(s *scene) {
			s.groups[1] = s.about(1, "news/1/17", "news/1")
			s.ofAnother(1)
			s.groups[1].Key = []byte("news/0/1 news/1")
		}, grouped(func(r *audit.Report) { r.Lost, r.Earlier = 1, 1 }), "1 of an earlier journal"},
		{"lost, and an earlier copy has one of another journal", func(s *scene) {
			s.ofAnother(0)
			s.groups = s.groups[:1]
		}, grouped(func(r *audit.Report) { r.Clusters, r.Lost, r.Earlier = 1, 1, 1 }), "lost: news/1/1"},
		{"all name another journal", func(s *scene) {
			s.ofAnother(0)
			s.ofAnother(1)
		}, grouped(func(r *audit.Report) { r.Lost, r.Earlier = 1, 2 }), "lost: news/1/1"},
		{"of duplicates that are dropped", dropped, grouped(func(r *audit.Report) { r.Duplicate, r.Dropped = 0, 2 }), ""},
	})
}

// A record of clusters says what the output of its copy says, and where the journal has judged it.
func TestWhatClusterRecordsSay(t *testing.T) {
	different := grouped(func(r *audit.Report) { r.Different = 1 })
	tryRegrouped(t, []regrouping{
		{"another count", func(s *scene) { s.regroup(1, `"copies":2`, `"copies":1`) }, different, `copies is "1", its output or the journal says "2"`},
		{"a count as text", func(s *scene) { s.regroup(1, `"copies":2`, `"copies":"2"`) }, different, `field "copies" is 2, which is of another type`},
		{"another original", func(s *scene) {
			s.regroup(1, `"news/0/0"`, `"news/0/1"`)
			s.groups[1].Key = []byte("news/0/1 news/1")
		}, different, `original is "news/0/1"`},
		{"another time of the original", func(s *scene) { s.regroup(0, `"first":"2023`, `"first":"2022`) }, different, `first is "2022`},
		{"another time of the copy", func(s *scene) { s.regroup(0, `"last":"2023`, `"last":"2022`) }, different, `last is "2022`},
		{"another position", func(s *scene) { s.regroup(0, `"journal_offset":`, `"journal_offset":1`) }, different, `journal_offset is "1`},
		{"a position within a record", func(s *scene) { s.regroup(1, `"journal_entry":0`, `"journal_entry":1`) }, different, `journal_entry is "1"`},
		{"a field twice", func(s *scene) { s.regroup(0, `{`, `{"copies":9,`) }, different, `field "copies" stands twice`},
		{"something behind it", func(s *scene) { s.groups[1].Value = append(s.groups[1].Value, "}x"...) }, different, "something stands behind the JSON object"},
		{"no journal", func(s *scene) { s.regroup(0, `"journal":"`, `"journel":"`) }, different, `field journal is "", which is no id of a topic`},
		{"no journal's id", func(s *scene) { s.regroup(0, `"journal":"`, `"journal":"x`) }, different, "which is no id of a topic"},
		{"a field more", func(s *scene) { s.regroup(1, `{`, `{"mood":"good",`) }, different, `mood is "good", and should not be there`},
		{"the key of the original alone", func(s *scene) { s.groups[1].Key = []byte("news/0/0") }, different, `the key is "news/0/0", and it is about news/0/0 news/1`},
		{"another partition", func(s *scene) { s.groups[1].Partition = 0 }, different, "it stands in partition 0, its copy came from 1"},
		{"another count of what is dropped", func(s *scene) {
			dropped(s)
			s.regroup(0, `"copies":1`, `"copies":3`)
		}, grouped(func(r *audit.Report) { r.Duplicate, r.Dropped, r.Different = 0, 2, 1 }), `copies is "3"`},
	})
}

// After an offset was set back, the records of the later pass replace those of the one before, of whatever documents.
func TestClustersOfTwoPasses(t *testing.T) {
	for name, c := range map[string]struct {
		kept []int // of groups: two of the first pass, and one of the second
		lost int
	}{
		"all":                   {[]int{0, 1, 2}, 0},
		"compacted":             {[]int{2}, 0},
		"the second's was lost": {[]int{0, 1}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := groupedScene(t).tell()
			s.announce(1, 1, 2)
			s.reposition(1, 0, 2)
			s.forward(s.sources[2], 2)
			s.document(1, "this one comes later, and nobody has judged it before")
			s.forward(s.sources[3], 2)
			s.groups = s.groups[:3]
			s.outputs = s.outputs[:len(s.outputs)-1]
			var kept []*kgo.Record
			for _, i := range c.kept {
				kept = append(kept, s.groups[i])
			}
			s.groups = kept
			got := s.audit()
			clusters := strings.Count(got.String(), "news.clusters")
			if clusters != c.lost {
				t.Errorf("got %s, want %d lost records of clusters", got.String(), c.lost)
			}
		})
	}
}

// Only what was forwarded by a routing with a topic of clusters has records there.
func TestClustersSinceTheRoutingChanged(t *testing.T) {
	for name, first := range map[string]func(*sink.Params){"from the beginning": grouping, "later": here} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := groupedScene(t)
			s.append(&index.Settings{Text: settings, Wall: 1})
			s.reroute(1, first)
			s.tell()
			s.announce(0, 1, 3)
			s.announce(1, 1, 2)
			s.reroute(2, grouping)
			s.groups = nil
			want := 0
			if name == "from the beginning" {
				want = 1
			}
			if got := s.audit(); got.Lost != want || got.Broken() != want {
				t.Errorf("got %s, want %d lost", got.String(), want)
			}
		})
	}
}

// Compaction goes on while an audit reads: it takes away a record for one that is written behind what the audit reads.
func TestClustersCompactedMeanwhile(t *testing.T) {
	for name, key := range map[string]string{"a later copy": "news/0/0 news/1", "a copy of another": "news/0/1 news/1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := groupedScene(t).tell()
			s.transaction(kgo.TryCommit, s.outputs...)
			later, written := *s.groups[1], false
			later.Key = []byte(key)
			in := s.inputs()
			in.Progress = func(p audit.Progress) {
				if p.Stage == audit.StageSource && !written {
					written = true
					s.produce(&later)
				}
			}
			got, err := audit.Run(t.Context(), in)
			if err != nil || !written || got.OK() != (name == "a later copy") || got.Lost != got.Broken() {
				t.Errorf("got %s, error %v", got.String(), err)
			}
		})
	}
}

// Where the journal is trimmed, a record of clusters is held against its output. Of a duplicate that may have been dropped
// only the document is known.
func TestClustersOfATrimmedJournal(t *testing.T) {
	twice := func(s *scene) { s.groups = append(s.groups, s.groups[1]) }
	last := func(s *scene) { s.regroup(1, `"last":"2023`, `"last":"1999`) }
	for name, c := range map[string]struct {
		dropped            bool
		do                 func(s *scene)
		different, doubled int
	}{
		"as it should":               {false, func(*scene) {}, 0, 0},
		"another position":           {false, func(s *scene) { s.regroup(0, `"journal_offset":`, `"journal_offset":1`) }, 0, 0},
		"another count":              {false, func(s *scene) { s.regroup(0, `"copies":1`, `"copies":3`) }, 1, 0},
		"twice":                      {false, twice, 0, 1},
		"dropped duplicates":         {true, func(*scene) {}, 0, 0},
		"dropped and compacted":      {true, func(s *scene) { s.groups = s.groups[1:] }, 0, 0},
		"dropped and lost":           {true, func(s *scene) { s.groups = nil }, 0, 0},
		"dropped, of any count":      {true, func(s *scene) { s.regroup(0, `"copies":1`, `"copies":3`) }, 0, 0},
		"dropped, twice":             {true, twice, 0, 1},
		"dropped, with another time": {true, last, 1, 0},
		"dropped, without a count":   {true, func(s *scene) { s.regroup(1, `"copies":2,`, ``) }, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := groupedScene(t).tell()
			s.announce(0, 1, 3)
			s.announce(1, 1, 2)
			if c.dropped {
				dropped(s)
			}
			c.do(s)
			in := s.trimHere()
			s.transaction(kgo.TryCommit, append(s.outputs, s.groups...)...)
			if got := s.run(in); got.Different != c.different || got.Doubled != c.doubled || got.Broken() != c.different+c.doubled ||
				got.Clusters != len(s.groups) || got.Unjudged == 0 {
				t.Errorf("got %s, want %d different, %d doubled", got.String(), c.different, c.doubled)
			}
		})
	}
}
