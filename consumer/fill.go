package consumer

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/feed"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/signing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// Fill is how a fill of the window stands (design 4, rule 16).
type Fill struct {
	index.Filled
	Of        *protocol.Plan // nil: none was begun
	Rejected  uint64         // documents that cannot be compared
	Documents int            // that the window holds now
	protocol.Progress
}

func fillOf(replica *member.Follower) (s Fill) {
	replica.Look(func(r *index.Replica) {
		s.Filled, s.Documents = r.Filled(), r.Stats().Documents
		plan, err := routing.PlanOf(s.Plan)
		if s.Number == 0 || err != nil || plan == nil {
			return
		}
		s.Of, s.Progress = plan, protocol.Progress{Finished: true, Total: plan.Documents()}
		for _, of := range plan.Ranges {
			part := r.FilledPart(of.Source)
			s.Rejected += part.Rejected
			s.Done += min(max(0, part.Through-of.From), of.To-of.From)
			s.Finished = s.Finished && (of.From >= of.To || part.Through >= of.To)
		}
		s.Tally = protocol.Tally{Unique: int64(s.Kept), Rejected: int64(s.Rejected + s.Skipped())}
	})
	return s
}

// dutyOf returns what the routing in force has the group do, and whether its window is filled as far as that says. One
// that has lost what it remembered is filled again, unless it judges already.
func dutyOf(replica *member.Follower) (d protocol.Duty, filled bool, err error) {
	replica.Look(func(r *index.Replica) {
		if d, err = routing.DutyOf(r.Routes().Text); err == nil {
			filled = d.Kind == protocol.Forwards && (d.Filled(r) || r.Judges())
		}
	})
	return d, filled, err
}

// filling brings documents into the window of a group that judges nothing yet. Several processes may do so at once:
// what one of them has brought the others pass over.
type filling struct {
	*reached
	replica *member.Follower
	choice  *routing.Choice // of topics that the group reads
}

func (r *reached) filling(replica *member.Follower) (f filling, err error) {
	choice, err := routing.Chosen(r.agreed.Routing, r.log.Topic)
	return filling{r, replica, choice}, err
}

func (f *filling) latest() Fill { return fillOf(f.replica) }

// bring feeds the latest fill to its end.
func (f *filling) bring(ctx context.Context) error {
	now, files := f.latest(), ""
	if d, _, err := dutyOf(f.replica); err == nil && filledByPerson(&d) {
		files = backfill.FillOf(f.setup.Params.Group)
	}
	return feed.Run(ctx, feed.Setup{
		Plan: now.Of, Fill: now.Number, Files: files, Cluster: f.cluster, Log: f.log, Replica: f.replica,
		Signing: &signing.Setup{
			Index: f.replica.Params(), Reader: f.reader, Encoder: f.encoder(), Large: f.large,
			MaxEntryBytes: int(f.setup.Journal.MaxEntryBytes),
			Untimely:      func(*kgo.Record) (string, bool) { return "", false }, // nothing is forwarded
		},
		MaxBatchBytes: int(f.setup.Params.MaxBatchBytes), FetchBytes: int(f.setup.Params.FetchBytes),
		MaxRate: f.setup.MaxRate, Logger: f.setup.Logger, Reads: f.choice.Reads,
	})
}

// plan fixes what is to be brought of topics now: what is there, what is young enough for the window, and what was not
// brought before. By the clock of the documents nobody knows how old they are before they are read.
func (f *filling) plan(ctx context.Context, of backfill.FillRange) (*protocol.Plan, error) {
	if f.setup.Index.Duplicates.Remember.Clock != clockOfEvents {
		of.Age = f.replica.Params().Duplicates.Remember.Age
	}
	of.Through = func(source entry.Source) (offset int64) {
		f.replica.Look(func(r *index.Replica) { offset = r.FilledPart(source).Through })
		return offset
	}
	return of.Fix(ctx, f.setup.Kafka, time.Now())
}

// clockOfEvents is the value of duplicates.remember.clock by which documents' own times count.
const clockOfEvents = "event"

func planText(plan *protocol.Plan) []byte { return routing.WithPlan([]byte("{}"), plan) }

// begin appends the record that begins the fill after the one that the plan goes on from, and waits until the replica
// has passed it. Of two that begin at the same time the first counts: it says whether ours does.
func (f *filling) begin(ctx context.Context, before uint32, plan *protocol.Plan) (ours bool, err error) {
	text := planText(plan)
	for unread := 0; ; unread++ {
		value := journal.Append(nil, &index.Fill{Header: f.log.Header(), Number: before + 1, Plan: text})
		if len(value) > f.setup.Journal.MaxRecordBytes() {
			return false, &stop.Error{
				What:   fmt.Sprintf("%d partitions are too many for one fill: what it says of them exceeds what the journal takes", len(plan.Ranges)),
				Remedy: fmt.Sprintf("set advanced.max_document_bytes to more than %v: the journal takes as much", f.setup.Journal.MaxEntryBytes),
			}
		}
		at, err := f.log.Put(ctx, value)
		if err == nil {
			err = f.replica.Wait(ctx, at)
		}
		if err != nil {
			return false, err
		}
		if now := f.latest(); now.Number > before {
			return bytes.Equal(now.Plan, text), nil
		}
		if _, filled, err := dutyOf(f.replica); filled || err != nil {
			return false, err // the group judges already
		}
		if err := f.log.BeforeRepeat(ctx, unread); err != nil {
			return false, err
		}
	}
}
