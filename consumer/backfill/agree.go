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
	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

// Job is a backfill in a cluster.
type Job struct {
	Kafka   topic.Options
	Name    string // by which people call it: of the group to go on as, if there is one
	Group   string
	Journal string
}

// Asked is what a person asks of a job. What is not said is empty, and is then what the first start said.
type Asked struct {
	Topics   []string
	From, To *Bound
	Order    *protocol.Order
	Outputs  sink.Params // the topics only
	DryRun   *bool
	Files    bool // the documents are those of files
}

// State is how a job stands in the cluster.
type State struct {
	Plan    *protocol.Plan // nil: none is in force
	Routing routing.State  // number 0: there is none
	Members int            // of the group
	Offsets kadm.OffsetResponses
	Files   bool // there is a topic with documents of files that the job replays
	Fill    bool // there is one with documents of files that fill the window of a group of that name
}

// Look reads how a job stands. A job that was never started has no plan, no members and no offsets.
func (j *Job) Look(ctx context.Context) (State, error) {
	client, err := broker.Open(ctx, j.Kafka...)
	if err != nil {
		return State{}, err
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	var s State
	if s.Members, err = members(ctx, admin, j.Group); err != nil {
		return s, err
	}
	if s.Offsets, err = committed(ctx, admin, j.Group); err != nil {
		return s, err
	}
	if s.Files, s.Fill, err = j.hasFiles(ctx, admin); err != nil {
		return s, err
	}
	in := routing.Journal{Options: j.Kafka, Topic: j.Journal, Group: j.Group}
	if s.Routing, err = in.Read(ctx); err != nil {
		if errors.Is(err, broker.ErrMissing) {
			return s, nil
		}
		return s, err
	}
	if s.Routing.Routes.Number == 0 {
		return s, nil
	}
	s.Plan, err = routing.PlanOf(s.Routing.Routes.Text)
	return s, err
}

// hasFiles says whether documents of files were loaded for the job, and of files that fill a group of that name. One that goes on
// as a live group has none, and may not be allowed to look.
func (j *Job) hasFiles(ctx context.Context, admin *kadm.Client) (files, fill bool, err error) {
	if j.Group != GroupOf(j.Name) {
		return false, false, nil
	}
	topics, err := admin.ListTopics(ctx, FilesOf(j.Name), FillOf(j.Name))
	if err != nil {
		return false, false, fmt.Errorf("look for topic %s: %w", FilesOf(j.Name), err)
	}
	has := func(name string) bool {
		found, listed := topics[name]
		return listed && found.Err == nil
	}
	return has(FilesOf(j.Name)), has(FillOf(j.Name)), nil
}

// A cluster that has just begun has no coordinator of groups until somebody has asked for one.
const (
	coordinatorWithin = 15 * time.Second
	coordinatorPoll   = 100 * time.Millisecond
)

// coordinated asks about a group until the cluster has a coordinator for it.
func coordinated(ctx context.Context, ask func() error) error {
	return retry.While(ctx, coordinatorPoll, ask, func(err error, since time.Duration) bool {
		return since < coordinatorWithin && broker.Transient(err)
	})
}

func committed(ctx context.Context, admin *kadm.Client, group string) (offsets kadm.OffsetResponses, err error) {
	err = coordinated(ctx, func() error {
		offsets, err = broker.Committed(ctx, admin, group)
		return err
	})
	return offsets, err
}

// members counts the members of a group. One that does not exist has none.
func members(ctx context.Context, admin *kadm.Client, group string) (int, error) {
	var in cluster.Membership
	err := coordinated(ctx, func() (err error) {
		in, err = cluster.Members(ctx, admin, group)
		return err
	})
	return len(in.Members), err
}

// Agree returns the plan in force if it is what is asked for. It returns nil if there is none yet, so that the caller
// may fix one. A group that does other work is refused, and so is a job that was asked for something else.
func (j *Job) Agree(s *State, asked Asked) (*protocol.Plan, error) {
	switch {
	case s.Plan != nil && asked.DryRun == nil && s.dry():
		return nil, &stop.Error{
			What: fmt.Sprintf("backfill %s is a dry run: it forwards nothing", j.Name),
			Remedy: fmt.Sprintf("to go on with the dry run, add --dry-run; to forward documents, name another job with "+
				"--name, or remove this one first: unecho backfill remove %s",
				j.Name),
		}
	case s.Plan != nil:
		if lines := s.differs(asked); len(lines) > 0 {
			return nil, &stop.Error{
				What: fmt.Sprintf("backfill %s was begun with something else than is asked for now:\n    %s", j.Name,
					strings.Join(lines, "\n    ")),
				Remedy: fmt.Sprintf("to go on with it, leave these flags out; to run another one beside it, name that with --name; "+
					"to begin again, remove it first: unecho backfill remove %s", j.Name),
			}
		}
		return s.Plan, nil
	case s.Routing.Routes.Number > 0:
		return nil, &stop.Error{
			What:   fmt.Sprintf("%s is a live group: its journal %s has no backfill", j.Group, j.Journal),
			Remedy: "choose another name: a backfill has a group of its own, and so has one that goes on live afterwards",
		}
	case s.Members > 0:
		return nil, &stop.Error{
			What: fmt.Sprintf("group %s has %s, and no journal %s that says what they do", j.Group,
				several(s.Members, "member"), j.Journal),
			Remedy: "if another process of this backfill is starting, try again; else choose another name",
		}
	case s.Files && !asked.Files && len(s.Offsets) == 0:
		return nil, &stop.Error{
			What:   fmt.Sprintf("the files of backfill %s are not all loaded", j.Name),
			Remedy: "go on with them: the same command with --files and the same files; or remove it: unecho backfill remove " + j.Name,
		}
	case len(s.Offsets) > 0 && strings.HasPrefix(j.Group, Prefix):
		return nil, &stop.Error{
			What:   fmt.Sprintf("backfill %s is half removed: its group has committed offsets, and its journal is gone", j.Name),
			Remedy: "finish that: unecho backfill remove " + j.Name,
		}
	case len(s.Offsets) > 0:
		return nil, &stop.Error{
			What: fmt.Sprintf("group %s has committed offsets, and no journal %s: it is the group of something else", j.Group,
				j.Journal),
			Remedy: "choose another group",
		}
	}
	return nil, nil // there is no plan yet
}

// differs returns a line for each thing that is asked for and is another in the plan in force.
func (s *State) differs(asked Asked) (lines []string) {
	differ := func(what, here, there string) {
		if here != there {
			lines = append(lines, fmt.Sprintf("%s: %s now, %s when it was begun", what, here, there))
		}
	}
	if len(asked.Topics) > 0 {
		differ("--topic", strings.Join(sorted(asked.Topics), ", "), strings.Join(s.Topics(), ", "))
	}
	if asked.From != nil && !s.begins(*asked.From) {
		differ("--from", asked.From.Text, s.Plan.From)
	}
	if asked.To != nil && !s.ends(*asked.To) {
		differ("--to", asked.To.Text, s.Plan.To)
	}
	if asked.Order != nil {
		differ("--order", asked.Order.String(), s.Plan.Order.String())
	}
	dry := true
	for _, source := range s.Topics() {
		unique, duplicate, rejected, written := routing.Outputs(s.Routing.Routes.Text, source)
		if !written {
			continue
		}
		dry = false
		u, d, r := asked.Outputs.Topics(source)
		for _, o := range []struct{ flag, here, there string }{
			{"--unique", u, unique},
			{"--duplicate", d, duplicate},
			{"--rejected", r, rejected},
			{"--verdicts", asked.Outputs.VerdictsTopic(source), routing.Verdicts(s.Routing.Routes.Text, source)},
			{"--clusters", asked.Outputs.ClustersTopic(source), routing.Clusters(s.Routing.Routes.Text, source)},
		} {
			if o.here != "" {
				differ(o.flag+" of "+source, o.here, o.there)
			}
		}
	}
	if asked.DryRun != nil {
		differ("--dry-run", fmt.Sprint(*asked.DryRun), fmt.Sprint(dry))
	}
	return lines
}

// dry says that the job in force writes nowhere.
func (s *State) dry() bool {
	_, dry := s.Outputs()
	return dry
}

// begins says whether a bound is where the plan begins: by the words of the first start, or by the offsets.
func (s *State) begins(b Bound) bool {
	return b.Text == s.Plan.From || s.same(b, func(r protocol.Range) int64 { return r.From })
}

func (s *State) ends(b Bound) bool {
	return b.Text == s.Plan.To || s.same(b, func(r protocol.Range) int64 { return r.To })
}

func (s *State) same(b Bound, of func(protocol.Range) int64) bool {
	if !b.Exact() {
		return false
	}
	for _, r := range s.Plan.Ranges {
		if at, named := b.in(r.Topic, r.Source.Partition); named && at != of(r) || !named && r.From < r.To {
			return false
		}
	}
	return true
}

// Topics returns the topics of the plan.
func (s *State) Topics() (topics []string) {
	for _, r := range s.Plan.Ranges {
		if !slices.Contains(topics, r.Topic) {
			topics = append(topics, r.Topic)
		}
	}
	return topics
}

func sorted(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }

func several(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
