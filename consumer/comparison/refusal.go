package comparison

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/succession"
	"github.com/unecho/unecho/index"
)

// refusal says why two groups cannot be compared, and what a person can do. It is nil if they can.
func (in *Inputs) refusal(s *succession.Standing) error {
	older, newer := in.Old.Name, in.New.Name
	duty := &s.New.Duty
	shadow := duty.Kind == protocol.Shadows || duty.Kind == protocol.Forwards && duty.Theirs != ""
	sources, ours := routing.Sources(s.Older.Routes.Text), routing.Sources(s.Newer.Routes.Text)
	for group, text := range map[string][]byte{older: s.Older.Routes.Text, newer: s.Newer.Routes.Text} {
		if pattern := routing.Pattern(text); pattern != "" {
			return succession.Patterned(group, pattern)
		}
	}
	switch {
	case s.Old.Number == 0:
		return &stop.Error{
			What: fmt.Sprintf("group %s has no journal %s, or declared nothing in it: there is nothing to compare with",
				older, in.Old.Journal),
			Remedy: "name the group that is at work in consumer.succeeds, and its journal in consumer.succeeds_journal",
		}
	case s.New.Number == 0:
		return &stop.Error{
			What: fmt.Sprintf("group %s has judged nothing yet: it has no journal %s, or declared nothing in it",
				newer, in.New.Journal),
			Remedy: "start a member of it with consumer.succeeds: " + older + ", and let it catch up",
		}
	case s.Old.Duty.Kind == protocol.Shadows || routing.Dry(s.Older.Routes.Text):
		return &stop.Error{
			What:   fmt.Sprintf("group %s forwards nothing: there are no outputs to compare with", older),
			Remedy: "compare with a group that forwards (neither a shadow nor with sink.dry_run)",
		}
	case !shadow || duty.Other != older:
		return &stop.Error{
			What:   fmt.Sprintf("group %s is no shadow of group %s, and did not take over from it last", newer, older),
			Remedy: "see `unecho takeover --plan` for how it stands",
		}
	case !slices.Equal(ours, sources):
		return &stop.Error{
			What: fmt.Sprintf("the documents of the groups are not the same: %s reads %q, %s reads %q",
				older, sources, newer, ours),
			Remedy: "let both read the same source.topics (unecho routing apply changes those of a group)",
		}
	case !index.Same(s.Newer.Settings, in.Settings):
		return &stop.Error{
			What: fmt.Sprintf("the verdicts of group %s were given under other settings than those of this configuration:"+
				"\n    %s", newer, strings.Join(index.Diff(in.Settings, s.Newer.Settings), "\n    ")),
			Remedy: "compare with the configuration of its members",
		}
	}
	return nil
}

func (in *Inputs) nothing() error {
	return &stop.Error{
		What: fmt.Sprintf("there is no document that both group %s and group %s have committed", in.Old.Name, in.New.Name),
		Remedy: "wait until the shadow has judged something that the source still holds; `unecho takeover --plan` says how " +
			"far it is",
	}
}

func (in *Inputs) overtaken() error {
	return &stop.Error{
		What: fmt.Sprintf("members of group %s trimmed journal %s faster than it was replayed",
			in.New.Name, in.New.Journal),
		Remedy: "compare again, or raise their snapshot.every meanwhile",
	}
}
