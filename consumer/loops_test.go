package consumer

import (
	"strings"
	"testing"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/sink"
)

var loopCases = []struct {
	name    string
	sources string
	change  func(*sink.Params, *journal.Params)
	want    []string // how each mistake begins, and a word that it contains
}{
	{"defaults", "news,blogs", func(*sink.Params, *journal.Params) {}, nil},
	{"one output of several sources", "news,blogs", func(s *sink.Params, _ *journal.Params) { s.Unique.Topic, s.Rejected.Topic = "all", "bad" }, nil},
	{
		"a source", "news,blogs", func(s *sink.Params, _ *journal.Params) { s.Duplicate.Topic = "news" },
		[]string{"outputs.duplicate.topic: news: is a source, and is to take the duplicates: they would be read again"},
	},
	{
		"by its placeholder", "news,news.unique", func(*sink.Params, *journal.Params) {},
		[]string{"outputs.unique.topic: news.unique: is a source"},
	},
	{
		"of another source", "raw.news,news", func(s *sink.Params, _ *journal.Params) { s.Rejected.Topic = "raw.{source}" },
		[]string{"outputs.rejected.topic: raw.news: is a source"},
	},
	{
		"the journal", "news", func(s *sink.Params, j *journal.Params) { j.Topic, s.Unique.Topic = "j", "j" },
		[]string{"outputs.unique.topic: j: is the journal, and is to take the unique documents: no member could read it any more"},
	},
	{
		"the journal by its default", "news", func(s *sink.Params, _ *journal.Params) { s.Unique.Topic = "unecho.journal" },
		[]string{"outputs.unique.topic: unecho.journal: is the journal"},
	},
	{
		"the journal by a placeholder", "unecho", func(s *sink.Params, _ *journal.Params) { s.Unique.Topic = "{source}.journal" },
		[]string{"outputs.unique.topic: unecho.journal: is the journal"},
	},
	{
		"a journal that is a source", "news,j", func(_ *sink.Params, j *journal.Params) { j.Topic = "j" },
		[]string{"journal.topic: j: is a source as well; give the journal a topic of its own"},
	},
	{
		"a source called as the journal is by default", "unecho.journal", func(*sink.Params, *journal.Params) {},
		[]string{"journal.topic: unecho.journal: is a source as well"},
	},
	{
		"outputs of two kinds", "news,blogs", func(s *sink.Params,
			_ *journal.Params,
		) {
			s.Unique.Topic, s.Duplicate.Topic = "{source}.out", "news.out"
		},
		[]string{"outputs.duplicate.topic: news.out: is the unique documents, and is to take the duplicates"},
	},
	{
		"duplicates among the unique ones", "news,blogs",
		func(s *sink.Params, _ *journal.Params) { s.Unique.Topic, s.Duplicate.Topic = "all", "all" }, nil,
	},
	{
		"verdicts in another role", "news",
		func(s *sink.Params, _ *journal.Params) {
			s.Verdicts.Topic = "news.unique"
		},
		[]string{"outputs.verdicts.topic: news.unique: is the unique documents, and is to take the verdicts"},
	},
	{
		"verdicts in the source", "news",
		func(s *sink.Params, _ *journal.Params) { s.Verdicts.Topic = "news" },
		[]string{"outputs.verdicts.topic: news: is a source, and is to take the verdicts: they would be read again"},
	},
	{
		"duplicates that are dropped", "news",
		func(s *sink.Params, _ *journal.Params) { s.Duplicate.Topic, s.Duplicate.Drop = "news", true }, nil,
	},
	{
		"what the sink refuses for itself", "news",
		func(s *sink.Params, _ *journal.Params) {
			s.Unique.Topic, s.Rejected.Topic = "{source}", s.Duplicate.Topic
		}, nil,
	},
	{
		"the longest names", strings.Repeat("n", 239), func(_ *sink.Params, j *journal.Params) { j.Topic = strings.Repeat("j", 249) }, nil,
	},
	{
		"a name that is too long with one suffix", strings.Repeat("n", 240), func(*sink.Params, *journal.Params) {},
		[]string{"outputs.duplicate.topic: " + strings.Repeat("n", 240) + ".duplicate: has 250 characters, and Kafka's topic names have 249 at most"},
	},
	{
		"names that are too long with all suffixes", strings.Repeat("n", 249), func(s *sink.Params, _ *journal.Params) { s.Verdicts.Topic = "{source}.verdicts" },
		[]string{"outputs.unique.topic: n", "outputs.duplicate.topic: n", "outputs.rejected.topic: n", "outputs.verdicts.topic: n"},
	},
	{
		"a journal that is too long", "news", func(_ *sink.Params, j *journal.Params) { j.Topic = strings.Repeat("j", 250) },
		[]string{"journal.topic: " + strings.Repeat("j", 250) + ": has 250 characters"},
	},
	{
		"a journal with a blank", "news", func(_ *sink.Params, j *journal.Params) { j.Topic = "the journal" },
		[]string{"journal.topic: the journal: is no name of a topic; use letters"},
	},
	{
		"all at once", "news", func(s *sink.Params,
			j *journal.Params,
		) {
			j.Topic, s.Unique.Topic, s.Duplicate.Topic = "news", "news", "j"
		},
		[]string{"journal.topic: news: is a source", "outputs.unique.topic: news: is a source"},
	},
}

// Source, outputs and journal must be different topics by their final names. Each clash is reported once.
func TestLoops(t *testing.T) {
	for _, c := range loopCases {
		t.Run(c.name, func(t *testing.T) {
			out, j := sink.DefaultParams(), journal.DefaultParams()
			c.change(&out, &j)
			p := DefaultParams()
			p.Group = "unecho"
			found := Loops(p, SourceParams{Topics: strings.Split(c.sources, ",")}, j, out)
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
		"news.a.unique":        "source.topics: news.a.unique: is named as a source, and is outputs.unique of news.a: it would be read again",
		"news.a,news.a.unique": "outputs.unique.topic: news.a.unique: is a source",
	} {
		source := SourceParams{Topics: strings.Split(named, ","), Pattern: `news\..*`}
		found := Loops(DefaultParams(), source, journal.DefaultParams(), sink.DefaultParams())
		if want == "" && len(found) > 0 || want != "" && (len(found) == 0 || !strings.HasPrefix(found[0].String(), want)) {
			t.Errorf("%s: %v, want %q", named, found, want)
		}
	}
	j := journal.DefaultParams()
	j.Topic = "news.a.rejected"
	found := Loops(DefaultParams(), SourceParams{Pattern: `news\..*`}, j, sink.DefaultParams())
	if len(found) != 1 || !strings.Contains(found[0].String(), "is the journal, and is outputs.rejected of news.a") {
		t.Errorf("the journal: %v", found)
	}
}

// A service that was built without the configuration's checks does not start on a loop, and touches nothing.
func TestStartRefusesALoop(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Setup){
		"an output is the source":      func(s *Setup) { s.Sink.Duplicate.Topic = "news" },
		"an output is the journal":     func(s *Setup) { s.Sink.Unique.Topic = "unecho.journal" },
		"the journal is the source":    func(s *Setup) { s.Journal.Topic = "news" },
		"the list takes in an output":  func(s *Setup) { s.Source.Topics = []string{"news", "news.unique"} },
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
