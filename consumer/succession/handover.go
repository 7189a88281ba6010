package succession

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/topic"
)

// Setup has the group NewGroup take over from OldGroup, or abandons that.
type Setup struct {
	Kafka              topic.Options
	OldGroup, NewGroup Group
	Journal            journal.Params // how the journals are written
	Abandon            bool
	Say                func(string) // tells a person what happens
	Logger             zerolog.Logger
}

// Group is a group and the topic of its journal.
type Group struct{ Name, Journal string }

// Report is how a handover stands.
type Report struct {
	Next   protocol.HandoverStep // what would be done next; StepDone: nothing
	Places []protocol.Standpoint
	From   []protocol.Boundary // where New forwards from, once it has taken over
	Old    []string            // the members of the old group, when that was looked at
	// Elsewhere has a line for each source of which the two groups' outputs differ. Only a plan has it.
	Elsewhere []string
}

// run is a handover at work.
type run struct {
	*Setup
	protocol.Handover
	client       *kgo.Client
	admin        *kadm.Client
	older, newer routing.State
	report       Report
	waitsFor     string    // whom it waits for
	failing      time.Time // since when steps fail; zero: the last one did not
	sources      []string
}

// Run does the handover. If it is only to plan, it ends before anything is written.
func (t *Setup) Run(ctx context.Context, plan bool) (Report, error) {
	r, err := t.open(ctx)
	if err != nil {
		return Report{}, err
	}
	defer r.client.Close()
	for {
		r.report.Next = r.Next()
		if plan && r.writes() {
			r.foresee()
			return r.report, r.members(ctx)
		}
		hands := r.Next()
		over, err := r.step(ctx)
		if err != nil && r.outlasts(ctx, err) {
			r.Failed()
			continue
		}
		if over || err != nil {
			r.report.Next = r.Next()
			return r.report, err
		}
		if hands != protocol.StepLook { // looking again is no progress
			r.failing = time.Time{}
		}
	}
}

// How long a handover goes on while brokers do not answer, and how often it looks whether they do.
const (
	outlastsFor   = 2 * time.Minute
	outlastsPause = 500 * time.Millisecond
)

// outlasts waits a moment if a step has failed and another try may succeed.
func (r *run) outlasts(ctx context.Context, err error) bool {
	var final *stop.Error
	if errors.As(err, &final) || !broker.Retriable(err) || ctx.Err() != nil {
		return false
	}
	if r.failing.IsZero() {
		r.failing = time.Now()
		r.Say("waiting for the brokers: " + err.Error())
	}
	return time.Since(r.failing) < outlastsFor && retry.Pause(ctx, outlastsPause) == nil
}

// open opens a client, which the caller closes.
func (t *Setup) open(ctx context.Context) (*run, error) {
	client, err := broker.Open(ctx, t.Kafka...)
	if err != nil {
		return nil, err
	}
	return &run{Setup: t, client: client, admin: kadm.NewClient(client), Handover: protocol.Handover{Back: t.Abandon}}, nil
}

// writes says that the next step changes something.
func (r *run) writes() bool {
	return !slices.Contains([]protocol.HandoverStep{
		protocol.StepLook, protocol.StepOffsets, protocol.StepDone,
		protocol.StepRefused,
	}, r.Next())
}

func (r *run) step(ctx context.Context) (over bool, err error) {
	switch r.Next() {
	case protocol.StepLook:
		return false, r.look(ctx)
	case protocol.StepRetire:
		r.Say(fmt.Sprintf("group %s retires: its members end, and commit nothing more", r.Old.Group))
		return false, r.declare(ctx, r.OldGroup, r.older)
	case protocol.StepDrain:
		return false, r.drain(ctx)
	case protocol.StepFence:
		if err = r.old().FenceAll(ctx); err == nil {
			r.Fenced()
		}
	case protocol.StepOffsets:
		err = r.offsets(ctx)
	case protocol.StepActivate:
		r.Say(fmt.Sprintf("group %s forwards from where group %s has committed", r.New.Group, r.Old.Group))
		return false, r.declare(ctx, r.NewGroup, r.newer)
	case protocol.StepVoid:
		r.Say(fmt.Sprintf("group %s can not take over any more", r.New.Group))
		return false, r.declare(ctx, r.NewGroup, r.newer)
	case protocol.StepRestore:
		r.Say(fmt.Sprintf("group %s forwards again: start its members", r.Old.Group))
		return false, r.declare(ctx, r.OldGroup, r.older)
	case protocol.StepDone:
		return true, nil
	case protocol.StepRefused:
		return true, r.refusal()
	}
	return false, err
}

func (r *run) old() *cluster.Cluster {
	return &cluster.Cluster{
		Group: r.Old.Group, TransactionTimeout: fenceTimeout, Options: r.Kafka, Client: r.client,
		Logger: r.Logger,
	}
}

// fenceTimeout is the timeout of the transactions that fencing begins and nobody uses.
const fenceTimeout = 10 * time.Second

// look reads both journals.
func (r *run) look(ctx context.Context) error {
	newer, err := r.side(ctx, r.NewGroup, &r.newer)
	if err != nil {
		return err
	}
	older, err := r.side(ctx, r.OldGroup, &r.older)
	if err != nil {
		return err
	}
	r.Latest = routing.Latest(r.older.Routes.Text)
	if err := r.sameJournal(&newer, &older); err != nil {
		return err
	}
	r.Looked(newer, older)
	r.report.From = newer.Duty.From
	if r.Back || r.Next() == protocol.StepRefused || r.Next() == protocol.StepDone {
		return nil
	}
	if d := &newer.Duty; older.Duty.Kind == protocol.Forwards && d.Kind == protocol.Fills && time.Since(time.UnixMilli(d.Ready)) > ReadyFor {
		return r.unfilled()
	}
	if !SameSources(r.newer.Routes.Text, r.older.Routes.Text) {
		return r.otherSources()
	}
	choice, err := routing.Chosen(r.older.Routes.Text, r.OldGroup.Journal, r.NewGroup.Journal)
	if err != nil {
		return err
	}
	if r.sources, err = choice.Find(ctx, r.admin); err != nil {
		return err
	}
	if routing.Dry(r.newer.Routes.Text) {
		return r.dry()
	}
	return nil
}

// SameSources says that two routings read the same topics.
func SameSources(a, b []byte) bool {
	return slices.Equal(routing.Sources(a), routing.Sources(b)) && slices.Equal(routing.Patterns(a), routing.Patterns(b))
}

// sameJournal refuses to abandon a handover by a group whose journal was another topic, because that one may still
// complete it.
func (r *run) sameJournal(newer, older *protocol.Side) error {
	d := &older.Duty
	named, _, _ := strings.Cut(d.OtherJournal, " ")
	if r.Back && d.Kind == protocol.Retired && d.Other == newer.Group && named != r.NewGroup.Journal {
		return r.otherJournal(named)
	}
	return nil
}

func (r *run) side(ctx context.Context, g Group, state *routing.State) (protocol.Side, error) {
	s := protocol.Side{Group: g.Name}
	topics, err := r.admin.ListTopics(ctx, g.Journal)
	if err != nil {
		return s, fmt.Errorf("describe journal %s: %w", g.Journal, err)
	}
	if !topics.Has(g.Journal) {
		*state = routing.State{}
		return s, nil
	}
	if err := topics[g.Journal].Err; err != nil {
		return s, fmt.Errorf("describe journal %s: %w", g.Journal, err)
	}
	j := routing.Journal{Options: r.Kafka, Topic: g.Journal, Group: g.Name}
	if *state, err = j.Read(ctx); err != nil {
		return s, err
	}
	s.Journal, s.Number = routing.Incarnation(g.Journal, topics[g.Journal].ID), state.Routes.Number
	if s.Number == 0 {
		return s, nil
	}
	if plan, err := routing.PlanOf(state.Routes.Text); plan != nil || err != nil {
		return s, r.backfills(g, err)
	}
	s.Duty, err = routing.DutyOf(state.Routes.Text)
	return s, err
}

// declare appends the next routing to a journal. Whether it counts, the next look tells.
func (r *run) declare(ctx context.Context, g Group, in routing.State) error {
	duty := r.Duty()
	j := routing.Journal{Options: r.Kafka, Topic: g.Journal, Group: g.Name}
	_, err := j.Apply(ctx, r.Journal, in, routing.WithDuty(in.Routes.Text, &duty))
	if err != nil && !errors.Is(err, routing.ErrOvertaken) {
		return err
	}
	r.Appended()
	return nil
}

// drainPause is how often the old group is looked at while it has members.
const drainPause = 200 * time.Millisecond

// drain waits until the old group has no member.
func (r *run) drain(ctx context.Context) error {
	for {
		if err := r.members(ctx); err != nil {
			return err
		}
		if len(r.report.Old) == 0 {
			r.Drained()
			return nil
		}
		if who := strings.Join(r.report.Old, ", "); who != r.waitsFor {
			r.waitsFor = who
			r.Say(fmt.Sprintf("waiting for members of group %s to end: %s", r.Old.Group, who))
		}
		if err := retry.Pause(ctx, drainPause); err != nil {
			return err
		}
	}
}

// members lists those of the old group.
func (r *run) members(ctx context.Context) error {
	in, err := cluster.Members(ctx, r.admin, r.OldGroup.Name)
	if err != nil {
		return err
	}
	r.report.Old = nil
	for _, m := range in.Members {
		if m.Guest {
			r.report.Old = append(r.report.Old, m.String())
		} else {
			r.report.Old = append(r.report.Old, m.Name)
		}
	}
	slices.Sort(r.report.Old)
	return nil
}
