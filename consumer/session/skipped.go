package session

import (
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/unecho/unecho/consumer/protocol"
)

// allSkipped notes what somebody else's commits have the group leave out, together with the commits that begin there.
// The next owners of the partitions find nothing strange, so it is said here and now, and this process is not ready
// until it is started again. To set the offset back, it has to end as well.
func (s *Session) allSkipped(begun []*protocol.Takeover, err error) {
	var refused *kerr.Error
	if errors.As(err, &refused) {
		return
	}
	for _, t := range begun {
		at := key{t.Topic, t.Source.Partition}
		from, to, some := t.Skips(&t.Decision)
		if !some {
			continue
		}
		remedy := fmt.Sprintf("stop all members, and then: %s; what was forwarded since comes out again",
			s.reset(&t.Findings, fmt.Sprintf("--to-offset %d", from)))
		if !s.standing.skips(at, skip{from, to, remedy}) {
			continue // by a commit that had no answer, and is repeated
		}
		s.Counters.Skipped.Add(uint64(to - from))
		s.Logger.Error().Str("topic", t.Topic).Int32("partition", t.Source.Partition).Int64("from", from).
			Int64("offset", to).Int64("at_most", to-from).Str("remedy", remedy).
			Msg("somebody else has committed an offset beyond what was forwarded: nobody judges what lies between")
	}
}

// skip is what somebody else's commit had the group leave out.
type skip struct {
	from, to int64
	remedy   string
}

func (k *skip) String() string {
	return fmt.Sprintf("somebody else has committed, and offsets %d to %d were judged by nobody. To judge them: %s. If that was "+
		"meant, start this member again", k.from, k.to-1, k.remedy)
}
