package backfill

import (
	"errors"
	"strings"
	"testing"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/sink"
)

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
		s.Routing.Routes.Number, s.Routing.Routes.Text = 1, routing.WithPlan(routing.Text([]string{"news"}, "earliest", out), plan)
		got, err := j.Agree(&s, Asked{DryRun: c.asked})
		var stopped *stop.Error
		if c.want == "" && (err != nil || got != plan) || c.want != "" && (!errors.As(err, &stopped) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("dry %v, asked for %v: %v, %v", c.dry, c.asked, got, err)
		}
	}
}
