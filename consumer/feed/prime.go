package feed

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/unecho/unecho/consumer/protocol/feeding"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// A priming is fed like a backfill, with three differences: the records are those of history, nobody waits for verdicts, and
// documents that were deleted meanwhile are passed over, because history begins with what is left.

// recordOf returns the journal record for what the merge made.
func (s *Setup) recordOf(f *index.Feed, rejected []uint64) index.Record {
	if s.Priming == 0 {
		return f
	}
	h := &index.History{Header: f.Header, Number: s.Priming, First: f.First, Entries: f.Entries}
	for i := range f.Parts {
		p := &f.Parts[i]
		h.Parts = append(h.Parts, index.HistoryPart{Source: p.Source, Name: s.topicOf(p.Source), Through: p.Through, Rejected: rejected[i]})
	}
	return h
}

func (s *Setup) topicOf(source entry.Source) string {
	r, _ := s.Plan.Of(source)
	return r.Topic
}

// taken returns what a replica has taken of what was fed.
func (s *Setup) taken(r *index.Replica) feeding.Taken {
	if s.Priming == 0 {
		return r
	}
	return history{r, s.Priming}
}

// history is what a replica has taken of a priming. Nobody waits for verdicts of it.
type history struct {
	replica *index.Replica
	number  uint32
}

// FedEntries returns more than any priming has if another one is in force, because this one is over.
func (h history) FedEntries() uint64 {
	if p := h.replica.Primed(); p.Number == h.number {
		return p.Entries
	}
	return math.MaxUint64
}

// Fed returns how far a partition was primed.
func (h history) Fed(source entry.Source) index.Fed {
	return index.Fed{Through: h.replica.PrimedPart(source).Through}
}

// HeldVerdicts returns 0.
func (history) HeldVerdicts() int { return 0 }

// primed returns how far a replica says that the ranges are primed.
func (s *Setup) primed(r *index.Replica) (now feeding.State, err error) {
	p := r.Primed()
	if p.Number != s.Priming {
		return now, &stop.Error{What: "another priming of this group was begun meanwhile, and takes the place of this one", Remedy: "look at what that one does: the same command shows it"}
	}
	now.Entries = p.Entries
	for _, of := range s.Plan.Ranges {
		part := r.PrimedPart(of.Source)
		now.Parts = append(now.Parts, index.FeedPart{Source: of.Source, Through: part.Through})
		now.Places, now.Rejected = append(now.Places, part.Place), append(now.Rejected, part.Rejected)
	}
	return now, nil
}

// whatIsLeft finds the first offset of each range that is still there. Of a topic that was deleted, nothing is left.
func (s *Setup) whatIsLeft(ctx context.Context, of *feeding.State) error {
	ids := map[string][16]byte{}
	var names []string
	for _, r := range s.Plan.Ranges {
		if _, known := ids[r.Topic]; !known {
			names = append(names, r.Topic)
		}
		ids[r.Topic] = r.Source.Topic
	}
	topics, err := s.Cluster.Admin().ListTopics(ctx, names...)
	if err != nil {
		return fmt.Errorf("describe topics: %w", err)
	}
	starts, err := s.Cluster.Admin().ListStartOffsets(ctx, names...)
	if err != nil {
		return fmt.Errorf("list offsets: %w", err)
	}
	for _, r := range s.Plan.Ranges {
		detail, ok := topics[r.Topic]
		gone := !ok || errors.Is(detail.Err, kerr.UnknownTopicOrPartition) || detail.Err == nil && [16]byte(detail.ID) != r.Source.Topic
		start, listed := starts.Lookup(r.Topic, r.Source.Partition)
		switch {
		case gone:
			s.Logger.Warn().Str("topic", r.Topic).Msg("the topic was deleted: nothing of it is primed any more")
			of.Left = append(of.Left, math.MaxInt64)
		case detail.Err != nil:
			return fmt.Errorf("describe topic %s: %w", r.Topic, detail.Err)
		case !listed:
			return fmt.Errorf("list offsets: nothing is said of %s/%d", r.Topic, r.Source.Partition)
		case start.Err != nil:
			return fmt.Errorf("list offsets of %s/%d: %w", r.Topic, r.Source.Partition, start.Err)
		default:
			of.Left = append(of.Left, start.Offset)
		}
	}
	return nil
}
