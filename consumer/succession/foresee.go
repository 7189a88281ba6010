package succession

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/routing"
)

// foresee looks at what a person may want to know before a takeover: how much history the source has, and whether
// readers have to look for the documents in other topics afterwards.
func (r *run) foresee(ctx context.Context) error {
	if r.Back {
		return nil
	}
	first, err := broker.AllOffsets(ctx, broker.After(r.admin, time.UnixMilli(0)), r.sources...)
	if err != nil {
		return fmt.Errorf("look for the source's beginning: %w", err)
	}
	since := func(at time.Time) {
		if at.After(r.report.Since) {
			r.report.Since = at
		}
	}
	first.Each(func(o kadm.ListedOffset) {
		if o.Offset > 0 && o.Timestamp > 0 { // something was deleted
			since(time.UnixMilli(o.Timestamp))
		}
	})
	for i := range r.report.Places {
		if p := &r.report.Places[i]; p.End > 0 && p.Begin >= p.End { // everything was
			since(time.Now())
		}
	}
	if r.report.New, err = r.membersOf(ctx, r.NewGroup.Name); err != nil {
		return err
	}
	for _, source := range r.sources {
		ours, theirs := outputs(r.newer.Routes.Text, source), outputs(r.older.Routes.Text, source)
		if ours != theirs {
			r.report.Elsewhere = append(r.report.Elsewhere,
				fmt.Sprintf("documents of %s go to %s, and now to %s", source, ours, theirs))
		}
	}
	return nil
}

// outputs names the topics that a routing sends the documents of a source to.
func outputs(routes []byte, source string) string {
	unique, duplicate, rejected, written := routing.Outputs(routes, source)
	if !written {
		return "no topic"
	}
	all := slices.Compact([]string{unique, duplicate, rejected})
	if verdicts := routing.Verdicts(routes, source); verdicts != "" {
		all = append(all, verdicts)
	}
	return strings.Join(all, ", ")
}
