package consumer

import (
	"strings"
	"testing"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/sink"
)

var loopCases = []struct {
	name    string
	sources string
	change  func(*sink.Params, *Params)
	want    []string // how each mistake begins, and a word that it contains
}{
	{"defaults", "news,blogs", func(*sink.Params, *Params) {}, nil},
	{"one output of several sources", "news,blogs", func(s *sink.Params, _ *Params) { s.Unique.Topic, s.Rejected.Topic = "all", "bad" }, nil},
	{
		"a source", "news,blogs", func(s *sink.Params, _ *Params) { s.Duplicate.Topic = "news" },
		[]string{"outputs.duplicate.topic: news: is a source, and is to take the duplicates: they would be read again"},
	},
	{
		"by its placeholder", "news,news.unique", func(*sink.Params, *Params) {},
		[]string{"outputs.unique.topic: news.unique: is a source"},
	},
	{
		"of another source", "raw.news,news", func(s *sink.Params, _ *Params) { s.Rejected.Topic = "raw.{source}" },
		[]string{"outputs.rejected.topic: raw.news: is a source"},
	},
	{
		"the journal", "news", func(s *sink.Params, p *Params) { p.Group, s.Unique.Topic = "j", "j.journal" },
		[]string{"outputs.unique.topic: j.journal: is the journal, and is to take the unique documents: no member could read it any more"},
	},
	{
		"the journal of the usual group", "news", func(s *sink.Params, _ *Params) { s.Unique.Topic = "unecho.journal" },
		[]string{"outputs.unique.topic: unecho.journal: is the journal"},
	},
	{
		"the journal by a placeholder", "unecho", func(s *sink.Params, _ *Params) { s.Unique.Topic = "{source}.journal" },
		[]string{"outputs.unique.topic: unecho.journal: is the journal"},
	},
	{
		"a journal that is a source", "news,j.journal", func(_ *sink.Params, p *Params) { p.Group = "j" },
		[]string{"group: j.journal: is its journal, and a source as well; take it out of sources.topics, or name another group"},
	},
	{
		"the followed journal is a source", "old.journal", func(_ *sink.Params, p *Params) { p.Succeeds = "old" },
		[]string{"succeeds: old.journal: is its journal, and a source as well"},
	},
	{
		"the followed journal is an output", "news", func(s *sink.Params, p *Params) { p.Succeeds, s.Rejected.Topic = "old", "old.journal" },
		[]string{"outputs.rejected.topic: old.journal: is the journal of the group that is followed, and is to take the rejected documents"},
	},
	{
		"outputs of two kinds", "news,blogs", func(s *sink.Params,
			_ *Params,
		) {
			s.Unique.Topic, s.Duplicate.Topic = "{source}.out", "news.out"
		},
		[]string{"outputs.duplicate.topic: news.out: is the unique documents, and is to take the duplicates"},
	},
	{
		"duplicates among the unique ones", "news,blogs",
		func(s *sink.Params, _ *Params) { s.Unique.Topic, s.Duplicate.Topic = "all", "all" }, nil,
	},
	{
		"verdicts in another role", "news",
		func(s *sink.Params, _ *Params) {
			s.Verdicts.Topic = "news.unique"
		},
		[]string{"outputs.verdicts.topic: news.unique: is the unique documents, and is to take the verdicts"},
	},
	{
		"verdicts in the source", "news",
		func(s *sink.Params, _ *Params) { s.Verdicts.Topic = "news" },
		[]string{"outputs.verdicts.topic: news: is a source, and is to take the verdicts: they would be read again"},
	},
	{
		"clusters in the source", "news",
		func(s *sink.Params, _ *Params) { s.Clusters.Topic = "news" },
		[]string{"outputs.clusters.topic: news: is a source, and is to take the clusters: they would be read again"},
	},
	{
		"duplicates that are dropped", "news",
		func(s *sink.Params, _ *Params) { s.Duplicate.Topic, s.Duplicate.Drop = "news", true }, nil,
	},
	{
		"what the sink refuses for itself", "news",
		func(s *sink.Params, _ *Params) {
			s.Unique.Topic, s.Rejected.Topic = "{source}", s.Duplicate.Topic
		}, nil,
	},
	{
		"the longest names", strings.Repeat("n", 239), func(_ *sink.Params, p *Params) { p.Group = strings.Repeat("g", 200) }, nil,
	},
	{
		"a name that is too long with one suffix", strings.Repeat("n", 240), func(*sink.Params, *Params) {},
		[]string{"outputs.duplicate.topic: " + strings.Repeat("n", 240) + ".duplicate: has 250 characters, and Kafka's topic names have 249 at most"},
	},
	{
		"names that are too long with all suffixes", strings.Repeat("n", 249), func(s *sink.Params, _ *Params) { s.Verdicts.Topic = "{source}.verdicts" },
		[]string{"outputs.unique.topic: n", "outputs.duplicate.topic: n", "outputs.rejected.topic: n", "outputs.verdicts.topic: n"},
	},
	{
		"all at once", "news,unecho.journal", func(s *sink.Params, _ *Params) { s.Unique.Topic, s.Duplicate.Topic = "news", "j" },
		[]string{"group: unecho.journal: is its journal", "outputs.unique.topic: news: is a source"},
	},
}

// Source, outputs and journal must be different topics by their final names. Each clash is reported once.
func TestLoops(t *testing.T) {
	for _, c := range loopCases {
		t.Run(c.name, func(t *testing.T) {
			out, p := sink.DefaultParams(), DefaultParams()
			p.Group = "unecho"
			c.change(&out, &p)
			found := Loops(p, sourcesOf(strings.Split(c.sources, ",")...), out)
			if len(found) != len(c.want) {
				t.Fatalf("found %v", found)
			}
			for i, want := range c.want {
				if !strings.HasPrefix(found[i].String(), want) {
					t.Errorf("got %q, want %q", found[i].String(), want)
				}
			}
		})
	}
}

// Beside a pattern, topics that are named have no name of an output of what it brings. The pattern alone makes no loop.
func TestLoopsOfAPattern(t *testing.T) {
	for named, want := range map[string]string{
		"news.a":               "",
		"other.unique":         "",
		"news.a.unique":        "sources[0].topics: news.a.unique: is named as a source, and is outputs.unique of news.a: it would be read again",
		"news.a,news.a.unique": "outputs.unique.topic: news.a.unique: is a source",
	} {
		source := sourcesOf(strings.Split(named, ",")...)
		source[0].Pattern = `news\..*`
		found := Loops(DefaultParams(), source, sink.DefaultParams())
		if want == "" && len(found) > 0 || want != "" && (len(found) == 0 || !strings.HasPrefix(found[0].String(), want)) {
			t.Errorf("%s: %v, want %q", named, found, want)
		}
	}
	p, out := DefaultParams(), sink.DefaultParams()
	p.Group, out.Rejected.Topic = "news.a", "{source}.journal"
	found := Loops(p, []document.Source{{Pattern: `news\..*`}}, out)
	if len(found) != 1 || !strings.Contains(found[0].String(), "is its journal, and is outputs.rejected of news.a") {
		t.Errorf("the journal: %v", found)
	}
}

// A service that was built without the configuration's checks does not start on a loop, and touches nothing.
func TestStartRefusesALoop(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Setup){
		"an output is the source":      func(s *Setup) { s.Sink.Duplicate.Topic = "news" },
		"an output is the journal":     func(s *Setup) { s.Sink.Unique.Topic = "unecho.journal" },
		"the journal is the source":    func(s *Setup) { s.Sources[0].Topics = []string{"news", "unecho.journal"} },
		"the list takes in an output":  func(s *Setup) { s.Sources[0].Topics = []string{"news", "news.unique"} },
		"two outputs are one topic":    func(s *Setup) { s.Sink.Duplicate.Topic, s.Sink.Unique.Topic = "news.out", "{source}.out" },
		"also where nothing goes out ": func(s *Setup) { s.Sink.DryRun, s.Sink.Duplicate.Topic = true, "news" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			w.refusedBy(w.launch(named("m"), change), "topics cannot be used so", "correct the configuration")
			if w.cluster.TopicInfo("unecho.journal") != nil {
				t.Error("the journal was made")
			}
		})
	}
}
