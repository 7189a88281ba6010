package labelled

import (
	"strconv"
	"strings"
	"testing"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/internal/corpus"
)

// What is too much to look at or to hold ends with what to do.
func TestEvalOfManyCopies(t *testing.T) {
	d, err := New(config.Default().Judge, config.Default().Document)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if err := d.Add(strconv.Itoa(i), &corpus.Record{Text: []byte("one and the same text")}); err != nil {
			t.Fatal(err)
		}
	}
	for want, most := range map[string][2]int{
		"too many pairs: more than 44 for 10 documents: many are copies of each other: ": {45, 44},
		"too many candidates: more than 44 for 10 documents: take longer shingles (--sh": {44, 45},
	} {
		if _, err := d.pairs(d.trial(), most[0], most[1]); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if pairs, err := d.pairs(d.trial(), 45, 45); err != nil || len(pairs) != 45 {
		t.Errorf("%d pairs, %v", len(pairs), err)
	}
}
