package backfills_test

import (
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/backfills"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/sink"
)

// Documents that no condition had checked are among those of the summary, and it says how many there are.
func TestSummaryOfUnchecked(t *testing.T) {
	for unchecked, said := range map[int64]bool{0: false, 3: true} {
		done := protocol.Progress{Finished: true, Tally: protocol.Tally{Unique: 1, Unchecked: unchecked}}
		s := backfills.NewSummary(&backfill.Job{Name: "news"}, &protocol.Plan{}, sink.Params{}, done)
		if s.Unchecked != unchecked || s.Documents != 1+unchecked || strings.Contains(s.Text(), "unchecked") != said {
			t.Errorf("of %d unchecked documents it says %+v:\n%s", unchecked, s, s.Text())
		}
	}
}
