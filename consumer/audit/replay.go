package audit

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// judged is where a verdict came from, so that a forget finds it again.
type judged struct {
	source entry.Source
	pass   *pass
	offset int64
}

// replay applies the journal to the twin and sorts its verdicts by pass.
func (a *audit) replay(ctx context.Context, all spans) error {
	for p, s := range all {
		if s.from > 0 {
			return fmt.Errorf("replay %s/%d: it begins at offset %d: %w", p.topic, p.partition, s.from, ErrTrimmed)
		}
	}
	positions := map[index.Position]judged{}
	return read(ctx, a.in.Options, all, func(r *kgo.Record) error {
		rec, err := journal.Decode(r.Value)
		if err != nil {
			return fmt.Errorf("replay %s: offset %d: %w", a.in.Journal, r.Offset, err)
		}
		return a.step(index.Stamp{Offset: r.Offset, LogAppendTime: r.Timestamp.UnixMilli()}, rec, positions)
	})
}

func (a *audit) step(at index.Stamp, rec index.Record, positions map[index.Position]judged) error {
	switch rec := rec.(type) {
	case *index.Settings:
		a.twin.Apply(at, rec)
		if !a.twin.Ours() {
			return fmt.Errorf("replay %s: offset %d: %w", a.in.Journal, at.Offset, ErrSettings)
		}
	case *index.Reposition:
		a.reposition(at, rec)
	case *index.Run:
		a.judge(rec.Source, a.twin.Apply(at, rec), positions)
	case *index.Forget:
		a.twin.Apply(at, rec)
		a.forgotten(rec.Target, positions)
	case *index.Checkpoint, *index.Accusation: // claims about replicas, but they move the clock
		a.twin.Apply(at, rec)
	}
	return nil
}

// reposition begins a pass if it applies.
func (a *audit) reposition(at index.Stamp, rec *index.Reposition) {
	before, _ := a.twin.Partition(rec.Source)
	a.twin.Apply(at, rec)
	after, _ := a.twin.Partition(rec.Source)
	s := a.bySource[rec.Source]
	if s == nil || after.Epoch == before.Epoch {
		return
	}
	if n := len(s.passes); n > 0 {
		s.passes[n-1].base = before.Base
	}
	s.passes = append(s.passes, &pass{start: after.Start, verdicts: map[int64]index.Verdict{}})
}

// judge sorts verdicts, which there are none of before a partition's first pass.
func (a *audit) judge(source entry.Source, verdicts []index.Verdict, positions map[index.Position]judged) {
	s := a.bySource[source]
	if s == nil {
		return // of a topic that is not audited
	}
	for _, v := range verdicts {
		current := s.passes[len(s.passes)-1]
		current.verdicts[v.Offset] = v
		positions[v.Position] = judged{source, current, v.Offset}
	}
}

// forgotten marks the verdict at a position, if the twin still holds it: then it was not forwarded yet.
func (a *audit) forgotten(target index.Position, positions map[index.Position]judged) {
	j, ok := positions[target]
	if !ok {
		return
	}
	state, _ := a.twin.Partition(j.source)
	if held, ok := state.Held[j.offset]; ok && held.Position == target {
		j.pass.verdicts[j.offset] = held
	}
}
