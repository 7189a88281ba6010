package consumer

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
)

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
