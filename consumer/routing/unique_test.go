package routing

import (
	"slices"
	"testing"

	"github.com/unecho/unecho/consumer/protocol"
)

func TestDropped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		duty        protocol.Duty
		before, now []string
		want        []string
	}{
		"the same":              {before: []string{"a"}, now: []string{"a"}},
		"another":               {before: []string{"a"}, now: []string{"b"}, want: []string{"a"}},
		"a third":               {duty: protocol.Duty{Dropped: []string{"b"}}, before: []string{"a"}, now: []string{"c"}, want: []string{"a", "b"}},
		"back":                  {duty: protocol.Duty{Dropped: []string{"a"}}, before: []string{"b"}, now: []string{"a"}, want: []string{"b"}},
		"it writes nothing now": {before: []string{"a"}, want: []string{"a"}},
		"it wrote nothing":      {duty: protocol.Duty{Dropped: []string{"a"}}, now: []string{"b"}, want: []string{"a"}},
		"nothing is written by a group that fills its window": {
			duty: protocol.Duty{Kind: protocol.Fills, Other: "old"}, before: []string{"of somebody else"}, now: []string{"b"},
		},
	} {
		if got := dropped(&c.duty, c.before, c.now); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
