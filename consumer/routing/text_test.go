package routing

import (
	"slices"
	"testing"

	"github.com/unecho/unecho/sink"
)

func text(change func(*sink.Params), topics ...string) []byte {
	out := sink.DefaultParams()
	change(&out)
	return Text(Source{Topics: topics, Start: "earliest"}, out)
}

func as(*sink.Params) {}

// If these texts change, members of the version before and after differ in the same routing.
func TestText(t *testing.T) {
	const want = `{"sink.dry_run":false,"sink.duplicate of a":"a.duplicate","sink.duplicate of b":"b.duplicate",` +
		`"sink.rejected of a":"a.rejected","sink.rejected of b":"b.rejected","sink.unique of a":"a.unique","sink.unique of b":"b.unique",` +
		`"source.start":"earliest","source.topics":["a","b"]}`
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
		{"another word for it", text(func(p *sink.Params) { p.Unique = "a.unique" }, "a"), text(as, "a"), nil},
		{"one output of two sources", text(func(p *sink.Params) { p.Unique = "all" }, "a", "b"), text(as, "a", "b"), []string{
			"sink.unique of a: all here, a.unique in the journal", "sink.unique of b: all here, b.unique in the journal",
		}},
		{"a source more", text(as, "a", "b"), text(as, "a"), []string{`source.topics: ["a","b"] here, ["a"] in the journal`}},
		{"another source", text(as, "b"), text(as, "a"), []string{`source.topics: ["b"] here, ["a"] in the journal`}},
		{"where it begins", Text(Source{Topics: []string{"a"}, Start: "latest"}, sink.DefaultParams()), text(as, "a"), []string{"source.start: latest here, earliest in the journal"}},
		{"a dry run", text(func(p *sink.Params) { p.DryRun = true }, "a"), text(as, "a"), []string{"sink.dry_run: true here, false in the journal"}},
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
		{"another one", text(func(p *sink.Params) { p.Unique = "all" }, "a"), [3]string{"all", "a.duplicate", "a.rejected"}, true},
		{"none for duplicates", text(func(p *sink.Params) { p.Duplicate = sink.None }, "a"), [3]string{"a.unique", "a.unique", "a.rejected"}, true},
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
	telling := func(p *sink.Params) { p.Metadata = sink.MetadataTopic }
	for _, c := range []struct {
		name string
		text []byte
		want string
	}{
		{"headers alone", text(as, "a"), ""},
		{"a topic", text(telling, "b", "a"), "a.verdicts"},
		{"another one", text(func(p *sink.Params) { p.Metadata, p.Verdicts = sink.MetadataTopic, "told" }, "a"), "told"},
		{"of another source", text(telling, "b"), ""},
		{"a dry run", text(func(p *sink.Params) { p.Metadata, p.DryRun = sink.MetadataTopic, true }, "a"), ""},
	} {
		if got := Verdicts(c.text, "a"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	want := []string{"sink.verdicts of a: a.verdicts here, not set in the journal"}
	if got := Diff(text(telling, "a"), text(as, "a")); !slices.Equal(got, want) {
		t.Errorf("they differ by %q", got)
	}
}
