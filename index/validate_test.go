package index_test

import (
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
)

func TestDefaultParamsAreValid(t *testing.T) {
	if wrong := index.DefaultParams().Validate(); len(wrong) > 0 {
		t.Errorf("mistakes in the defaults: %v", wrong)
	}
}

func simHash(change func(*index.DuplicatesParams)) func(*index.Params) {
	return func(p *index.Params) {
		p.Duplicates.Method = "simhash"
		change(&p.Duplicates)
	}
}

func TestValidateRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*index.Params)
		want   string
	}{
		"threshold zero":     {func(p *index.Params) { p.Duplicates.Threshold = 0 }, "duplicates.threshold: 0: is not a similarity"},
		"threshold above":    {func(p *index.Params) { p.Duplicates.Threshold = 1.01 }, "duplicates.threshold: 1.01: is not a similarity"},
		"threshold NaN":      {func(p *index.Params) { p.Duplicates.Threshold = math.NaN() }, "duplicates.threshold: NaN: is not"},
		"threshold decimals": {func(p *index.Params) { p.Duplicates.Threshold = 0.80001 }, "duplicates.threshold: 0.80001: has more than four"},
		"recall one":         {func(p *index.Params) { p.Duplicates.Recall = 1 }, "duplicates.recall: 1: is not a share"},
		"recall decimals":    {func(p *index.Params) { p.Duplicates.Recall = 0.98765 }, "duplicates.recall: 0.98765: has more than four"},
		"no plan":            {func(p *index.Params) { p.Duplicates.Threshold = 0.005 }, "duplicates.threshold: 0.005: with 400 slots at most 0.8653 of the pairs"},
		"shingle":            {func(p *index.Params) { p.Duplicates.Shingle = "word:0" }, "duplicates.shingle: word:0: is no shingle"},
		"hash":               {func(p *index.Params) { p.Duplicates.Hash = "md5" }, "duplicates.hash: md5: is not one of the choices; write xxhash, murmur3, xxh64 or sha1"},
		"sketch":             {func(p *index.Params) { p.Duplicates.Method = "other" }, "duplicates.method: other: is not one"},
		"few slots":          {func(p *index.Params) { p.Duplicates.Slots = 14 }, "duplicates.slots: 14: is out of range"},
		"odd slots":          {func(p *index.Params) { p.Duplicates.Slots = 127 }, "duplicates.slots: 127: is out of range"},
		"many slots":         {func(p *index.Params) { p.Duplicates.Slots = 1026 }, "duplicates.slots: 1026: is out of range"},
		"verify":             {func(p *index.Params) { p.Duplicates.Verify = "" }, "duplicates.verify: is not one of the choices; write jaccard, levenshtein or estimate"},
		"evidence":           {func(p *index.Params) { p.Duplicates.Evidence = "hash" }, "duplicates.evidence: hash: is not one"},
		"useless evidence": {
			func(p *index.Params) { p.Duplicates.Verify, p.Duplicates.Evidence = "estimate", "shingles" },
			"duplicates.evidence: shingles: has no effect with verify: estimate",
		},
		"shingles of texts": {
			func(p *index.Params) { verify(p, "levenshtein", "char:4"); p.Duplicates.Evidence = "shingles" },
			"duplicates.evidence: shingles: has no effect with verify: levenshtein",
		},
		"edits of words": {
			func(p *index.Params) { verify(p, "levenshtein", "word:1") },
			"duplicates.shingle: word:1: are words, of which one edited letter changes several: verify: levenshtein would miss most of what it is meant to find; " +
				"write shingle: char:4",
		},
		"edits of long runs": {
			func(p *index.Params) { verify(p, "levenshtein", "char:5") },
			"duplicates.shingle: char:5: are too long for verify: levenshtein: at the threshold of 0.8 they leave a Jaccard similarity of some 0.20, for which 128 slots " +
				"do not keep a recall of 0.98 in bands of 2 rows or more; write shingle: char:4",
		},
		"many edits": {
			func(p *index.Params) { verify(p, "levenshtein", "auto:3"); p.Duplicates.Threshold = 0.3 },
			"duplicates.shingle: auto:3: are words, of which one edited letter changes several: verify: levenshtein would miss most of what it is meant to find; " +
				"write shingle: char:1, and raise threshold",
		},
		"plan":           {func(p *index.Params) { p.Duplicates.Plan = "integral" }, "duplicates.plan: integral: is not one"},
		"bands alone":    {func(p *index.Params) { p.Duplicates.Bands = 16 }, "duplicates.bands: 16: 16 bands of 0 rows are impossible"},
		"many bands":     {func(p *index.Params) { p.Duplicates.Bands, p.Duplicates.Rows, p.Duplicates.Slots = 20, 7, 128 }, "duplicates.bands: 20: 20 bands of 7 rows need 140 slots, have 128"},
		"bits":           {func(p *index.Params) { p.Duplicates.Bits = 96 }, "duplicates.bits: 96: is not one"},
		"bands of bits":  {simHash(func(p *index.DuplicatesParams) { p.Bands, p.Rows = 16, 8 }), "duplicates.bands: 16: are of minhash"},
		"great distance": {simHash(func(p *index.DuplicatesParams) { p.Distance = 7 }), "duplicates.distance: 7: a distance of 7 of 64 bits is impossible by keys; possible is 0 to 6"},
		"far below":      {simHash(func(p *index.DuplicatesParams) { p.Distance = -1 }), "duplicates.distance: -1: a distance of -1 of 64 bits is impossible by keys; possible is 0 to 6"},
		"candidates":     {func(p *index.Params) { p.Duplicates.MaxCandidates = 0 }, "duplicates.max_candidates: 0: finds nothing"},
	} {
		t.Run(name, func(t *testing.T) { refuses(t, c.change, c.want) })
	}
}

func TestValidateRefusesWindows(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*index.Params)
		want   string
	}{
		"negative age":    {func(p *index.Params) { p.Duplicates.Remember.Age = -1 }, "duplicates.remember.age: -1ns: is negative"},
		"tiny age":        {func(p *index.Params) { p.Duplicates.Remember.Age = 999 }, "duplicates.remember.age: 999ns: is less than a millisecond"},
		"negative count":  {func(p *index.Params) { p.Duplicates.Remember.Documents = -1 }, "duplicates.remember.documents: -1: is negative"},
		"negative bytes":  {func(p *index.Params) { p.Duplicates.Remember.Memory = -1 }, "duplicates.remember.memory: -1: is negative"},
		"no bound":        {func(p *index.Params) { p.Duplicates.Remember.Age, p.Duplicates.Remember.Memory = 0, 0 }, "duplicates.remember.age: the window has no bound"},
		"clock":           {func(p *index.Params) { p.Duplicates.Remember.Clock = "wall" }, "duplicates.remember.clock: wall: is not one"},
		"refresh":         {func(p *index.Params) { p.Duplicates.Remember.Refresh = "always" }, "duplicates.remember.refresh: always: is not one"},
		"negative reemit": {func(p *index.Params) { p.Duplicates.Remember.ReemitEvery = -1 }, "duplicates.remember.reemit_every: -1ns: is negative"},
		"tiny reemit":     {func(p *index.Params) { p.Duplicates.Remember.ReemitEvery = 999 }, "duplicates.remember.reemit_every: 999ns: is less than a millisecond"},
		"files refreshed": {func(p *index.Params) {
			p.Duplicates.Remember.Directory, p.Duplicates.Remember.Refresh = "/old", "last"
		}, "duplicates.remember.directory: /old: has forgetting and erasing read all files of the window, while judging waits, with " +
			"duplicates.remember.refresh: last; leave it out, or write refresh: first"},
		"late reemit": {func(p *index.Params) { p.Duplicates.Remember.ReemitEvery = 24 * time.Hour }, "duplicates.remember.reemit_every: 24h0m0s: lets no copy through"},
	} {
		t.Run(name, func(t *testing.T) { refuses(t, c.change, c.want) })
	}
}

// refuses expects a change of the defaults to cause exactly one mistake.
func refuses(t *testing.T, change func(*index.Params), want string) {
	t.Helper()
	p := index.DefaultParams()
	change(&p)
	wrong := p.Validate()
	if len(wrong) != 1 || !strings.HasPrefix(wrong[0].String(), want) {
		t.Errorf("got %q, want one mistake: %s", wrong, want)
	}
}

func TestValidateTakesTheEdges(t *testing.T) {
	for name, change := range map[string]func(*index.Params){
		"threshold one": func(p *index.Params) { p.Duplicates.Threshold = 1 },
		"four decimals": func(p *index.Params) { p.Duplicates.Threshold = 0.7853 },
		"least slots":   func(p *index.Params) { p.Duplicates.Slots = 16 },
		"most slots":    func(p *index.Params) { p.Duplicates.Slots = 1024 },
		"characters":    func(p *index.Params) { p.Duplicates.Shingle = "char:5" },
		"by script":     func(p *index.Params) { p.Duplicates.Shingle = "auto:3" },
		"other hash":    func(p *index.Params) { p.Duplicates.Hash = "murmur3" },
		"count only": func(p *index.Params) {
			p.Duplicates.Remember.Age, p.Duplicates.Remember.Memory, p.Duplicates.Remember.Documents = 0, 0, 1
		},
		"event clock":   func(p *index.Params) { p.Duplicates.Remember.Clock = "event" },
		"estimate":      func(p *index.Params) { p.Duplicates.Verify = "estimate" },
		"one candidate": func(p *index.Params) { p.Duplicates.MaxCandidates = 1 },
		"modest recall": func(p *index.Params) { p.Duplicates.Recall = 0.5 },
		"levenshtein":   func(p *index.Params) { p.Duplicates.Verify, p.Duplicates.Shingle = "levenshtein", "char:4" },
		"by area":       func(p *index.Params) { p.Duplicates.Plan, p.Duplicates.Threshold = "area", 0.01 },
		"texts":         func(p *index.Params) { p.Duplicates.Evidence = "text" },
		"bands by hand": func(p *index.Params) { p.Duplicates.Bands, p.Duplicates.Rows = 16, 8 },
		"hopeless plan": func(p *index.Params) { // ignored if bands are given
			p.Duplicates.Threshold, p.Duplicates.Bands, p.Duplicates.Rows = 0.01, 128, 1
		},
		"simhash":       simHash(func(*index.DuplicatesParams) {}),
		"wide":          simHash(func(p *index.DuplicatesParams) { p.Bits, p.Distance = 128, 7 }),
		"most by keys":  simHash(func(p *index.DuplicatesParams) { p.Distance = 6 }),
		"narrow window": func(p *index.Params) { p.Duplicates.Remember.Age = time.Millisecond },
		"refresh": func(p *index.Params) {
			p.Duplicates.Remember.Refresh, p.Duplicates.Remember.ReemitEvery = "last", 48*time.Hour
		},
		"early reemit": func(p *index.Params) { p.Duplicates.Remember.ReemitEvery = 24*time.Hour - 1 },
		"no age":       func(p *index.Params) { p.Duplicates.Remember.Age, p.Duplicates.Remember.ReemitEvery = 0, 48*time.Hour },
		"copies":       func(p *index.Params) { p.Duplicates.CompareCopies = true },
	} {
		t.Run(name, func(t *testing.T) {
			p := index.DefaultParams()
			change(&p)
			if wrong := p.Validate(); len(wrong) > 0 {
				t.Errorf("mistakes: %v", wrong)
			}
		})
	}
}

func TestValidateHoldsTextAgainstShingles(t *testing.T) {
	for shingle, want := range map[string]int{"word:3": 1, "auto:3": 1, "char:5": 0} {
		p := index.DefaultParams()
		p.Normalize.Space, p.Duplicates.Shingle = "drop", shingle
		wrong := p.Validate()
		if len(wrong) != want || want > 0 && !strings.HasPrefix(wrong[0].String(), "normalize.space: drop: leaves no words for duplicates.shingle: "+shingle) {
			t.Errorf("%s: got %q", shingle, wrong)
		}
	}
	p := index.DefaultParams()
	p.Normalize.Digits = "roman"
	if wrong := p.Validate(); len(wrong) != 1 || wrong[0].Key != "normalize.digits" {
		t.Errorf("got %q", wrong)
	}
}

func verify(p *index.Params, by, shingle string) {
	p.Duplicates.Verify, p.Duplicates.Shingle = by, shingle
}

// The remedy that a refusal states is accepted.
func TestWhatLevenshteinIsToldToWriteIsTaken(t *testing.T) {
	offer := regexp.MustCompile(`shingle: (char:\d+)`)
	for _, threshold := range []float64{0.4, 0.6, 0.75, 0.8, 0.9, 0.95, 0.99} {
		for _, shingle := range []string{"word:1", "auto:3", "char:5", "char:12", "char:40"} {
			p := index.DefaultParams()
			verify(&p, "levenshtein", shingle)
			p.Duplicates.Threshold = threshold
			wrong := p.Validate()
			if len(wrong) == 0 {
				continue
			}
			q := p
			q.Duplicates.Shingle = offer.FindStringSubmatch(wrong[0].Remedy)[1]
			if again := q.Validate(); len(again) > 0 && !strings.Contains(wrong[0].Remedy, "raise threshold") {
				t.Errorf("%v of %s: %s leads to %s", threshold, shingle, q.Duplicates.Shingle, again)
			}
		}
	}
	for name, change := range map[string]func(*index.DuplicatesParams){
		"by hand": func(p *index.DuplicatesParams) { p.Bands, p.Rows = 64, 2 },
		"by area": func(p *index.DuplicatesParams) { p.Plan = "area" },
		"simhash": func(p *index.DuplicatesParams) { p.Method = "simhash" },
	} {
		p := index.DefaultParams()
		verify(&p, "levenshtein", "auto:3")
		if change(&p.Duplicates); len(p.Validate()) > 0 {
			t.Errorf("%s: the settings are refused: %v; want them taken", name, p.Validate())
		}
	}
}
