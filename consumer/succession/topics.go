package succession

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index/entry"
)

// Remembered returns what a successor of a group has to remember: the partitions of the topics to which the group's
// routings sent unique documents, up to the ends that are listed, and what the group's own window was filled with. The
// group's name is for messages, and its journal is no source of it.
func Remembered(ctx context.Context, admin *kadm.Client, list broker.Listing, group, journal string, routes []byte) ([]protocol.Boundary, error) {
	if routing.Dry(routes) {
		return nil, &stop.Error{
			What:   fmt.Sprintf("group %s writes no document anywhere (--dry-run): a successor would have nothing to remember", group),
			Remedy: "start the new group without succeeds",
		}
	}
	names, err := routing.Unique(ctx, admin, routes, journal)
	if err != nil {
		return nil, err
	}
	duty, err := routing.DutyOf(routes)
	if err != nil {
		return nil, err
	}
	ends, err := endsOf(ctx, admin, list, append(names, duty.Dropped...))
	if err != nil {
		return nil, err
	}
	for _, b := range duty.Fill { // of a topic that was created again since, nothing else can be brought than what is there now
		if !slices.ContainsFunc(ends, b.SamePartition) {
			ends = append(ends, b)
		}
	}
	return ends, nil
}

// endsOf lists where the partitions of topics end. A topic that does not exist has none: nothing was written there yet.
func endsOf(ctx context.Context, admin *kadm.Client, list broker.Listing, names []string) (ends []protocol.Boundary, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	topics, err := admin.ListTopics(ctx, names...)
	if err != nil {
		return nil, fmt.Errorf("describe topics of unique documents: %w", err)
	}
	var there []string
	for _, t := range topics.Sorted() {
		switch {
		case t.Err == nil:
			there = append(there, t.Topic)
		case !errors.Is(t.Err, kerr.UnknownTopicOrPartition):
			return nil, fmt.Errorf("describe topic %s of unique documents: %w", t.Topic, t.Err)
		}
	}
	if len(there) == 0 {
		return nil, nil
	}
	listed, err := broker.AllOffsets(ctx, list, there...)
	if err != nil {
		return nil, fmt.Errorf("look for the ends of the topics of unique documents: %w", err)
	}
	for _, name := range there {
		for _, p := range topics[name].Partitions.Sorted() {
			end, _ := listed.Lookup(name, p.Partition)
			ends = append(ends, protocol.Boundary{
				Topic: name, Source: entry.Source{Topic: topics[name].ID, Partition: p.Partition}, Offset: end.Offset,
			})
		}
	}
	return ends, nil
}

// foresee looks whether readers have to look for the documents in other topics after a handover.
func (r *run) foresee() {
	if r.Back {
		return
	}
	for _, source := range r.sources {
		ours, theirs := outputs(r.newer.Routes.Text, source), outputs(r.older.Routes.Text, source)
		if ours != theirs {
			r.report.Elsewhere = append(r.report.Elsewhere,
				fmt.Sprintf("documents of %s go to %s, and now to %s", source, ours, theirs))
		}
	}
}

// outputs names the topics that a routing sends the documents of a source to.
func outputs(routes []byte, source string) string {
	unique, duplicate, rejected, written := routing.Outputs(routes, source)
	if !written {
		return "no topic"
	}
	all := slices.Compact([]string{unique, duplicate, rejected})
	if duplicate == "" {
		all = []string{unique, rejected}
	}
	for _, topic := range []string{routing.Verdicts(routes, source), routing.Clusters(routes, source)} {
		if topic != "" {
			all = append(all, topic)
		}
	}
	return strings.Join(all, ", ")
}
