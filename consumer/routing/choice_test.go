package routing

import (
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/sink"
)

// What a pattern brings does not depend on what else exists, and no output or journal is among it.
func TestChoice(t *testing.T) {
	for _, c := range []struct {
		name, pattern string
		out           func(*sink.Params)
		named         []string
		existing      string
		want          string
	}{
		{"without a pattern", "", as, []string{"b", "a"}, "a b c", "b a"},
		{"whole names", "news|blogs", as, nil, "news newsroom xblogs blogs old.news", "blogs news"},
		{"outputs", `news.*`, as, nil, "news news.a news.unique news.a.unique news.a.rejected news.a.duplicate", "news news.a"},
		{"outputs of outputs", `news.*`, as, nil, "news news.unique.unique news.rejected.unique", "news"},
		{"outputs of a source that does not exist", `news.*`, as, nil, "news.a.unique", ""},
		{"outputs of others", `.*\.unique`, as, nil, "a.unique a.unique.unique", "a.unique"},
		{"one output of all", `.*`, func(p *sink.Params) { p.Unique.Topic = "all" }, nil, "all a", "a"},
		{"no duplicates", `a.*`, func(p *sink.Params) { p.Duplicate.Drop = true }, nil, "a a.duplicate", "a a.duplicate"},
		{"verdicts", `a.*`, func(p *sink.Params) { p.Verdicts.Topic = "{source}.verdicts" }, nil, "a a.verdicts", "a"},
		{"clusters", `a.*`, func(p *sink.Params) { p.Clusters.Topic = "{source}.clusters" }, nil, "a a.clusters", "a"},
		{"no verdicts", `a.*`, as, nil, "a a.verdicts", "a a.verdicts"},
		{"a placeholder in the middle", `.*`, func(p *sink.Params) { p.Unique.Topic = "x-{source}-{source}" }, nil, "x-a-a x-a-b x-ab-ab x--", "x-- x-a-b"},
		{"the journal, and internal ones", `.*`, as, nil, "us.journal __consumer_offsets them.journal a", "a them.journal"},
		{"backfills", `.*`, as, nil, "a a.backfill.unique a.backfill.x.unique unecho-backfill.a.journal", "a"},
		{"named ones too", `news\..*`, as, []string{"news.z", "other"}, "news.z news.a other", "news.z other news.a"},
		{"outputs of named ones", `.*\.unique`, as, []string{"a"}, "a.unique b.unique", "a b.unique"},
	} {
		out := sink.DefaultParams()
		c.out(&out)
		choice, err := Choose([]document.Source{{Topics: c.named, Pattern: c.pattern}}, out, "us.journal")
		if err != nil {
			t.Fatal(err)
		}
		existing := strings.Fields(c.existing)
		if got := strings.Join(choice.Among(existing), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		for _, topic := range existing {
			if why := choice.Excluded(topic); choice.fits(topic) && choice.Reads(topic) != (why == "") {
				t.Errorf("%s: it says %q of %s, read %v", c.name, why, topic, choice.Reads(topic))
			}
		}
	}
}

func TestWrongPattern(t *testing.T) {
	for _, pattern := range []string{"(", "a)|(b", "a{2000}", strings.Repeat("a", 1001)} {
		if _, err := Choose([]document.Source{{Pattern: pattern}}, sink.DefaultParams()); err == nil {
			t.Errorf("%.20s is taken", pattern)
		}
	}
}

// A routing has a pattern and templates in place of the topics that come and go.
func TestTextOfAPattern(t *testing.T) {
	of := func(pattern string, change func(*sink.Params), topics ...string) []byte {
		out := sink.DefaultParams()
		change(&out)
		return Text([]document.Source{{Topics: topics, Pattern: pattern, Start: "earliest"}}, out)
	}
	const want = `{"--dry-run":false,"outputs.duplicate of {source}":"{source}.duplicate","outputs.rejected of {source}":"{source}.rejected",` +
		`"outputs.unique of {source}":"{source}.unique","sources[0].pattern":"a.*","sources[0].start":"earliest","sources[0].topics":[]}`
	text := of("a.*", as)
	if string(text) != want {
		t.Errorf("got %s", text)
	}
	if unique, _, rejected, ok := Outputs(text, "ab"); unique != "ab.unique" || rejected != "ab.rejected" || !ok {
		t.Errorf("outputs %s, %s, %v", unique, rejected, ok)
	}
	for _, topic := range []string{"b", "ab.unique"} {
		if _, _, _, ok := Outputs(text, topic); ok {
			t.Errorf("%s is read", topic)
		}
	}
	verdicts := of("a.*", func(p *sink.Params) { p.Verdicts.Topic, p.Duplicate.Topic = "{source}.verdicts", p.Unique.Topic })
	if unique, duplicate, _, _ := Outputs(verdicts, "ab"); Verdicts(verdicts, "ab") != "ab.verdicts" || unique != duplicate {
		t.Errorf("verdicts in %s, duplicates in %s", Verdicts(verdicts, "ab"), duplicate)
	}
	for _, c := range []struct {
		here, journal []byte
		want          []string
	}{
		{text, of("a.*", as), nil},
		{of("b", as), text, []string{"sources[0].pattern: b here, a.* in the journal"}},
		{of("a.*", func(p *sink.Params) { p.Unique.Topic = "all" }), text, []string{"outputs.unique of {source}: all here, {source}.unique in the journal"}},
		{of("", as, "a"), text, []string{"sources[0].pattern: not set here, a.* in the journal", `sources[0].topics: ["a"] here, [] in the journal`}},
	} {
		if got := Diff(c.here, c.journal); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
