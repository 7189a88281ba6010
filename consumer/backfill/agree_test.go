package backfill

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// begun is the state of a job over news/0, offsets 3 to 10, that forwards to a, b and c.
func begun() *State {
	out := sink.Outputs("a", "b", "c", "", "")
	s := &State{Plan: &protocol.Plan{
		From: "start", To: "end",
		Ranges: []protocol.Range{{Topic: "news", Source: entry.Source{}, From: 3, To: 10}},
	}}
	s.Routing.Routes.Number, s.Routing.Routes.Text = 1, routing.Text([]document.Source{{Topics: []string{"news"}, Start: "earliest"}}, out)
	return s
}

// What is asked for of a job that has begun is what it was begun with, in the same words or by the same offsets, or
// it is refused by every difference.
func TestAgree(t *testing.T) {
	job := Job{Name: "repair", Group: GroupOf("repair"), Journal: JournalOf("repair")}
	at := func(text string) *Bound { b := bound(t, text); return &b }
	yes, arrival, byTime := true, protocol.ByArrival, protocol.ByPlace
	for name, c := range map[string]struct {
		asked   Asked
		differs []string
	}{
		"the name alone": {},
		"the same words": {asked: Asked{Topics: []string{"news"}, From: at("start"), To: at("end"), Order: &byTime}},
		"the offsets":    {asked: Asked{From: at("0=3"), To: at("10")}},
		"the outputs":    {asked: Asked{Outputs: sink.Outputs("a", "", "", "", "")}},
		"other outputs": {
			Asked{Outputs: sink.Outputs("", "a", "", "told", "groups")},
			[]string{"--duplicate of news: a now, b", "--verdicts of news: told now,  when", "--clusters of news: groups now,  when"},
		},
		"another range": {
			Asked{From: at("4"), To: at("2025-01-01")},
			[]string{"--from: 4 now, start when", "--to: 2025-01-01 now, end when"},
		},
		"all others": {
			Asked{Topics: []string{"blog"}, Order: &arrival, Outputs: sink.Outputs("x", "", "y", "", ""), DryRun: &yes},
			[]string{
				"--topic: blog now, news", "--order: arrival now, time", "--unique of news: x now, a",
				"--rejected of news: y now, c", "--dry-run: true now, false",
			},
		},
	} {
		plan, err := job.Agree(begun(), c.asked)
		if c.differs == nil {
			if err != nil || plan == nil {
				t.Errorf("%s: Agree returns the plan %+v, error %v; want a plan and no error", name, plan, err)
			}
			continue
		}
		for _, line := range c.differs {
			if err == nil || !strings.Contains(err.Error(), line) {
				t.Errorf("%s: %q is not in %v", name, line, err)
			}
		}
		if err != nil && strings.Count(err.Error(), "when it was begun") != len(c.differs) {
			t.Errorf("%s: it tells more than differs: %v", name, err)
		}
	}
}

// A group that does other work is refused. One that does none may begin.
func TestAgreeRefusesOthers(t *testing.T) {
	offsets := kadm.OffsetResponses{}
	offsets.Add(kadm.OffsetResponse{Offset: kadm.Offset{Topic: "news", At: 5}})
	live := State{}
	live.Routing.Routes.Number = 1
	for _, c := range []struct {
		group string
		state State
		says  string
	}{
		{GroupOf("repair"), State{}, ""},
		{"search", State{}, ""},
		{"search", live, "search is a live group"},
		{GroupOf("repair"), State{Members: 2}, "has 2 members, and no journal"},
		{"search", State{Members: 1, Offsets: offsets}, "has 1 member, and no journal"},
		{GroupOf("repair"), State{Files: true}, "the files of backfill repair are not all loaded"},
		{GroupOf("repair"), State{Files: true, Offsets: offsets}, "backfill repair is half removed"},
		{GroupOf("repair"), State{Offsets: offsets}, "backfill repair is half removed"},
		{"search", State{Offsets: offsets}, "it is the group of something else"},
	} {
		job := Job{Name: strings.TrimPrefix(c.group, Prefix), Group: c.group, Journal: c.group + ".journal"}
		plan, err := job.Agree(&c.state, Asked{})
		var told *stop.Error
		switch {
		case plan != nil:
			t.Errorf("%+v: a plan from nowhere", c)
		case c.says == "" && err != nil, c.says != "" && (!errors.As(err, &told) || !strings.Contains(told.What, c.says) ||
			told.Remedy == ""):
			t.Errorf("%s: %v, want %q", c.group, err, c.says)
		}
	}
}

// Who asks for documents is not given a dry run of the same name, which forwards none.
func TestAgreeOnADryRun(t *testing.T) {
	j := Job{Name: "news", Group: GroupOf("news"), Journal: JournalOf("news")}
	yes, no := true, false
	for _, c := range []struct {
		dry   bool
		asked *bool
		want  string
	}{
		{true, &yes, ""},
		{true, nil, "is a dry run"},
		{true, &no, "--dry-run: false now, true when it was begun"},
		{false, nil, ""},
		{false, &no, ""},
		{false, &yes, "--dry-run: true now, false when it was begun"},
	} {
		plan := &protocol.Plan{Ranges: []protocol.Range{{Topic: "news", To: 7}}, From: "start", To: "end"}
		out := sink.DefaultParams()
		out.DryRun = c.dry
		s := State{Plan: plan}
		s.Routing.Routes.Number, s.Routing.Routes.Text = 1,
			routing.WithPlan(routing.Text([]document.Source{{Topics: []string{"news"}, Start: "earliest"}}, out), plan)
		got, err := j.Agree(&s, Asked{DryRun: c.asked})
		var stopped *stop.Error
		if c.want == "" && (err != nil || got != plan) ||
			c.want != "" && (!errors.As(err, &stopped) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("dry %v, asked for %v: %v, %v", c.dry, c.asked, got, err)
		}
	}
}

// What a routing says of outputs is read back as the settings that said it.
func TestOutputsAreReadBack(t *testing.T) {
	for _, out := range []sink.Params{
		sink.Outputs("{source}.u", "{source}.d", "bad", "", ""),
		sink.Outputs("{source}.u", "{source}.u", "{source}.bad", "", ""),
		sink.Outputs("u", "", "bad", "", ""),
		sink.Outputs("u", "d", "bad", "{source}.told", ""),
		sink.Outputs("u", "d", "bad", "", "{source}.clusters"),
	} {
		s := &State{Plan: &protocol.Plan{}}
		for _, topic := range []string{"blog", "news"} {
			s.Plan.Ranges = append(s.Plan.Ranges, protocol.Range{Topic: topic})
		}
		s.Routing.Routes.Number, s.Routing.Routes.Text = 1, routing.Text([]document.Source{{Topics: []string{"news", "blog"}, Start: "earliest"}}, out)
		if got, dry := s.Outputs(); dry || !reflect.DeepEqual(got, out) {
			t.Errorf("got %+v, want %+v", got, out)
		}
	}
}
