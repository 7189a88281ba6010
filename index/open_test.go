package index_test

import (
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// The settings that are left open are planned for the window and the shingles; those that are set stay.
func TestPlanned(t *testing.T) {
	type sketch struct{ slots, bands, rows int }
	for name, c := range map[string]struct {
		change func(*index.Params)
		want   sketch
	}{
		"default":      {func(*index.Params) {}, sketch{78, 13, 6}},
		"estimate":     {func(p *index.Params) { p.Duplicates.Verify = "estimate" }, sketch{144, 13, 6}},
		"small window": {func(p *index.Params) { p.Duplicates.Remember.Documents = 1000 }, sketch{50, 10, 5}},
		"large window": {func(p *index.Params) { p.Duplicates.Remember.Memory, p.Duplicates.Remember.Documents = 0, 10_000_000 }, sketch{176, 22, 8}},
		"bounded by bytes": {func(p *index.Params) {
			p.Duplicates.Remember.Memory, p.Duplicates.Remember.Documents = 4<<30, 50_000_000
		}, sketch{176, 22, 8}},
		"bounded by age":       {func(p *index.Params) { p.Duplicates.Remember.Memory = 0 }, sketch{78, 13, 6}},
		"words":                {func(p *index.Params) { p.Duplicates.Shingle = "word:1" }, sketch{120, 17, 7}},
		"slots that are set":   {func(p *index.Params) { p.Duplicates.Slots = 128 }, sketch{128, 0, 0}},
		"bands that are set":   {func(p *index.Params) { p.Duplicates.Bands, p.Duplicates.Rows = 5, 3 }, sketch{16, 5, 3}},
		"by area":              {func(p *index.Params) { p.Duplicates.Plan = "area" }, sketch{128, 0, 0}},
		"runs of 3 characters": {func(p *index.Params) { p.Duplicates.Shingle = "char:3" }, sketch{350, 35, 10}},
		"edits of letters": {func(p *index.Params) {
			p.Duplicates.Verify, p.Duplicates.Shingle, p.Duplicates.Threshold = "levenshtein", "char:1", 0.88
		}, sketch{298, 33, 9}},
		"simhash": {func(p *index.Params) { p.Duplicates.Method = "simhash" }, sketch{128, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			p := index.DefaultParams()
			c.change(&p)
			q, err := p.Planned()
			if err != nil {
				t.Fatal(err)
			}
			s := q.Duplicates
			if got := (sketch{s.Slots, s.Bands, s.Rows}); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if again, err := q.Planned(); err != nil || again != q {
				t.Errorf("planned again it is %+v, %v", again, err)
			}
		})
	}
}

func textOf(p index.Params) []byte { return setting.Canonical("1", map[string]any{"": p}) }

// A member takes what its configuration leaves open from the text that the journal was begun with, whatever it would
// plan itself. What its configuration says is compared.
func TestAsBegun(t *testing.T) {
	open, old := index.DefaultParams(), index.DefaultParams()
	old.Duplicates.Slots = 128 // the defaults of versions that planned no cost
	begun := textOf(old)
	got, err := open.AsBegun(begun)
	if err != nil || got != old {
		t.Errorf("got %+v, %v", got, err)
	}
	if text := got.Written(textOf(open)); string(text) != string(begun) {
		t.Errorf("the text is %s", text)
	}
	if !index.Same(textOf(open), begun) || !index.Same(begun, textOf(open)) || len(index.Diff(textOf(open), begun)) > 0 {
		t.Errorf("they are not the same: %q", index.Diff(textOf(open), begun))
	}
	set := open
	set.Duplicates.Slots = 64
	if got, err := set.AsBegun(begun); err != nil || got.Duplicates.Slots != 64 {
		t.Errorf("got %+v, %v", got, err)
	}
	lines := strings.Join(index.Diff(textOf(set), begun), "; ")
	if index.Same(textOf(set), begun) || lines != "duplicates.slots: 64 here, 128 in the journal" {
		t.Errorf("they differ in %q", lines)
	}
}

// Where there is no journal yet its text says what was planned, so that nobody has to plan it again.
func TestPlanStandsInTheText(t *testing.T) {
	open := index.DefaultParams()
	first, err := open.AsBegun(nil)
	if err != nil {
		t.Fatal(err)
	}
	text := first.Written(textOf(open))
	if string(text) != string(textOf(first)) || !strings.Contains(string(text), `"duplicates.slots":78`) {
		t.Errorf("the text is %s", text)
	}
	open.Duplicates.Remember.Memory, open.Duplicates.Remember.Documents = 0, 50_000_000 // another file, by which another plan would be made
	second, err := open.AsBegun(text)
	first.Duplicates.Remember = second.Duplicates.Remember
	if err != nil || second.Duplicates != first.Duplicates {
		t.Errorf("got %+v, %v", second.Duplicates, err)
	}
	if index.Fingerprint(second.Written(textOf(open))) != index.Fingerprint(text) {
		t.Errorf("the fingerprints of %s and %s differ", second.Written(textOf(open)), text)
	}
}

func TestAsBegunRefuses(t *testing.T) {
	p := index.DefaultParams()
	if _, err := p.AsBegun([]byte(`{"duplicates.slots":"many"}`)); err == nil {
		t.Error("a number of slots that is none was taken")
	}
}

// Bands that are set and those of the journal differ, and so nothing else is taken for them: what is wrong is told as a
// difference of the settings.
func TestOwnBandsHaveOwnSlots(t *testing.T) {
	p, old := index.DefaultParams(), index.DefaultParams()
	p.Duplicates.Bands, p.Duplicates.Rows = 20, 7
	old.Duplicates.Slots = 128
	got, err := p.AsBegun(textOf(old))
	if err != nil || got.Duplicates.Slots != 140 || len(got.Validate()) > 0 {
		t.Errorf("%d slots, %v, %v", got.Duplicates.Slots, got.Validate(), err)
	}
	if lines := index.Diff(textOf(p), textOf(old)); len(lines) != 3 {
		t.Errorf("they differ in %q", lines)
	}
	old.Duplicates.Bands, old.Duplicates.Rows = 10, 5
	p.Duplicates.Bands, p.Duplicates.Rows = 10, 5
	if got, err := p.AsBegun(textOf(old)); err != nil || got.Duplicates != old.Duplicates || !index.Same(textOf(p), textOf(old)) {
		t.Errorf("got %+v, %v", got.Duplicates, err)
	}
}

// A sketch that has no slots has those of versions before in its text. So nobody takes his own for them.
func TestSimHashLeavesNothingOpen(t *testing.T) {
	p, old := index.DefaultParams(), index.DefaultParams()
	p.Duplicates.Method, old.Duplicates.Method = "simhash", "simhash"
	old.Duplicates.Slots = 128
	begun, err := p.AsBegun(nil)
	if err != nil || string(begun.Written(textOf(p))) != string(textOf(old)) {
		t.Errorf("the text is %s, %v", begun.Written(textOf(p)), err)
	}
	other := p
	other.Duplicates.Slots = 256
	if index.Same(textOf(other), textOf(begun)) {
		t.Error("256 slots are those of the journal")
	}
}
