package index_test

import (
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// What is said of a changed word is what a replica finds: from that many words on the text is a duplicate, and with one
// less it is none.
func TestChangedWord(t *testing.T) {
	words := strings.Fields("alpha bravo candy delta eagle fancy giant hotel india japan kilos lemon motor night ocean paper " +
		"queen river sugar tango uncle vigor water xenon yacht zebra arrow brick chair dance")
	for _, test := range []struct {
		shingle   string
		threshold float64
		least     int
		seven     float64 // what a changed word leaves of seven
	}{
		{"auto:3", 0.8, 29, 0.25},
		{"word:2", 0.8, 19, 0.5},
		{"word:1", 0.7, 6, 0.75},
		{"word:1", 0.75, 7, 0.75},
		{"char:5", 0.8, 15, 28. / 46},
		{"char:3", 0.6, 6, 32. / 46},
	} {
		p := index.DefaultParams()
		p.Duplicates.Shingle, p.Duplicates.Threshold = test.shingle, test.threshold
		p.Duplicates.Slots, p.Duplicates.Bands, p.Duplicates.Rows = 256, 256, 1 // what shares a shingle is compared
		if least, seven := p.Duplicates.LeastWords(), p.Duplicates.ChangedWord(7); least != test.least || seven != test.seven {
			t.Errorf("%s at %v: from %d words on, %v of seven; want %d and %v", test.shingle, test.threshold, least, seven,
				test.least, test.seven)
		}
		for _, n := range []int{test.least - 1, test.least} {
			changed := append([]string{}, words[:n]...)
			changed[n/2] = "12345"
			if found := duplicate(t, p, strings.Join(words[:n], " "), strings.Join(changed, " ")); found != (n == test.least) {
				t.Errorf("%s at %v: one changed word of %d leaves a duplicate: %t; want it from %d words on", test.shingle,
					test.threshold, n, found, test.least)
			}
		}
	}
	p := index.DefaultParams()
	p.Duplicates.Verify = "levenshtein"
	if said := p.Duplicates.ShortTexts(); said != "" {
		t.Errorf("of a Levenshtein ratio it is said that %s; want nothing", said)
	}
}

func duplicate(t *testing.T, p index.Params, texts ...string) bool {
	t.Helper()
	signer, err := index.NewSigner(p)
	if err != nil {
		t.Fatal(err)
	}
	entries := make([]entry.Entry, len(texts))
	for i, document := range texts {
		signer.Sign(&entries[i], []byte(document))
	}
	verdicts, _, err := index.JudgeAll(p, entries)
	if err != nil {
		t.Fatal(err)
	}
	return !verdicts[len(texts)-1].Unique()
}
