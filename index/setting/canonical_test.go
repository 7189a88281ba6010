package setting

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

func canonical(s sample) []byte { return Canonical("1", map[string]any{"room": s}) }

// The text is what the journal holds: if this test fails, members of the version before and after refuse to run
// together.
func TestCanonicalIsThisText(t *testing.T) {
	const want = `{"room.inner.age":"24h","room.inner.deep.bits":8,"room.inner.deep.mode":"a","room.inner.size":"1GiB",` +
		`"room.name":"bob","room.on":false,"room.ratio":"0.8","room.words":["x","y"],"version":"1"}`
	got := canonical(defaults())
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestCanonicalChangesWithEachVerdictSettingOnly(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*sample)
		differ bool
	}{
		"string":   {func(s *sample) { s.Name = "eve" }, true},
		"duration": {func(s *sample) { s.Inner.Age++ }, true},
		"size":     {func(s *sample) { s.Inner.Size++ }, true},
		"int":      {func(s *sample) { s.Inner.Deep.Bits = 4 }, true},
		"float":    {func(s *sample) { s.Flat.Ratio = 0.8001 }, true},
		"bool":     {func(s *sample) { s.Flat.On = true }, true},
		"list":     {func(s *sample) { s.Flat.Words = []string{"x,y"} }, true},
		"order":    {func(s *sample) { s.Flat.Words = []string{"y", "x"} }, true},
		"secret":   {func(s *sample) { s.Inner.Secret = "other" }, false},
		"nothing":  {func(*sample) {}, false},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := defaults(), defaults()
			c.change(&b)
			lines := Diff(canonical(a), canonical(b))
			if (len(lines) == 1) != c.differ || len(lines) > 1 || bytes.Equal(canonical(a), canonical(b)) == c.differ {
				t.Errorf("differences: %q", lines)
			}
		})
	}
}

func TestCanonicalTakesEmptyForNilLists(t *testing.T) {
	a, b := defaults(), defaults()
	a.Flat.Words, b.Flat.Words = nil, []string{}
	if string(canonical(a)) != string(canonical(b)) {
		t.Error("no list and an empty list differ")
	}
}

func TestCanonicalIsJSON(t *testing.T) {
	s := defaults()
	s.Name = "\"\\\n\t\x00 <&> \u2028 é"
	values := map[string]any{}
	if err := json.Unmarshal(canonical(s), &values); err != nil {
		t.Fatal(err)
	}
	if values["room.name"] != s.Name {
		t.Errorf("name reads %q, want %q", values["room.name"], s.Name)
	}
}

func TestDiffNamesBothSides(t *testing.T) {
	here, theirs := defaults(), defaults()
	theirs.Flat.Ratio, theirs.Flat.Words, theirs.Name, theirs.Inner.Age = 0.9, nil, "", time.Minute
	want := []string{
		`room.inner.age: 24h here, 1m in the journal`,
		`room.name: bob here, "" in the journal`,
		`room.ratio: 0.8 here, 0.9 in the journal`,
		`room.words: ["x","y"] here, [] in the journal`,
	}
	if got := Diff(canonical(here), canonical(theirs)); !slices.Equal(got, want) {
		t.Errorf("got %s", strings.Join(got, "\n    "))
	}
}

func TestDiffOfOtherVersions(t *testing.T) {
	got := Diff([]byte(`{"a":1,"b":"x","version":"2"}`), []byte(`{"c":"li\nes","b":"x","version":"1"}`))
	want := []string{
		`a: 1 here, not set in the journal`,
		`c: not set here, "li\nes" in the journal`,
		`version: 2 here, 1 in the journal`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %s", strings.Join(got, "\n    "))
	}
	if got := Diff(canonical(defaults()), []byte("noise")); len(got) != 1 ||
		!strings.Contains(got[0], "in the journal cannot be read") {
		t.Errorf("noise: %q", got)
	}
	if got := Diff(nil, nil); len(got) != 1 || !strings.Contains(got[0], "settings here cannot be read") {
		t.Errorf("nothing: %q", got)
	}
}

func FuzzDiff(f *testing.F) {
	f.Add(canonical(defaults()), []byte(`{"room.ratio":"0.9"}`))
	f.Add([]byte(`{"a":{}}`), []byte(`[1`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		for _, line := range Diff(a, b) {
			if strings.Contains(line, "\n") {
				t.Errorf("more than one line: %q", line)
			}
		}
		if json.Valid(a) && strings.HasPrefix(string(a), "{") && len(Diff(a, a)) > 0 {
			t.Errorf("differs from itself: %q", Diff(a, a))
		}
	})
}

// A setting that was added to those of a released version changes no text as long as it has the value that is left out.
func TestCanonicalLeavesOut(t *testing.T) {
	type added struct {
		Old string `key:"old" verdict:"true"`
		New string `key:"new" verdict:"true" omit:"as before"`
		Sum string `key:"sum" verdict:"true" omit:""`
	}
	for value, want := range map[string]string{
		"as before": `{"room.old":"x","version":"1"}`,
		"otherwise": `{"room.new":"otherwise","room.old":"x","version":"1"}`,
	} {
		if got := Canonical("1", map[string]any{"room": added{Old: "x", New: value}}); string(got) != want {
			t.Errorf("%s: got %s", value, got)
		}
	}
}
