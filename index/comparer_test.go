package index_test

import (
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

// TestComparer compares what a replica would compare: the texts of the README, one of them twice, and one of another
// scope.
func TestComparer(t *testing.T) {
	p := index.DefaultParams()
	signer, err := index.NewSigner(p)
	if err != nil {
		t.Fatal(err)
	}
	comparer, err := index.NewComparer(p)
	if err != nil {
		t.Fatal(err)
	}
	signed := func(scope uint64, text string) *entry.Entry {
		e := &entry.Entry{Scope: scope}
		if !signer.Sign(e, []byte(text)) {
			t.Fatalf("Sign finds nothing in %q; want an entry", text)
		}
		return e
	}
	const first = "The harbour bridge was closed on Monday after inspectors found cracks in two of its cables."
	comparer.Begin(signed(1, first))
	for _, test := range []struct {
		other  *entry.Entry
		method compare.Method
		at     int
		ok     bool
	}{
		{signed(1, "The Harbour Bridge was closed on Monday, after inspectors found cracks in two of its MAIN cables!"), compare.Jaccard, 8125, true},
		{signed(1, "THE "+first[4:]), compare.Identical, 10000, true},
		{signed(1, "Something else was said here."), compare.Jaccard, 0, false},
		{signed(2, first), compare.NoMatch, 0, false},
	} {
		s, m, ok := comparer.Compare(test.other)
		if s.TenThousandths() != test.at || m != test.method || ok != test.ok {
			t.Errorf("got %v, %v, %v, want %d, %v, %v", s, m, ok, test.at, test.method, test.ok)
		}
	}
}
