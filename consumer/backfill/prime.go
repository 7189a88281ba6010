package backfill

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// Primed is a live group whose window is filled with history.
type Primed struct {
	Kafka    topic.Options
	Group    string
	Journal  string
	Settings []byte // canonical text by which history is to be signed
}

// Look reads what the group's journal says, and refuses a group that cannot be primed.
func (p *Primed) Look(ctx context.Context) (routing.State, error) {
	client, err := kgo.NewClient(p.Kafka...)
	if err != nil {
		return routing.State{}, fmt.Errorf("open client: %w", err)
	}
	defer client.Close()
	if err := broker.Ping(ctx, client); err != nil {
		return routing.State{}, err
	}
	in := routing.Journal{Options: p.Kafka, Topic: p.Journal, Group: p.Group}
	state, err := in.Read(ctx)
	if errors.Is(err, broker.ErrMissing) {
		offsets, err := committed(ctx, kadm.NewClient(client), p.Group)
		if err != nil {
			return state, err
		}
		return state, p.missing(len(offsets) > 0)
	}
	if err != nil {
		return state, err
	}
	return state, p.refuse(&state)
}

// missing is the error for a group that has no journal.
func (p *Primed) missing(commits bool) error {
	if commits {
		return &stop.Error{
			What: fmt.Sprintf("group %s has committed offsets, and its journal %s is gone: with it, all that the group "+
				"remembered is lost", p.Group, p.Journal),
			Remedy: "if the journal has another name, say so with --set journal.topic=NAME; else begin the group anew, as the " +
				"runbook says, and prime it then",
		}
	}
	return &stop.Error{
		What: fmt.Sprintf("there is no group %s to prime: Kafka has no journal %s", p.Group, p.Journal),
		Remedy: "start the group first, with source.start: latest; if its journal has another name, say so with --set " +
			"journal.topic=NAME",
	}
}

// refuse says why a group that is there cannot be primed.
func (p *Primed) refuse(s *routing.State) error {
	if s.Settings == nil || s.Routes.Number == 0 {
		return &stop.Error{
			What:   fmt.Sprintf("group %s has not begun: its journal %s says nothing of settings and routing", p.Group, p.Journal),
			Remedy: "start the group, and prime it when it is ready",
		}
	}
	if !index.Same(s.Settings, p.Settings) {
		what := fmt.Sprintf("group %s works with other settings than those given here, so history would be signed otherwise:", p.Group)
		for _, line := range index.Diff(p.Settings, s.Settings) {
			what += "\n    " + line
		}
		return &stop.Error{
			What:   what,
			Remedy: "prime with the configuration, and the version, that the group's members run with",
		}
	}
	plan, err := routing.PlanOf(s.Routes.Text)
	if err != nil {
		return err
	}
	if plan != nil || strings.HasPrefix(p.Group, Prefix) {
		return &stop.Error{
			What:   fmt.Sprintf("group %s is that of a backfill, which reads its own history", p.Group),
			Remedy: "begin the backfill earlier with --from; what can be primed is a live group",
		}
	}
	return nil
}

// PrimeRange says what a group is to be primed with. What is nil is not said.
type PrimeRange struct {
	Topics   []string // never empty
	From, To *Bound   // not said: as far back as window.age, and where the group began
	Clock    int64    // the group's stream time, ms since 1970
	Age      time.Duration
	// Start is the offset at which the group began with a partition; known is false if it has not.
	Start func(entry.Source) (offset int64, known bool)
}

// Fix turns a range into a plan, by the offsets that Kafka has now.
func (r *PrimeRange) Fix(ctx context.Context, opts topic.Options, now time.Time) (*protocol.Plan, error) {
	request := Request{Topics: r.Topics, From: r.whileRemembered(now), To: End()}
	if r.From != nil {
		request.From = *r.From
	}
	if r.To != nil {
		request.To = *r.To
	}
	plan, err := Fix(ctx, opts, request, now)
	if err != nil || r.To != nil {
		return plan, err
	}
	plan.To = "where the group began"
	for i := range plan.Ranges {
		of := &plan.Ranges[i]
		if start, known := r.Start(of.Source); known {
			of.To = min(max(start, of.From), of.To)
		}
	}
	return plan, nil
}

// whileRemembered is the time from which on documents are young enough for the window.
func (r *PrimeRange) whileRemembered(now time.Time) Bound {
	if r.Age == 0 {
		return Start()
	}
	if clock := time.UnixMilli(r.Clock); r.Clock > 0 && clock.Before(now) {
		now = clock
	}
	return Bound{Text: fmt.Sprintf("window.age (%v) ago", r.Age), kind: atTime, at: now.Add(-r.Age)}
}

// Other returns a line for each thing that a person asks for and that is another in a plan. Who names no topic does not
// ask for files.
func (a Asked) Other(plan *protocol.Plan) []string {
	lines := (&State{Plan: plan}).differs(a)
	for _, r := range plan.Ranges {
		if len(a.Topics) == 0 && IsHistory(r.Topic) {
			return append(lines, "--files: none now, those in "+r.Topic+" when it was begun")
		}
	}
	return lines
}
