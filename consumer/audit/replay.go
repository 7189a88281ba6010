package audit

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/replay"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/naive"
	"github.com/unecho/unecho/index/snapshot"
)

// replay applies the journal to the twin and notes its verdicts.
func (a *audit) replay(ctx context.Context, all topic.Range) error {
	at := entry.Name(a.in.Journal, 0)
	whole, ok := all[at]
	if !ok {
		return fmt.Errorf("replay %s: it has no partition 0", a.in.Journal)
	}
	all = topic.Range{at: whole} // the others are not used
	a.report.From, a.report.To = whole.From, whole.To
	var err error
	if whole.From == 0 {
		a.twin = naive.New(a.in.Params, a.in.Settings, index.Fingerprint(a.in.Settings))
		err = a.each(ctx, StageJournal, all, journal.NewUnpacker(a.in.JournalParams), a.follow)
	} else {
		err = a.replayTrimmed(ctx, all, whole)
	}
	if a.twin != nil {
		a.algorithm = fmt.Sprintf("%s:%016x", a.in.Params.Algorithm(), a.twin.Fingerprint())
	}
	a.twin = nil // its memory is not needed any more
	if errors.Is(err, errGone) {
		err = ErrOvertaken
	}
	if err != nil {
		return fmt.Errorf("replay %s: %w", a.in.Journal, err)
	}
	return nil
}

// replayTrimmed begins with a snapshot. It copies the journal first, because members may trim it further at any time.
func (a *audit) replayTrimmed(ctx context.Context, all topic.Range, whole topic.Part) (err error) {
	c, err := newJournalCopy(a.in.Directory)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := a.each(ctx, StageCopy, all, journal.NewUnpacker(a.in.JournalParams),
		func(r *kgo.Record) error { return a.copied(c, r) }); err != nil {
		return err
	}
	replica, err := a.restore(ctx, whole)
	if err != nil {
		return fmt.Errorf("it begins at offset %d: %w", whole.From, err)
	}
	a.twin = naive.Resume(a.in.Params, a.in.Settings, index.Fingerprint(a.in.Settings), replica)
	a.report.From = replica.Next()
	if err := a.resume(replica.Contents(), replica.Routes()); err != nil {
		return err
	}
	var decoder journal.Decoder
	return c.each(func(at index.Stamp, value []byte) error {
		if at.Offset < a.report.From {
			return nil
		}
		if err := a.progress(StageJournal, at.Offset-a.report.From, whole.To-a.report.From); err != nil {
			return err
		}
		rec, err := decoder.Decode(value)
		return a.apply(at, rec, err)
	})
}

func (a *audit) follow(r *kgo.Record) error {
	at, rec, err := a.journal.Read(r)
	return a.apply(at, rec, err)
}

// copied appends a record of the journal to the copy, unless the record changes nothing.
func (a *audit) copied(c *journalCopy, r *kgo.Record) error {
	at, _, err := a.journal.Read(r)
	if errors.As(err, new(*journal.StrayError)) {
		return nil
	}
	return c.add(at, r.Value)
}

// apply applies a record as members do. err is the result of reading it. A stray changes nothing.
func (a *audit) apply(at index.Stamp, rec index.Record, err error) error {
	if errors.As(err, new(*journal.StrayError)) {
		return nil
	}
	if err == nil {
		err = a.step(at, rec)
	}
	if err != nil {
		return fmt.Errorf("offset %d: %w", at.Offset, err)
	}
	return nil
}

// resume notes what a snapshot says of the audited partitions: the pass that each was in, the number of passes before
// that, and the verdicts that are not known to be committed. The snapshot holds those verdicts whole. Nothing else is
// known of the earlier passes.
func (a *audit) resume(c index.Contents, routes index.Routes) error {
	a.routed = routes.Number
	for _, s := range a.sources {
		if routes.Number > 0 {
			s.turn(targetOf(routes.Text, s.Topic), 0)
		}
	}
	if routes.Number > 0 {
		a.begins(routes.Text)
		if err := a.onDuty(routes.Text); err != nil {
			return err
		}
	}
	for i := range c.Partitions {
		row := &c.Partitions[i]
		s := a.bySource[row.Source]
		if s == nil {
			continue
		}
		for range int(row.Epoch) - 1 {
			s.passes = append(s.passes, before())
		}
		s.begin(epoch{start: row.Start, open: row.Base})
		if err := a.judge(s, c.Held[i]); err != nil {
			return err
		}
		s.begunBefore(routes.Number, row.Base)
	}
	return nil
}

func (a *audit) step(at index.Stamp, rec index.Record) error {
	switch rec := rec.(type) {
	case *index.Settings:
		a.twin.Apply(at, rec)
		if !a.twin.Ours() {
			return replay.OtherSettings(a.in.Settings, rec.Text)
		}
	case *index.Reposition:
		a.reposition(at, rec)
	case *index.Run:
		verdicts := a.twin.Apply(at, rec)
		s := a.bySource[rec.Source]
		if s == nil {
			return nil
		}
		if s.turned && a.counts(rec) {
			s.announced(rec.Base)
		}
		return a.judge(s, verdicts)
	case *index.Feed:
		for _, v := range a.twin.Apply(at, rec) {
			if s := a.bySource[index.SourceOf(rec, &v)]; s != nil {
				if err := a.noteVerdict(s, &v); err != nil {
					return err
				}
			}
		}
	case *index.Routing:
		return a.reroute(rec)
	case *index.Forget:
		return a.forget(at, rec)
	case *index.Fill, *index.Erase, *index.SettingsChange, *index.Mark, *index.Checkpoint, *index.Accusation: // none of them judges
		a.twin.Apply(at, rec)
	}
	return nil
}

// reposition begins a pass if the reposition applies.
func (a *audit) reposition(at index.Stamp, rec *index.Reposition) {
	was, _ := a.twin.Partition(rec.Source)
	a.twin.Apply(at, rec)
	is, _ := a.twin.Partition(rec.Source)
	s := a.bySource[rec.Source]
	if s == nil || is.Epoch == was.Epoch {
		return
	}
	if n := len(s.passes); n > 0 {
		s.passes[n-1].base = was.Base
	}
	s.begin(epoch{start: is.Start})
}

// counts says whether a run is of the present epoch.
func (a *audit) counts(run *index.Run) bool {
	state, _ := a.twin.Partition(run.Source)
	return run.Fingerprint == a.twin.Fingerprint() && run.Epoch == state.Epoch
}

// judge notes verdicts of the present pass. Before a partition's first pass there are none.
func (a *audit) judge(s *stream, verdicts []index.Verdict) error {
	for i := range verdicts {
		if err := a.noteVerdict(s, &verdicts[i]); err != nil {
			return err
		}
	}
	return nil
}

// noteVerdict notes a verdict, or its change. Of several about one document in one pass, the last holds.
func (a *audit) noteVerdict(s *stream, v *index.Verdict) error {
	s.judged = max(s.judged, v.Offset+1)
	if v.Offset < s.first {
		return nil // nothing is left to compare
	}
	j := judgement{pass: len(s.passes) - 1, verdict: *v}
	a.scratch = j.append(a.scratch[:0])
	a.noted++
	return a.sorter.add(keyOf(s.number, v.Offset, factVerdict, a.noted), a.scratch)
}

// forget marks the verdict at a position if the twin still holds it, because then it was not forwarded yet.
func (a *audit) forget(at index.Stamp, rec *index.Forget) error {
	a.twin.Apply(at, rec)
	source, v, ok := a.twin.HeldAt(rec.Target)
	if s := a.bySource[source]; ok && s != nil {
		return a.noteVerdict(s, &v)
	}
	return nil
}

// restore restores the oldest snapshot that the journal still continues.
func (a *audit) restore(ctx context.Context, journal topic.Part) (*index.Replica, error) {
	start := replay.Start{
		Params: a.in.Params, Settings: a.in.Settings, Snapshots: a.in.Snapshots,
		Restoring: func(s snapshot.Info) error {
			if a.in.Restoring != nil {
				a.in.Restoring(s)
			}
			return a.progress(StageSnapshot, 0, s.Documents)
		},
	}
	replica, _, err := start.Restore(ctx, a.journalID, journal.From, journal.To)
	return replica, err
}

// ErrOvertaken says that the members trimmed the journal while it was read.
var ErrOvertaken = errors.New("its members trimmed it faster than it was read: audit again, or raise snapshots.every " +
	"meanwhile")
