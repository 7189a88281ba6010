package consumer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/feed"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/succession"
	"github.com/unecho/unecho/index"
)

// rounds fill the window of a group that is to take over from another one: with what that one has found unique so far,
// and then, round after round, with what it has found since. After the handover they bring what is missing up to where
// the duty says. Each member does so. One that sees that another brings something stands by.
type rounds struct {
	filling
	caughtUp func() // called when a round finds that all is brought
	warned   bool   // that the two groups read other topics
}

// How long a member waits between two looks: a little longer or shorter each time, so that members do not begin at the
// same moment. One that stands by waits for so long until it thinks that nobody brings anything.
const (
	roundPause = time.Second
	standBy    = 3 * time.Second
)

// betweenRounds is how many looks lie between the rounds of a group that can take over.
const betweenRounds = 5

// quickly is how long a round may take after which the window counts as filled: the one after the handover has no more
// to bring, and a group at work never leaves nothing.
const quickly = 5 * time.Second

// Run fills until the group's duty is to forward and the window is filled as far as that says, or ctx is done.
func (r *rounds) Run(ctx context.Context) error {
	told := map[string]bool{}
	for {
		_, filled, err := dutyOf(r.replica)
		if filled || err != nil {
			return err
		}
		err = r.round(ctx)
		var final *stop.Error
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil, errors.Is(err, feed.ErrOver):
			clear(told) // what comes back is told again
		case errors.As(err, &final), errors.Is(err, broker.ErrMissing), !broker.Retriable(err):
			return err
		case !told[kindOf(err)]:
			told[kindOf(err)] = true
			r.setup.Logger.Warn().Err(err).Str("remedy", "nothing if it passes; else see whether the other group's topics of "+
				"unique documents can be read").Msg("the window cannot be filled now: trying again")
		}
		if err := r.pause(ctx); err != nil {
			return err
		}
	}
}

// pause waits until the next look. While a group waits for its handover rounds are seldom, because each has a plan in
// the journal. When it takes over the next one comes soon.
func (r *rounds) pause(ctx context.Context) error {
	for range betweenRounds {
		if err := retry.Pause(ctx, roundPause/2+rand.N(roundPause)); err != nil {
			return err
		}
		if d, _, err := dutyOf(r.replica); err != nil || d.Ready == 0 {
			return err
		}
	}
	return nil
}

// kindOf tells failures apart that a person should hear of: by what Kafka says, or that it does not answer.
func kindOf(err error) string {
	var code *kerr.Error
	switch {
	case errors.As(err, &code):
		return code.Message
	case broker.Transient(err):
		return "no answer"
	}
	return err.Error()
}

// round finishes a round that nobody goes on with, or begins the next one if there is something to bring.
func (r *rounds) round(ctx context.Context) error {
	now := r.latest()
	d, _, err := dutyOf(r.replica)
	if err != nil || filledByPerson(&d) {
		return err
	}
	if now.Of != nil && !now.Finished {
		switch others := r.others(ctx, &now); {
		case !others:
			return r.bring(ctx)
		case d.Ready > 0 && time.Since(time.UnixMilli(d.Ready)) < succession.ReadyFor: // one member found that, and this one has what is brought
			return r.ready(ctx, &d)
		}
		return nil
	}
	plan, err := r.next(ctx, &d)
	switch {
	case err != nil:
		return err
	case len(plan.Ranges) == 0, d.Kind == protocol.Fills && plan.Documents() == 0: // else the journal is to hear of the ends
		return r.ready(ctx, &d)
	}
	began := time.Now()
	ours, err := r.begin(ctx, now.Number, plan)
	if err != nil || !ours {
		return err
	}
	if err := r.bring(ctx); err != nil || time.Since(began) > quickly {
		return err
	}
	return r.ready(ctx, &d)
}

// filledByPerson says that a person fills the window: at the rate, and with the rights, of unecho fill.
func filledByPerson(d *protocol.Duty) bool { return d.Kind == protocol.Fills && d.Other == "" }

// others says that somebody else brings something of a round.
func (r *rounds) others(ctx context.Context, seen *Fill) bool {
	ctx, cancel := context.WithTimeout(ctx, standBy)
	defer cancel()
	for {
		advanced := r.replica.Advanced()
		if now := r.latest(); now.Number != seen.Number || now.Done != seen.Done {
			return true
		}
		select {
		case <-advanced:
		case <-ctx.Done():
			return false
		}
	}
}

// next is the plan of the next round: up to what the followed group has found unique by now or, once the group's duty
// is to forward, up to where that says.
func (r *rounds) next(ctx context.Context, d *protocol.Duty) (*protocol.Plan, error) {
	ends := d.Fill
	if d.Kind == protocol.Fills {
		var err error
		if ends, err = r.remembered(ctx, d); err != nil {
			return nil, err
		}
	}
	plan := &protocol.Plan{Fixed: time.Now().UnixMilli(), From: "where the window was filled", To: "what group " + d.Other + " found unique"}
	if d.Other == "" {
		plan.To = "what the window was filled with"
	}
	var fresh []string // topics of which nothing was brought yet
	r.replica.Look(func(of *index.Replica) {
		for _, b := range ends {
			from := of.FilledPart(b.Source).Through
			if from >= b.Offset {
				continue
			}
			plan.Ranges = append(plan.Ranges, protocol.Range{Topic: b.Topic, Source: b.Source, From: from, To: b.Offset})
			if from == 0 && !slices.Contains(fresh, b.Topic) {
				fresh = append(fresh, b.Topic)
			}
		}
	})
	slices.SortFunc(plan.Ranges, func(a, b protocol.Range) int { return a.Name().Compare(b.Name()) })
	return plan, r.young(ctx, plan, fresh)
}

// young begins ranges of which nothing was brought where their documents are young enough for the window. By the clock
// of the documents nobody knows that before they are read.
func (r *rounds) young(ctx context.Context, plan *protocol.Plan, fresh []string) error {
	age := r.replica.Params().Duplicates.Remember.Age
	if len(fresh) == 0 || age == 0 || r.setup.Index.Duplicates.Remember.Clock == clockOfEvents {
		return nil
	}
	topics, err := r.cluster.Admin().ListTopics(ctx, fresh...)
	if err != nil {
		return fmt.Errorf("describe topics: %w", err)
	}
	gone := func(name string) bool { return errors.Is(topics[name].Err, kerr.UnknownTopicOrPartition) }
	if fresh = slices.DeleteFunc(fresh, gone); len(fresh) == 0 {
		return nil
	}
	starts, err := broker.AllOffsets(ctx, broker.After(r.cluster.Admin(), time.Now().Add(-age)), fresh...)
	if err != nil {
		return err
	}
	for i := range plan.Ranges {
		of := &plan.Ranges[i]
		if start, listed := starts.Lookup(of.Topic, of.Source.Partition); listed && of.From == 0 {
			of.From = min(max(0, start.Offset), of.To)
		}
	}
	return nil
}

// ready says, and notes in the journal, that the group can take over.
func (r *rounds) ready(ctx context.Context, d *protocol.Duty) error {
	if d.Kind != protocol.Fills {
		return nil
	}
	if err := r.declareReady(ctx, d); err != nil {
		return err
	}
	r.caughtUp()
	return nil
}

// noteReady is how often a member notes that the window is filled: a few times while that counts.
const noteReady = succession.ReadyFor / 5

// declareReady notes in the journal, now and then, that the window is filled: the group can take over.
func (r *rounds) declareReady(ctx context.Context, d *protocol.Duty) error {
	noted := func(d *protocol.Duty) bool { return time.Since(time.UnixMilli(d.Ready)) < noteReady }
	if noted(d) {
		return nil
	}
	ours := routing.Journal{Options: r.setup.Kafka, Topic: r.log.Topic, Group: r.setup.Params.Group}
	now, err := ours.Read(ctx)
	if err != nil {
		return fmt.Errorf("read the routing: %w", err)
	}
	is, err := routing.DutyOf(now.Routes.Text)
	if err != nil || is.Kind != protocol.Fills || noted(&is) { // another member was faster
		return err
	}
	is.Ready = time.Now().UnixMilli()
	_, err = ours.Apply(ctx, r.setup.Journal, now, routing.WithDuty(now.Routes.Text, &is))
	if errors.Is(err, routing.ErrOvertaken) { // the next round tells
		return nil
	}
	return err
}

// remembered reads the followed group's routing, and what its successor has to remember by now.
func (r *rounds) remembered(ctx context.Context, d *protocol.Duty) ([]protocol.Boundary, error) {
	journal := r.setup.Params.Followed()
	if r.setup.Params.Succeeds != d.Other {
		return nil, &stop.Error{
			What:   fmt.Sprintf("this group is to take over from group %s, says its journal, and succeeds does not name that", d.Other),
			Remedy: "set succeeds: " + d.Other,
		}
	}
	theirs := routing.Journal{Options: r.setup.Kafka, Topic: journal, Group: d.Other}
	is, err := theirs.Read(ctx)
	if errors.Is(err, broker.ErrMissing) || err == nil && is.Routes.Number == 0 {
		return nil, &stop.Error{
			What:   fmt.Sprintf("group %s has no journal %s, or declared nothing in it: there is nothing to take over", d.Other, journal),
			Remedy: "name the group that is at work in succeeds",
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read the routing of group %s: %w", d.Other, err)
	}
	r.warnOfSources(d.Other, is.Routes.Text)
	admin := r.cluster.Admin()
	return succession.Remembered(ctx, admin, admin.ListCommittedOffsets, d.Other, journal, is.Routes.Text)
}

// warnOfSources tells once of another choice of topics than that of the followed group: this group cannot take over.
func (r *rounds) warnOfSources(group string, theirs []byte) {
	ours := r.agreed.Routing
	if r.warned || succession.SameSources(ours, theirs) {
		return
	}
	r.warned = true
	r.setup.Logger.Warn().Str("group", group).Strs("theirs", routing.Sources(theirs)).Strs("ours", routing.Sources(ours)).
		Str("remedy", "let both have the same sources.topics and sources.pattern").
		Msg("the followed group reads other topics: this group cannot take over from it")
}
