//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"
)

// trial is a kind of loss that is measured alone.
type trial string

// The trials.
const (
	restarted trial = "restart"  // SIGKILL, the same place is taken again at once
	takenOver trial = "takeover" // SIGKILL, and nobody comes back
	drained   trial = "drain"    // SIGTERM, and nobody comes back
	rolled    trial = "roll"     // SIGTERM, the same place is taken again at once
	frozen    trial = "freeze"   // SIGSTOP for 15 s
	lostNode  trial = "node"     // SIGKILL of a broker
)

// trials returns all trials, in the order in which they are made.
func trials() []trial { return []trial{restarted, takenOver, drained, rolled, frozen, lostNode} }

func unknown(f trial) bool { return !slices.Contains(trials(), f) }

func join(of []trial) string {
	names := make([]string, len(of))
	for i, f := range of {
		names[i] = string(f)
	}
	return strings.Join(names, ",")
}

// away is how long members stay away that do not come back: longer than any takeover takes.
const away = 40 * time.Second

// measure lets one loss after another happen to a healthy group, and reports how long documents waited.
func measure(ctx context.Context, w *world, p params, out io.Writer) error {
	p.skew = 0
	s, err := newScene(ctx, w, p, postgres, false)
	if err != nil {
		return err
	}
	if err := s.run(ctx, func(ctx context.Context) error { return s.lose(ctx, p.takeover, out) }); err != nil {
		return err
	}
	of := s.watch.waited()
	for _, f := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintln(out, waits(f, of[f]), of[f])
	}
	r := s.result(0)
	if err := s.judge(ctx, r); err != nil {
		return err
	}
	r.print(out)
	if !r.ok() {
		return errFindings
	}
	return s.close(ctx)
}

func (s *scene) lose(ctx context.Context, times int, out io.Writer) error {
	for i := range times {
		for _, f := range s.params.losses {
			if err := s.well(ctx); err != nil {
				return err
			}
			s.count(fault(f))
			if err := s.loseOne(ctx, f, i); err != nil {
				return err
			}
			if err := until(ctx, "documents go on after "+string(f), commitTimeout,
				func(context.Context) bool { return s.watch.resolved() }); err != nil {
				return err
			}
			if err := s.printTimes(f, i, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// printTimes writes how long documents waited after one loss. If the place was taken again at once, it also writes in
// which phases.
func (s *scene) printTimes(f trial, i int, out io.Writer) error {
	place := i % len(s.members)
	fmt.Fprintf(out, "%s, place %d: %v\n", f, place, s.watch.newest(string(f)).Round(10*time.Millisecond))
	if f != restarted && f != rolled {
		return nil
	}
	took, err := phases(s.members[place].log.Name())
	if err == nil {
		fmt.Fprintln(out, "   ", took)
	}
	return err
}

func (s *scene) loseOne(ctx context.Context, f trial, i int) error {
	m := s.members[i%len(s.members)]
	s.watch.lost(string(f))
	switch f {
	case restarted:
		_ = m.signal(syscall.SIGKILL, true, 0)
	case takenOver:
		_ = m.signal(syscall.SIGKILL, true, away)
		wait(ctx, away)
	case drained:
		_ = m.signal(syscall.SIGTERM, true, away)
		wait(ctx, away)
	case rolled:
		return m.leaves(ctx, 0)
	case frozen:
		m.pause(ctx, 15*time.Second)
	case lostNode:
		return s.world.loseBroker(ctx, i%brokers, lasting(away))
	}
	return nil
}

// well waits until the group is whole and at work, for wellFor without interruption. Every session is a member, all
// replicas are in sync, and no more documents wait than are written in wellBehind seconds. A moment is not enough: a
// group is also stable between two rebalances, and before its sessions have begun to read.
func (s *scene) well(ctx context.Context) error {
	want := len(s.members) * s.config.Consumer.Sessions
	var since time.Time
	return until(ctx, "the group is whole", commitTimeout, func(ctx context.Context) bool {
		groups, err := s.world.admin.DescribeGroups(ctx, s.name)
		g := groups[s.name]
		switch {
		case err != nil || g.State != "Stable" || len(g.Members) != want || !s.world.healthy(ctx) ||
			s.watch.waiting() > wellBehind*int64(s.params.rate):
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		}
		return !since.IsZero() && time.Since(since) >= wellFor
	})
}

const (
	wellFor    = 3 * time.Second
	wellBehind = 2
)
