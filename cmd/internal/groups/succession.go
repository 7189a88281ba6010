package groups

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/succession"
	"github.com/unecho/unecho/consumer/topic"
)

// takeoverHow says what is asked of a takeover.
type takeoverHow struct {
	Plan    bool // only say what would happen
	Abandon bool
	Out     io.Writer
	Logger  zerolog.Logger
}

// TakeOver has the group of a configuration take over from the one that it follows.
func TakeOver(ctx context.Context, c config.Config, kafka topic.Options, how takeoverHow) error {
	older, newer, err := Groups(c)
	if err != nil {
		return err
	}
	t := &succession.Takeover{
		Kafka: kafka, OldGroup: older, NewGroup: newer,
		Journal: c.Journal, Abandon: how.Abandon, Logger: how.Logger,
		Say: func(what string) { fmt.Fprintln(how.Out, what) },
	}
	report, err := t.Run(ctx, how.Plan)
	switch {
	case err != nil && ctx.Err() != nil:
		return &exit.Error{
			Code: exit.Interrupted,
			Err:  errors.New("stopped before the takeover was complete; the same command goes on"),
		}
	case err != nil:
		return exit.Undone(err)
	}
	_, err = io.WriteString(how.Out, tell(t, &report)+foretell(&report))
	return err
}

// Groups are the group that a configuration follows, and its own.
func Groups(c config.Config) (older, newer succession.Group, err error) {
	if c.Consumer.Succeeds == "" {
		err = &stop.Error{
			What:   fmt.Sprintf("group %s is to take over from no group", c.Consumer.Group),
			Remedy: "name the group from which it is to take over in consumer.succeeds, and start its members with that",
		}
	}
	older = succession.Group{Name: c.Consumer.Succeeds, Journal: c.Consumer.Followed()}
	newer = succession.Group{Name: c.Consumer.Group, Journal: c.Journal.Name(c.Consumer.Group)}
	return older, newer, err
}

// tell says how a takeover stands.
func tell(t *succession.Takeover, r *succession.Report) string {
	var b strings.Builder
	older, newer := t.OldGroup.Name, t.NewGroup.Name
	if t.Abandon && r.Next == protocol.HandOver {
		return fmt.Sprintf("the takeover is abandoned: group %s forwards, and group %s goes on filling its window\n", older, newer)
	}
	if r.Next == protocol.HandOver {
		fmt.Fprintf(&b, "group %s has taken over from group %s\n", newer, older)
		for _, from := range r.From {
			fmt.Fprintf(&b, "  %s/%d from %s on\n", from.Topic, from.Source.Partition, terminal.Grouped(int(from.Offset)))
		}
		return b.String()
	}
	fmt.Fprintf(&b, "group %s takes over from group %s:\n", newer, older)
	for i := range r.Places {
		p := &r.Places[i]
		fmt.Fprintf(&b, "  %s/%d: %s is at %s of %s\n", p.Topic, p.Source.Partition, older, offset(p.Old), terminal.Grouped(int(p.End)))
	}
	steps := []struct {
		hand protocol.Hand
		what string
	}{
		{protocol.HandRetire, fmt.Sprintf("retire group %s: a record in journal %s, on which its members end", older, t.OldGroup.Journal)},
		{protocol.HandDrain, fmt.Sprintf("wait until its members are gone: %s", members(r.Old))},
		{protocol.HandFence, "fence its transactional ids"},
		{protocol.HandActivate, fmt.Sprintf("have group %s bring the last unique documents into its window, and forward from the offsets that group %s has committed: a record in journal %s",
			newer, older, t.NewGroup.Journal)},
		{protocol.HandVoid, fmt.Sprintf("note in journal %s that group %s does not take over", t.NewGroup.Journal, newer)},
		{protocol.HandRestore, fmt.Sprintf("have group %s forward again: a record in journal %s", older, t.OldGroup.Journal)},
	}
	for _, s := range steps {
		if abandons := s.hand == protocol.HandVoid || s.hand == protocol.HandRestore; s.hand >= r.Next &&
			abandons == t.Abandon {
			fmt.Fprintf(&b, "- %s\n", s.what)
		}
	}
	return b.String()
}

// foretell says what a person may want to know before a takeover.
func foretell(r *succession.Report) string {
	var b strings.Builder
	for _, line := range r.Elsewhere {
		fmt.Fprintf(&b, "its readers look elsewhere afterwards: %s\n", line)
	}
	return b.String()
}

func members(of []string) string {
	if len(of) == 0 {
		return "none is there"
	}
	return strings.Join(of, ", ")
}

func offset(at int64) string {
	if at < 0 {
		return "none"
	}
	return terminal.Grouped(int(at))
}
