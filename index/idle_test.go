package index_test

import (
	"slices"
	"testing"

	"github.com/unecho/unecho/index"
)

// The settings that decide nothing are those of the other sketch, and the threshold where bits decide. Each says which
// sketch reads it.
func TestIdle(t *testing.T) {
	for _, c := range []struct {
		sketch, verify string
		want           []string
	}{
		{"minhash", "jaccard", []string{"bits", "distance"}},
		{"minhash", "estimate", []string{"bits", "distance"}},
		{"simhash", "jaccard", []string{"slots", "plan", "recall"}},
		{"simhash", "estimate", []string{"threshold", "slots", "plan", "recall"}},
		{"no sketch", "jaccard", nil},
	} {
		p := index.DefaultParams().Duplicates
		p.Method, p.Verify = c.sketch, c.verify
		var keys []string
		for _, m := range p.Idle() {
			if keys = append(keys, m.Key); m.Problem == "" || m.Remedy == "" || m.Value == "" {
				t.Errorf("%s with verify: %s: %+v; want a value, a problem and a remedy", c.sketch, c.verify, m)
			}
		}
		if !slices.Equal(keys, c.want) {
			t.Errorf("%s with verify: %s: %q decide nothing; want %q", c.sketch, c.verify, keys, c.want)
		}
	}
}
