package groups

import (
	"strings"
	"testing"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/succession"
)

// A plan says which steps are left, and that readers have to look elsewhere afterwards.
func TestPlanSays(t *testing.T) {
	take := succession.Setup{
		OldGroup: succession.Group{Name: "old", Journal: "old.journal"}, NewGroup: succession.Group{Name: "new", Journal: "new.journal"},
	}
	const retires = "- retire group old: a record in journal old.journal, on which its members end\n"
	for name, c := range map[string]struct {
		report succession.Report
		says   []string
		not    string
	}{
		"nothing is done yet": {
			succession.Report{
				Next: protocol.StepRetire, Old: []string{"a-s0"}, Places: []protocol.Standpoint{{Topic: "news", Old: 1200, End: 4000}},
			},
			[]string{
				"news/0: old is at 1,200 of 4,000\n", retires, "- wait until its members are gone: a-s0\n",
				"bring the last unique documents into its window, and forward from the offsets that group old has committed",
			},
			"readers",
		},
		"the old group has retired": {
			succession.Report{Next: protocol.StepDrain}, []string{"- wait until its members are gone: none is there\n"}, retires,
		},
		"other topics": {
			succession.Report{Next: protocol.StepRetire, Elsewhere: []string{"x"}},
			[]string{retires, "its readers need other topics afterwards: x\n"},
			"abandon",
		},
		"it is done": {
			succession.Report{Next: protocol.StepDone, From: []protocol.Boundary{{Topic: "news", Offset: 1200}}},
			[]string{"group new has taken over from group old\n  news/0 from 1,200 on\n"},
			retires,
		},
	} {
		got := describe(&take, &c.report) + forecast(&c.report)
		for _, says := range c.says {
			if !strings.Contains(got, says) {
				t.Errorf("%s: got\n%swithout\n%s", name, got, says)
			}
		}
		if strings.Contains(got, c.not) {
			t.Errorf("%s: got\n%swith\n%s", name, got, c.not)
		}
	}
}
