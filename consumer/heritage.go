package consumer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/session"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/succession"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// heritagePause is how long a shadow waits before it goes on with a priming that a lost broker has ended.
const heritagePause = 5 * time.Second

// heritage primes a shadow with what the group that it follows has found unique, if source.prime_from says so (design
// 4, rules 16 and 17). It is done once: a group that was primed before, with whatever, is left alone. A priming that
// was interrupted is finished, also when the group forwards by now. Several members at once do no harm. What cannot be
// primed is told, and stops nothing: the window fills by what comes.
type heritage struct {
	*reached
	replica *member.Follower
}

// Run primes, or tries again until ctx is done.
func (h *heritage) Run(ctx context.Context) {
	if h.setup.Source.PrimeFrom != session.PrimeFromUnique {
		return
	}
	told := map[string]bool{}
	err := retry.While(ctx, heritagePause, func() error { return h.once(ctx) },
		func(err error, _ time.Duration) bool {
			var final *stop.Error
			if errors.As(err, &final) || errors.Is(err, broker.ErrMissing) || !broker.MayPass(err) {
				return false
			}
			if kind := kindOf(err); !told[kind] {
				told[kind] = true
				h.setup.Logger.Warn().Err(err).Str("group", h.setup.Params.Succeeds).Str("remedy", heritageRemedy).
					Msg("the window cannot be primed yet: trying again")
			}
			return true
		})
	if err != nil && ctx.Err() == nil {
		h.setup.Logger.Error().Err(err).Str("group", h.setup.Params.Succeeds).
			Msg("the window is not primed with what the followed group found unique: unecho backfill --prime does that, too")
	}
}

const heritageRemedy = "nothing if it passes; else see whether consumer.succeeds names the group at work, and " +
	"consumer.succeeds_journal its journal"

// kindOf tells failures apart that a person should hear of: by what Kafka says, or that it does not answer.
func kindOf(err error) string {
	var code *kerr.Error
	switch {
	case errors.As(err, &code):
		return code.Message
	case broker.Passing(err):
		return "no answer"
	}
	return err.Error()
}

// dutyOf returns what the routing in force has the group do.
func dutyOf(replica *member.Follower) (d protocol.Duty, err error) {
	replica.Look(func(r *index.Replica) { d, err = routing.DutyOf(r.Routes().Text) })
	return d, err
}

func (h *heritage) once(ctx context.Context) error {
	d, err := dutyOf(h.replica)
	if err != nil {
		return err
	}
	begun := primingOf(h.replica)
	if begun.Of == nil && d.Kind != protocol.Shadows || begun.Of != nil && begun.Finished {
		return nil
	}
	topics, err := h.unique(ctx, &d)
	if err != nil {
		return err
	}
	asked := backfill.Asked{Topics: topics}
	if len(topics) == 0 || begun.Of != nil && len(asked.Other(begun.Of)) > 0 {
		return nil
	}
	if begun.Of != nil {
		h.setup.Logger.Info().Strs("topics", topics).Int64("done", begun.Done).Int64("of", begun.Total).
			Msg("a priming of the window was interrupted, and goes on")
	} else if err := h.mayBegin(ctx, topics); err != nil {
		return err
	}
	life := &primerLife{
		reached: h.reached, asked: asked, said: func(what string) { h.setup.Logger.Info().Msg(what) }, topics: topics,
		replica: h.replica,
	}
	if err := life.work(ctx); err != nil {
		return err
	}
	now := primingOf(h.replica)
	h.setup.Logger.Info().Uint64("primed", now.Kept).Uint64("duplicate", now.Duplicate).
		Uint64("passed_over", now.PassedOver()).Uint64("rejected", now.Rejected).Msg("the window is primed")
	return nil
}

// How often a priming that is to begin looks whether it may, and how long it waits for open transactions before it
// says so.
const (
	beginPoll    = 200 * time.Millisecond
	beginSilence = 10 * time.Second
)

// mayBegin waits until the range of a priming may be fixed, so that each document of the followed group is in it or is
// judged by this group, or both. The group begins with a partition at what the followed group has committed by then.
// What that forwarded before is in its topics, and can be read once no transaction is open there.
func (h *heritage) mayBegin(ctx context.Context, topics []string) error {
	h.setup.Logger.Info().Strs("topics", topics).
		Msg("the window will be primed with what the followed group found unique, when this group has begun with each " +
			"partition of the source")
	for {
		begun, err := h.hasBegun(ctx)
		if err != nil {
			return err
		}
		if begun {
			break
		}
		if err := retry.Pause(ctx, beginPoll); err != nil {
			return err
		}
	}
	if err := h.readable(ctx, topics); err != nil {
		return err
	}
	h.setup.Logger.Info().Strs("topics", topics).Msg("the window is primed with what the followed group found unique")
	return nil
}

// hasBegun says whether the replica knows each partition of the source: where this group judges from.
func (h *heritage) hasBegun(ctx context.Context) (bool, error) {
	var sources []string // a group that follows another one names them all
	h.replica.Look(func(r *index.Replica) { sources = routing.Sources(r.Routes().Text) })
	topics, err := broker.NewTopics(h.cluster.Client, h.setup.Logger).Describe(ctx, sources...)
	if err != nil {
		return false, err
	}
	begun := true
	h.replica.Look(func(r *index.Replica) {
		for _, t := range topics {
			for n := range int32(t.Partitions) { // Kafka's own number
				_, known := r.Partition(entry.Source{Topic: t.ID, Partition: n})
				begun = begun && known
			}
		}
	})
	return begun, nil
}

// readable waits until all that stands in topics now can be read. It says so if that takes long.
func (h *heritage) readable(ctx context.Context, topics []string) error {
	if _, err := broker.NewTopics(h.cluster.Client, h.setup.Logger).Describe(ctx, topics...); err != nil {
		return err // a topic that there is not would be waited for
	}
	soon, enough := context.WithTimeout(ctx, beginSilence)
	err := broker.Settled(soon, h.cluster.Admin(), topics...)
	if enough(); !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return err
	}
	h.setup.Logger.Warn().Strs("topics", topics).AnErr("because", err).
		Str("remedy", "see unecho doctor, which finds transactions that hang").
		Msg("the window is not primed before the topics of unique documents can be read to their ends")
	return broker.Settled(ctx, h.cluster.Admin(), topics...)
}

// followed names the group to whose topics a priming belongs, and its journal. A group that has taken over may be
// started without consumer.succeeds.
func (h *heritage) followed(d *protocol.Duty) (group, journal string) {
	if params := &h.setup.Params; params.Succeeds != "" {
		return params.Succeeds, params.Followed()
	}
	journal, _, _ = strings.Cut(d.Theirs, " ") // of its incarnation
	return d.Other, journal
}

// unique lists the topics to which the followed group sends what it finds unique.
func (h *heritage) unique(ctx context.Context, d *protocol.Duty) (topics []string, err error) {
	group, name := h.followed(d)
	if group == "" {
		return nil, nil // a person primes the group
	}
	theirs := routing.Journal{Options: h.setup.Kafka, Topic: name, Group: group}
	is, err := theirs.Read(ctx)
	if errors.Is(err, broker.ErrMissing) || err == nil && is.Routes.Number == 0 {
		return nil, &stop.Error{
			What: fmt.Sprintf("group %s has no journal %s, or declared nothing in it: there is nothing to prime with",
				group, name),
			Remedy: "name the group that is at work in consumer.succeeds, and its journal in consumer.succeeds_journal",
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read the routing of group %s: %w", group, err)
	}
	if pattern := routing.Pattern(is.Routes.Text); pattern != "" {
		return nil, succession.Patterned(group, pattern)
	}
	for _, source := range routing.Sources(is.Routes.Text) {
		if unique, _, _, written := routing.Outputs(is.Routes.Text, source); written && !slices.Contains(topics, unique) {
			topics = append(topics, unique)
		}
	}
	if len(topics) == 0 {
		return nil, &stop.Error{
			What:   fmt.Sprintf("group %s writes no document anywhere (sink.dry_run)", group),
			Remedy: "set source.prime_from: timestamp",
		}
	}
	return topics, nil
}
