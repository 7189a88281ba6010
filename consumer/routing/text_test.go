package routing

import (
	"slices"
	"testing"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/sink"
)

func text(change func(*sink.Params), topics ...string) []byte {
	out := sink.DefaultParams()
	change(&out)
	return Text([]document.Source{{Topics: topics, Start: "earliest"}}, out)
}

func as(*sink.Params) {}

// If these texts change, members of the version before and after differ in the same routing.
func TestText(t *testing.T) {
	const want = `{"--dry-run":false,"outputs.duplicate of a":"a.duplicate","outputs.duplicate of b":"b.duplicate",` +
		`"outputs.rejected of a":"a.rejected","outputs.rejected of b":"b.rejected","outputs.unique of a":"a.unique","outputs.unique of b":"b.unique",` +
		`"sources[0].start":"earliest","sources[0].topics":["a","b"]}`
	if got := string(text(as, "b", "a")); got != want {
		t.Errorf("got %s", got)
	}
}

func TestDiff(t *testing.T) {
	for _, c := range []struct {
		name          string
		here, journal []byte
		want          []string
	}{
		{"another order", text(as, "b", "a"), text(as, "a", "b"), nil},
		{"another word for it", text(func(p *sink.Params) { p.Unique.Topic = "a.unique" }, "a"), text(as, "a"), nil},
		{"one output of two sources", text(func(p *sink.Params) { p.Unique.Topic = "all" }, "a", "b"), text(as, "a", "b"), []string{
			"outputs.unique of a: all here, a.unique in the journal", "outputs.unique of b: all here, b.unique in the journal",
		}},
		{"a source more", text(as, "a", "b"), text(as, "a"), []string{`sources[0].topics: ["a","b"] here, ["a"] in the journal`}},
		{"another source", text(as, "b"), text(as, "a"), []string{`sources[0].topics: ["b"] here, ["a"] in the journal`}},
		{"where it begins", Text([]document.Source{{Topics: []string{"a"}, Start: "latest"}}, sink.DefaultParams()), text(as, "a"), []string{"sources[0].start: latest here, earliest in the journal"}},
		{"a dry run", text(func(p *sink.Params) { p.DryRun = true }, "a"), text(as, "a"), []string{"--dry-run: true here, false in the journal"}},
	} {
		if got := Diff(c.here, c.journal); !slices.Equal(got, c.want) {
			t.Errorf("%s: Diff = %q, want %q", c.name, got, c.want)
		}
	}
}

func TestOutputs(t *testing.T) {
	for _, c := range []struct {
		name string
		text []byte
		want [3]string
		ok   bool
	}{
		{"as they are by default", text(as, "b", "a"), [3]string{"a.unique", "a.duplicate", "a.rejected"}, true},
		{"another one", text(func(p *sink.Params) { p.Unique.Topic = "all" }, "a"), [3]string{"all", "a.duplicate", "a.rejected"}, true},
		{"none for duplicates", text(func(p *sink.Params) { p.Duplicate.Topic = p.Unique.Topic }, "a"), [3]string{"a.unique", "a.unique", "a.rejected"}, true},
		{"duplicates are dropped", text(func(p *sink.Params) { p.Duplicate.Drop = true }, "a"), [3]string{"a.unique", "", "a.rejected"}, true},
		{"a source that is not read", text(as, "b"), [3]string{}, false},
		{"a dry run", text(func(p *sink.Params) { p.DryRun = true }, "a"), [3]string{}, false},
		{"no routing", []byte("{"), [3]string{}, false},
	} {
		unique, duplicate, rejected, ok := Outputs(c.text, "a")
		if got := [3]string{unique, duplicate, rejected}; got != c.want || ok != c.ok {
			t.Errorf("%s: Outputs = %q, %t; want %q, %t", c.name, got, ok, c.want, c.ok)
		}
	}
}

// A routing has topics of verdicts only where there are such, so that the texts of all others stay as they were.
func TestVerdicts(t *testing.T) {
	telling := func(p *sink.Params) { p.Verdicts.Topic = "{source}.verdicts" }
	for _, c := range []struct {
		name string
		text []byte
		want string
	}{
		{"headers alone", text(as, "a"), ""},
		{"a topic", text(telling, "b", "a"), "a.verdicts"},
		{"another one", text(func(p *sink.Params) { p.Verdicts.Topic = "told" }, "a"), "told"},
		{"of another source", text(telling, "b"), ""},
		{"a dry run", text(func(p *sink.Params) { p.Verdicts.Topic, p.DryRun = "told", true }, "a"), ""},
	} {
		if got := Verdicts(c.text, "a"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if got := Clusters(c.text, "a"); got != "" {
			t.Errorf("%s: clusters go to %q", c.name, got)
		}
	}
	clusters := func(p *sink.Params) { p.Clusters.Topic = "{source}.clusters" }
	if got := Clusters(text(clusters, "b", "a"), "a"); got != "a.clusters" || Verdicts(text(clusters, "a"), "a") != "" {
		t.Errorf("clusters go to %q", got)
	}
	want := []string{"outputs.verdicts of a: a.verdicts here, not set in the journal"}
	if got := Diff(text(telling, "a"), text(as, "a")); !slices.Equal(got, want) {
		t.Errorf("they differ by %q", got)
	}
}
