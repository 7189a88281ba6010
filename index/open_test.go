package index_test

import (
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// The settings that are left open are planned for the window and the shingles; those that are set stay.
func TestPlanned(t *testing.T) {
	type sketch struct{ slots, bands, rows, codeBits int }
	for name, c := range map[string]struct {
		change func(*index.Params)
		want   sketch
	}{
		"default":            {func(*index.Params) {}, sketch{78, 13, 6, 4}},
		"estimate":           {func(p *index.Params) { p.Similarity.Verify = "estimate" }, sketch{144, 13, 6, 4}},
		"codes of 8 bits":    {func(p *index.Params) { p.Similarity.Verify, p.Similarity.CodeBits = "estimate", 8 }, sketch{128, 13, 6, 8}},
		"small window":       {func(p *index.Params) { p.Window.Count = 1000 }, sketch{50, 10, 5, 4}},
		"large window":       {func(p *index.Params) { p.Window.Bytes, p.Window.Count = 0, 10_000_000 }, sketch{120, 17, 7, 4}},
		"bounded by bytes":   {func(p *index.Params) { p.Window.Bytes, p.Window.Count = 4<<30, 50_000_000 }, sketch{120, 17, 7, 4}},
		"bounded by age":     {func(p *index.Params) { p.Window.Bytes = 0 }, sketch{50, 10, 5, 4}},
		"words":              {func(p *index.Params) { p.Similarity.Shingle = "word:1" }, sketch{120, 17, 7, 4}},
		"slots that are set": {func(p *index.Params) { p.Similarity.Slots = 128 }, sketch{128, 0, 0, 4}},
		"bands that are set": {func(p *index.Params) { p.Similarity.Bands, p.Similarity.Rows = 5, 3 }, sketch{16, 5, 3, 4}},
		"by area":            {func(p *index.Params) { p.Similarity.Plan = "area" }, sketch{128, 0, 0, 4}},
		"simhash":            {func(p *index.Params) { p.Similarity.Sketch = "simhash" }, sketch{0, 0, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			p := index.DefaultParams()
			c.change(&p)
			q, err := p.Planned()
			if err != nil {
				t.Fatal(err)
			}
			s := q.Similarity
			if got := (sketch{s.Slots, s.Bands, s.Rows, s.CodeBits}); got != c.want {
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
	old.Similarity.Slots, old.Similarity.CodeBits = 128, 8 // the defaults of versions that planned no cost
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
	set.Similarity.Slots = 64
	if got, err := set.AsBegun(begun); err != nil || got.Similarity.Slots != 64 || got.Similarity.CodeBits != 8 {
		t.Errorf("got %+v, %v", got, err)
	}
	lines := strings.Join(index.Diff(textOf(set), begun), "; ")
	if index.Same(textOf(set), begun) || lines != "similarity.slots: 64 here, 128 in the journal" {
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
	if string(text) != string(textOf(first)) || !strings.Contains(string(text), `"similarity.slots":78`) {
		t.Errorf("the text is %s", text)
	}
	open.Window.Bytes, open.Window.Count = 0, 50_000_000 // another file, by which another plan would be made
	second, err := open.AsBegun(text)
	if err != nil || second.Similarity != first.Similarity {
		t.Errorf("got %+v, %v", second.Similarity, err)
	}
	if index.Fingerprint(second.Written(textOf(open))) != index.Fingerprint(text) {
		t.Errorf("the fingerprints of %s and %s differ", second.Written(textOf(open)), text)
	}
}

func TestAsBegunRefuses(t *testing.T) {
	p := index.DefaultParams()
	if _, err := p.AsBegun([]byte(`{"similarity.slots":"many"}`)); err == nil {
		t.Error("a number of slots that is none was taken")
	}
}
