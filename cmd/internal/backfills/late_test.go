package backfills

import (
	"testing"
	"time"

	"github.com/unecho/unecho/consumer/protocol"
)

// A job in the order of arrival marks what is late. One by place does so without a setting, and one that goes on live
// has the settings of its group.
func TestMarkLate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		order                 protocol.Order
		into                  string
		tolerance, late, want time.Duration
	}{
		"arrival":      {protocol.ByArrival, "", 5 * time.Minute, 0, 5 * time.Minute},
		"no tolerance": {protocol.ByArrival, "", 0, 0, time.Second},
		"set":          {protocol.ByArrival, "", 5 * time.Minute, time.Hour, time.Hour},
		"into":         {protocol.ByArrival, "search", 5 * time.Minute, 0, 0},
		"time":         {protocol.ByPlace, "", 5 * time.Minute, 0, 0},
	} {
		v := &process{flags: &Flags{Into: c.into}}
		v.config.Judge.Window.Tolerance, v.config.Judge.Window.Late = c.tolerance, c.late
		v.markLate(&protocol.Plan{Order: c.order})
		if got := v.config.Judge.Window.Late; got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
