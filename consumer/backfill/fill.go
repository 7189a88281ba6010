package backfill

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/entry"
)

// Fillable is a group whose window is to be filled before it judges anything.
type Fillable struct {
	Kafka   topic.Options
	Group   string
	Journal string
	Gap     string   // the journal that was lost: the group goes on where that left it. There is none yet that has an id
	Topics  []string // that its window is to be filled with
	// Succeeds is the group that this one is to take over from, says the configuration.
	Succeeds string
}

// ErrFilled says that the window of a group was filled with these topics before, and that it forwards.
var ErrFilled = errors.New("the window was filled with these documents before, and the group forwards")

// Check reads what the group's journal says, and refuses a group that cannot be filled. It returns ErrFilled if it was.
func (f *Fillable) Check(ctx context.Context) error {
	if strings.HasPrefix(f.Group, Prefix) {
		return f.isBackfill()
	}
	client, err := broker.Open(ctx, f.Kafka...)
	if err != nil {
		return err
	}
	defer client.Close()
	in := routing.Journal{Options: f.Kafka, Topic: f.Journal, Group: f.Group}
	state, err := in.Read(ctx)
	if errors.Is(err, broker.ErrMissing) || err == nil && state.Routes.Number == 0 {
		if f.Succeeds != "" {
			return f.succeeds(f.Succeeds)
		}
		offsets, err := committed(ctx, kadm.NewClient(client), f.Group)
		if err == nil && len(offsets) > 0 && f.Gap != f.Journal {
			err = f.lost()
		}
		return err
	}
	if err != nil {
		return err
	}
	return f.refuse(&state)
}

// lost is the error for a group that has committed offsets, and no journal.
func (f *Fillable) lost() error {
	return &stop.Error{
		What: fmt.Sprintf("group %s has committed offsets, and its journal %s is gone: with it, all that the group "+
			"remembered is lost", f.Group, f.Journal),
		Remedy: "fill the window with what the group found unique, and go on: the same command with " +
			"--accept-journal-gap " + f.Journal + ", and start the members once with the one that it prints",
	}
}

// refuse says why a group that is there cannot be filled.
func (f *Fillable) refuse(s *routing.State) error {
	plan, err := routing.PlanOf(s.Routes.Text)
	if err != nil {
		return err
	}
	if plan != nil {
		return f.isBackfill()
	}
	d, err := routing.DutyOf(s.Routes.Text)
	switch {
	case err != nil:
		return err
	case d.Kind == protocol.Fills && d.Other != "":
		return f.succeeds(d.Other)
	case d.Kind != protocol.Fills && f.was(slices.Concat(d.Fill, d.From)):
		return ErrFilled
	case d.Kind != protocol.Fills:
		return &stop.Error{
			What: fmt.Sprintf("group %s forwards documents already: its window cannot be filled any more", f.Group),
			Remedy: "fill a group that was never started. To have one at work remember more: stop its members, delete topic " +
				f.Journal + ", and fill the window with what the group found unique, too, with --accept-journal-gap " + f.Journal,
		}
	}
	return nil
}

// was says that the window was filled with all of the topics.
func (f *Fillable) was(with []protocol.Boundary) bool {
	return len(f.Topics) > 0 && !slices.ContainsFunc(f.Topics, func(name string) bool {
		return !slices.ContainsFunc(with, func(b protocol.Boundary) bool { return b.Topic == name })
	})
}

// succeeds is the error for a group that is to take over from another one.
func (f *Fillable) succeeds(other string) error {
	return &stop.Error{
		What: fmt.Sprintf("group %s is to take over from group %s: its members fill its window", f.Group, other),
		Remedy: "start a member, and see what it says; if the group has taken over and lost its journal since, take " +
			"succeeds out of its configuration",
	}
}

func (f *Fillable) isBackfill() error {
	return &stop.Error{
		What:   fmt.Sprintf("group %s is that of a backfill, which reads what was before itself", f.Group),
		Remedy: "begin the backfill earlier with --from; what can be filled is a live group",
	}
}

// FillRange says what a window is to be filled with. What is nil is not said.
type FillRange struct {
	Topics   []string // never empty
	From, To *Bound   // not said: as far back as documents are young enough for the window, and the end
	Age      time.Duration
	// Through is the offset up to which a partition was brought before.
	Through func(entry.Source) int64
}

// Fix turns a range into a plan, by the offsets that Kafka has now.
func (r *FillRange) Fix(ctx context.Context, opts topic.Options, now time.Time) (*protocol.Plan, error) {
	request := Request{Topics: r.Topics, From: Start(), To: End()}
	if r.Age > 0 {
		request.From = Bound{Text: fmt.Sprintf("duplicates.remember.age (%v) ago", r.Age), kind: atTime, at: now.Add(-r.Age)}
	}
	if r.From != nil {
		request.From = *r.From
	}
	if r.To != nil {
		request.To = *r.To
	}
	plan, err := Fix(ctx, opts, request, now)
	if err != nil {
		return nil, err
	}
	for i := range plan.Ranges {
		of := &plan.Ranges[i]
		of.From = min(max(of.From, r.Through(of.Source)), of.To)
	}
	return plan, nil
}

// Other returns a line for each thing that a person asks for and that is another in a plan. Who names no topic does not
// ask for files.
func (a Asked) Other(plan *protocol.Plan) []string {
	lines := (&State{Plan: plan}).differs(a)
	for _, r := range plan.Ranges {
		if len(a.Topics) == 0 && IsFill(r.Topic) {
			return append(lines, "files: none now, those in "+r.Topic+" when it was begun")
		}
	}
	return lines
}
