package sketch_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/sketch"
)

// usual are settings that every scheme can work with.
func usual() sketch.Params {
	return sketch.Params{Threshold: 0.8, Recall: 0.98, Slots: 128, Bits: 64, Distance: 3}
}

// TestSchemes checks what every scheme promises. It tries a new scheme without another line.
func TestSchemes(t *testing.T) {
	for _, name := range sketch.Names() {
		t.Run(name, func(t *testing.T) {
			scheme, err := sketch.SchemeOf(name)
			if err != nil || scheme.Name() != name {
				t.Fatalf("found %v, %v", scheme, err)
			}
			p := usual()
			if wrong := scheme.Check(p); wrong != nil {
				t.Errorf("refused: %+v", *wrong)
			}
			s, err := scheme.New(p)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(s.Algorithm(), name+"/") {
				t.Errorf("algorithm %s", s.Algorithm())
			}
			banding, err := scheme.Banding(p)
			if err != nil || (banding.Rows == 0) != scheme.ByDistance() || banding.Rows > 0 && banding.Bands != s.Bands() {
				t.Errorf("banding %v, %v; %d bands", banding, err, s.Bands())
			}
			if text, err := scheme.Describe(p); err != nil || !strings.HasPrefix(text, name+" of ") {
				t.Errorf("described as %q, %v", text, err)
			}
			checkAgreement(t, scheme, s)
		})
	}
}

// checkAgreement compares a text with a near copy and with another one.
func checkAgreement(t *testing.T, scheme sketch.Scheme, s sketch.Sketch) {
	t.Helper()
	codes := func(text string) []byte {
		s.Sign(shingles(text))
		return s.AppendCodes(nil)
	}
	own, agreed := codes(original), [2]int{}
	for i, other := range [][]byte{codes(nearCopy), codes(unrelated)} {
		num, den := s.Similarity(own, other)
		a, err := scheme.Agree(usual(), sketch.Pair{
			A: own, B: other, Jaccard: 0.5, Estimate: float64(num) / float64(den),
			Shared: 1, Keys: s.Bands(),
		})
		if err != nil || a.Lines[0].Name == "" || a.Lines[1].Text == "" || a.Apart == "" ||
			(a.Differ != "") != scheme.ByDistance() {
			t.Errorf("agreement %+v, %v", a, err)
		}
		if (a.Bits > 0) != scheme.ByDistance() || (a.Slots > 0) == scheme.ByDistance() {
			t.Errorf("agreement has %d bits and %d slots", a.Bits, a.Slots)
		}
		x, y := scheme.Bits(usual(), own), scheme.Bits(usual(), other)
		if len(x) != max(a.Bits, a.Slots) || len(y) != len(x) || strings.Trim(x+y, "01") != "" {
			t.Errorf("bits %q and %q", x, y)
		}
		for at := range x {
			if x[at] == y[at] {
				agreed[i]++
			}
		}
	}
	if agreed[0] <= agreed[1] {
		t.Errorf("%d bits agree with the near copy, %d with the other text", agreed[0], agreed[1])
	}
}

func TestSchemesRefuse(t *testing.T) {
	for key, c := range map[string]struct {
		name   string
		change func(*sketch.Params)
	}{
		"slots":    {"minhash", func(p *sketch.Params) { p.Threshold = 0.01 }},
		"bands":    {"minhash", func(p *sketch.Params) { p.Bands, p.Rows = 20, 7 }},
		"distance": {"simhash", func(p *sketch.Params) { p.Distance = 9 }},
	} {
		p := usual()
		c.change(&p)
		scheme, err := sketch.SchemeOf(c.name)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := scheme.Check(p); wrong == nil || wrong.Key != key || wrong.Problem == "" || wrong.Remedy == "" {
			t.Errorf("Check says %+v; want a mistake of %s with a problem and a remedy", wrong, key)
		}
		if _, err := scheme.New(p); err == nil {
			t.Errorf("%s: a sketch was made", key)
		}
	}
	if s, err := sketch.SchemeOf("hash"); err == nil {
		t.Errorf("found %v", s)
	}
	if !slices.Equal(sketch.Names()[:2], []string{"minhash", "simhash"}) {
		t.Errorf("names %v: the first one is the default, and scripts know them", sketch.Names())
	}
}
