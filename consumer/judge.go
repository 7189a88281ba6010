package consumer

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
)

// judge has every document of the batch judged: it appends what has no verdict, waits until the replica has passed it, and
// takes the verdicts of its own epochs (design 4, rule 5). What became unreadable on its way is appended again.
func (s *session) judge(ctx context.Context, b *batch) error {
	for times := 0; ; times++ {
		if err := s.pick(b); err != nil {
			return err
		}
		values := s.runs(b)
		if len(values) == 0 {
			again, err := s.foresee(ctx, b)
			if err != nil || !again {
				return err
			}
			continue
		}
		if err := s.unread(ctx, times); err != nil {
			return err
		}
		last, err := s.append(ctx, values)
		if err != nil {
			return err
		}
		if err := s.follower.wait(ctx, last); err != nil {
			return err
		}
	}
}

// pick copies the held verdicts. A group that cannot be judged any more has the session take the steps of an assignment again.
func (s *session) pick(b *batch) (err error) {
	s.follower.look(func(r *index.Replica) {
		for i := range b.groups {
			g := &b.groups[i]
			if err = g.assignment.Judge(r, g.documents()); err != nil {
				err = s.unjudged(r, g.assignment, err)
				return
			}
		}
	})
	return err
}

// unjudged is what becomes of a session whose documents cannot be judged: it is built anew, or its process ends.
func (s *session) unjudged(r *index.Replica, a *assignment, err error) error {
	switch {
	case errors.Is(err, protocol.ErrRouting):
		return s.misrouted(r)
	case errors.Is(err, protocol.ErrMoved):
		s.setMoved(a.Source, true)
	}
	return rebuild("%w", err)
}

// forbiddenPatience is how long an append may be forbidden: rights that were just granted take a moment to be everywhere.
const forbiddenPatience = 10 * time.Second

// append appends until the journal has taken everything: an error leaves open what is there, and first append wins. Only
// when Kafka goes on forbidding it, somebody must mend that.
func (s *shared) append(ctx context.Context, values [][]byte) (int64, error) {
	for began := time.Now(); ; {
		last, err := s.appender.AppendValues(ctx, values)
		if err == nil {
			return last, nil
		}
		if ctx.Err() != nil {
			return -1, context.Cause(ctx)
		}
		if forbidden(err) && time.Since(began) > s.forbidden {
			return -1, &StopError{
				What: "journal " + s.journalTopic + " takes no appends", Err: err,
				Remedy: "grant this principal Write on the topic: the rights that unecho needs are listed in permissions.md",
			}
		}
		s.logger.Warn().Err(err).Msg("journal append is repeated")
		if err := pause(ctx, 250*time.Millisecond); err != nil {
			return -1, err
		}
	}
}

func forbidden(err error) bool {
	return errors.Is(err, kerr.TopicAuthorizationFailed) || errors.Is(err, kerr.ClusterAuthorizationFailed)
}

// announce tells the journal the bases it does not know yet, of partitions that have gone quiet or are leaving.
func (s *session) announce(ctx context.Context, of []*assignment) error {
	var values [][]byte
	for _, a := range of {
		if a.Unannounced() {
			values = append(values, s.frame(a.Announcement(s.header())))
		}
	}
	if len(values) == 0 {
		return nil
	}
	if _, err := s.append(ctx, values); err != nil {
		return err
	}
	for _, a := range of {
		a.Announced = a.Base
	}
	return nil
}
