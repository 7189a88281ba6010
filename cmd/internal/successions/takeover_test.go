package successions

import (
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/session"
	"github.com/unecho/unecho/consumer/succession"
)

// A plan says what a person may want to know: a group that nobody runs, history that is deleted, other topics.
func TestForetell(t *testing.T) {
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	plan := succession.Report{Next: protocol.HandRetire, New: []string{"a-s0"}}
	for name, c := range map[string]struct {
		change func(*config.Config, *succession.Report)
		want   string
	}{
		"all is well": {func(*config.Config, *succession.Report) {}, ""},
		"nobody runs it": {
			func(_ *config.Config, r *succession.Report) { r.New = nil },
			"group next has no member: nothing is forwarded until one is started\n",
		},
		"other topics": {
			func(_ *config.Config, r *succession.Report) { r.Elsewhere = []string{"x"} },
			"its readers look elsewhere afterwards: x\n",
		},
		"history is deleted": {
			func(_ *config.Config, r *succession.Report) { r.Since = now.Add(-13 * time.Hour) },
			"documents of before 2026-11-24 23:00:00 UTC are deleted from the source: the window can hold 13h0m0s of " +
				"24h0m0s (window.age)\n",
		},
		"what is deleted is too old": {func(_ *config.Config, r *succession.Report) { r.Since = now.Add(-25 * time.Hour) }, ""},
		"the window is filled from elsewhere": {
			func(c *config.Config, r *succession.Report) {
				c.Source.PrimeFrom, r.Since = session.PrimeFromUnique, now
			}, "",
		},
		"it is done": {
			func(_ *config.Config, r *succession.Report) { r.Next, r.New, r.Since = protocol.HandOver, nil, now }, "",
		},
	} {
		config, report := config.Default(), plan
		config.Consumer.Group, config.Judge.Window.Age = "next", 24*time.Hour
		c.change(&config, &report)
		if got := foretell(config, &report, now); got != c.want {
			t.Errorf("%s: got\n%swant\n%s", name, got, strings.TrimSpace(c.want))
		}
	}
}
