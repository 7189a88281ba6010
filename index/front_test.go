package index

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

// Only the front of a long text is kept, in whole runes, and only that is compared, whatever the evidence holds.
func TestLevenshteinComparesTheFront(t *testing.T) {
	p := DefaultParams()
	p.Duplicates.Verify, p.Duplicates.Shingle = "levenshtein", "char:3"
	signer, err := NewSigner(p)
	if err != nil {
		t.Fatal(err)
	}
	var e entry.Entry
	long := strings.Repeat("a", compare.ComparedText-1) + "ü"
	signer.Sign(&e, []byte(long+" the end"))
	kept, err := entry.DecompressText(nil, e.Evidence)
	if err != nil || string(kept) != strings.Repeat("a", compare.ComparedText-1) {
		t.Errorf("%d bytes are kept, valid %t, %v", len(kept), utf8.Valid(kept), err)
	}
	c, err := NewComparer(p)
	if err != nil {
		t.Fatal(err)
	}
	c.Begin(&e)
	longer := long + strings.Repeat("b", compare.ComparedText)
	if got, _, _ := c.Compare(&entry.Entry{Kind: entry.Text, Evidence: entry.AppendText(nil, []byte(longer))}); got.Num != got.Den || got.Num == 0 {
		t.Errorf("texts that differ behind the front: %v", got)
	}
}
