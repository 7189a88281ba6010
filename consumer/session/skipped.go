package session

import (
	"fmt"

	"github.com/unecho/unecho/consumer/protocol"
)

// skippedRemedy does not name the offset to go back to: what was forwarded last may not be announced in the journal, and
// would come out twice. The audit knows what is in the outputs.
const skippedRemedy = "unecho audit names which of them nobody judged, and the command that has them judged; if it was " +
	"meant, start this member again"

// allSkipped notes what somebody else's commits have the group leave out, before the commits that begin there: the next
// owners of the partitions find nothing strange. This process is not ready until it is started again. To set the offset
// back, it has to end as well.
func (t *adviser) allSkipped(begin []*protocol.Takeover) {
	for _, of := range begin {
		from, to, some := of.Skips(&of.Decision)
		if !some || !t.standing.skips(of.Name(), skip{from, to}) {
			continue // none, or by a commit that is repeated
		}
		t.Counters.Skipped.Add(uint64(to - from))
		t.Logger.Error().Str("topic", of.Topic).Int32("partition", of.Source.Partition).Int64("from", from).
			Int64("offset", to).Int64("at_most", to-from).Str("remedy", skippedRemedy).
			Msg("somebody else has committed an offset beyond what is known to be forwarded: what lies between may be judged by nobody")
	}
}

// skip is what somebody else's commit had the group leave out, at most.
type skip struct{ from, to int64 }

func (k skip) String() string {
	return fmt.Sprintf("somebody else has committed offset %d, and those from %d on may have been judged by nobody", k.to, k.from)
}
