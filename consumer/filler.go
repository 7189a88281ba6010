package consumer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/feed"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot"
)

// Filler fills the window of a new group with what a topic or files hold, before the group judges anything, and has
// the group forward then. It is no member of the group, but follows its journal with a replica of its own.
type Filler struct {
	Files *files.Directory // of this run, where old documents lie; nil: in memory. The caller ends it

	setup   Setup
	service *Service // builds what a member has
	asked   backfill.Asked
	said    func(string) // tells a person what happens

	began  sync.Once
	before Fill // how the fill stood when it began
}

// NewFiller builds a filler of the setup's group. What is not asked for is as backfill.FillRange says. It calls said
// with what a person may want to know.
func NewFiller(setup Setup, asked backfill.Asked, said func(string)) (*Filler, error) {
	setup.Plan, setup.fills = nil, true
	if setup.Store == nil {
		setup.Store = noSnapshots{}
	}
	service, err := New(setup)
	if err != nil {
		return nil, err
	}
	return &Filler{setup: setup, service: service, asked: asked, said: said}, nil
}

// Check refuses a group whose window can not be filled any more, or is filled by others. It returns backfill.ErrFilled if
// it was filled with what is asked for.
func (f *Filler) Check(ctx context.Context) error {
	s := &f.setup
	in := backfill.Fillable{
		Kafka: s.Kafka, Group: s.Params.Group, Journal: s.Journal.Name(s.Params.Group), Gap: s.Accepted.JournalGap,
		Topics: f.asked.Topics, Succeeds: s.Params.Succeeds,
	}
	if len(in.Topics) == 0 {
		in.Topics = document.Named(s.Sources)
	}
	return in.Check(ctx)
}

// Stats are those of a member that takes no part.
func (f *Filler) Stats() Stats { return f.service.Stats() }

// Now returns how the fill stands.
func (f *Filler) Now() Fill {
	if replica := f.service.replica.Load(); replica != nil {
		return fillOf(replica)
	}
	return Fill{}
}

// Run brings what is asked for, and has the group forward. It returns how the fill stood when it began and when it
// ended. It goes on where one that was killed had come to. After ErrHangs it uses Files still.
func (f *Filler) Run(ctx context.Context) (before, after Fill, err error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	if err = f.service.hang.inTime(func() error { return f.run(ctx) }); errors.Is(err, ErrHangs) {
		return before, after, err
	}
	return f.before, f.Now(), err
}

func (f *Filler) run(ctx context.Context) error {
	defer f.service.hang.watch(ctx)()
	if err := f.Check(ctx); err != nil {
		return err
	}
	s := f.service
	if err := s.setup.closed(); err != nil {
		return err
	}
	r, err := s.setup.connect(ctx, s.reader, s.lookout)
	if err != nil {
		return err
	}
	defer r.cluster.Client.Close()
	r.files = f.Files
	s.replicas.Watch(f.Files)
	var lives member.Lives
	for again := true; again; {
		s.replica.Store(nil) // there is no room for two windows
		err = f.live(ctx, r)
		again, err = lives.Another(s.replica.Load(), err)
	}
	if errors.As(err, new(*member.DisputedError)) {
		err = &stop.Error{
			What: "this process's replica differs from that of the group", Err: err,
			Remedy: "run the same command again: it restores a snapshot and goes on",
		}
	}
	return err
}

func (f *Filler) live(ctx context.Context, r *reached) error {
	replica, err := member.Restore(ctx, r.member("filler", f.service.replicas, nil), nil)
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	f.service.replica.Store(replica)
	life := &fillerLife{Filler: f}
	if life.filling, err = r.filling(replica); err != nil {
		return err
	}
	keepFiles := func(ctx context.Context) error { return member.KeepFiles(ctx, replica) }
	return f.service.hang.following(ctx, replica.Follow, life.work, keepFiles)
}

type fillerLife struct {
	filling
	*Filler
}

// work catches up, agrees on what is brought, brings that, and has the group forward.
func (l *fillerLife) work(ctx context.Context) error {
	if err := l.replica.CatchUp(ctx, l.reached.setup.Params.MaxLag); err != nil {
		return err
	}
	l.began.Do(func() { l.before = l.latest() })
	if d, _, err := dutyOf(l.replica); err != nil || d.Kind != protocol.Fills || d.Other != "" {
		return errors.Join(err, l.Check(ctx)) // it says why
	}
	plan, err := l.agree(ctx)
	if err != nil {
		return err
	}
	if plan.Documents() > 0 {
		err := l.bring(ctx)
		if errors.Is(err, feed.ErrOver) {
			err = &stop.Error{What: err.Error(), Remedy: "look at what others do with this group: the same command says how it stands"}
		}
		if err != nil {
			return err
		}
	}
	if err := l.forwards(ctx, plan); err != nil || l.setup.Accepted.JournalGap == "" {
		return err
	}
	l.said("the group goes on at its committed offsets: start its members once with --accept-journal-gap " + l.log.Gap())
	return nil
}

// agree returns the fill to go on with: the latest one if it is what is asked for, and else one that it begins, if there
// is anything to bring.
func (l *fillerLife) agree(ctx context.Context) (*protocol.Plan, error) {
	of := backfill.FillRange{Topics: l.asked.Topics, From: l.asked.From, To: l.asked.To}
	if len(of.Topics) == 0 {
		var err error
		if of.Topics, err = l.choice.Find(ctx, l.cluster.Admin()); err != nil {
			return nil, err
		}
	}
	if err := l.sameScopes(ctx, of.Topics); err != nil {
		return nil, err
	}
	now := l.latest()
	if now.Of != nil {
		if len(l.asked.Other(now.Of)) == 0 && !now.Finished {
			return now.Of, nil
		}
		l.said(fmt.Sprintf("fill %d brought %d of %d offsets: another one goes on", now.Number, now.Done, now.Total))
	}
	plan, err := l.plan(ctx, of)
	if err == nil {
		err = l.judgedBelow(ctx, plan)
	}
	if err != nil || plan.Documents() == 0 {
		return plan, err
	}
	ours, err := l.begin(ctx, now.Number, plan)
	if now = l.latest(); err == nil && !ours && len(l.asked.Other(now.Of)) == 0 {
		return now.Of, nil
	}
	if err == nil && !ours {
		err = &stop.Error{
			What:   "another fill of this group was begun at the same moment",
			Remedy: "look at what that one does, and run this one afterwards",
		}
	}
	return plan, err
}

// judgedBelow refuses a plan with documents that a group with committed offsets has yet to judge: it would begin behind
// them.
func (l *fillerLife) judgedBelow(ctx context.Context, plan *protocol.Plan) error {
	group := l.reached.setup.Params.Group
	committed, err := broker.Committed(ctx, l.cluster.Admin(), group)
	if err != nil {
		return err
	}
	for _, r := range plan.Ranges {
		at := cluster.Committed(committed, r.Topic, r.Source.Partition).Offset
		if at >= 0 && at < r.To && l.choice.Reads(r.Topic) {
			return &stop.Error{
				What: fmt.Sprintf("group %s goes on at offset %d of %s/%d: a window that is filled up to %d would leave out what lies "+
					"between", group, at, r.Topic, r.Source.Partition, r.To),
				Remedy: "name with --topic what the group found unique",
			}
		}
	}
	return nil
}

// sameScopes refuses to fill the window of a group that compares documents of one topic only from topics that it neither
// reads nor writes unique documents to: nothing would be found a copy of them.
func (l *fillerLife) sameScopes(ctx context.Context, topics []string) error {
	if !document.ScopeIsTopic(l.reached.setup.Sources) {
		return nil
	}
	sources, err := l.choice.Find(ctx, l.cluster.Admin())
	if err != nil {
		return err
	}
	for _, topic := range topics {
		own := l.choice.Reads(topic) || slices.ContainsFunc(sources, func(source string) bool {
			unique, _, _, _ := routing.Outputs(l.agreed.Routing, source)
			return unique == topic
		})
		if !own {
			return &stop.Error{
				What: fmt.Sprintf("the group compares only documents of one topic (sources.scope: topic), and does not read %s: "+
					"nothing would be found a copy of what comes from there", topic),
				Remedy: "fill the window with the topics that the group reads, or those of its unique documents",
			}
		}
	}
	return nil
}

func (l *fillerLife) forwards(ctx context.Context, plan *protocol.Plan) error {
	journalOf := routing.Journal{Options: l.reached.setup.Kafka, Topic: l.log.Topic, Group: l.reached.setup.Params.Group}
	next := l.filledDuty(plan)
	for {
		now, err := journalOf.Read(ctx)
		if err != nil {
			return err
		}
		d, err := routing.DutyOf(now.Routes.Text)
		if err != nil || d.Kind != protocol.Fills {
			return err
		}
		next.OwnJournal = d.OwnJournal
		_, err = journalOf.Apply(ctx, l.reached.setup.Journal, now, routing.WithDuty(now.Routes.Text, &next))
		if !errors.Is(err, routing.ErrOvertaken) {
			return err
		}
	}
}

// filledDuty is that of a group that was filled, the last time by a plan. What it reads itself of what was brought, by
// this fill or by one before, it begins behind that. What was brought is noted for a group that takes over from this
// one. Of two topics of one name the later one counts.
func (l *fillerLife) filledDuty(plan *protocol.Plan) protocol.Duty {
	d := protocol.Duty{Kind: protocol.Forwards}
	l.replica.Look(func(r *index.Replica) {
		r.EachFilled(func(source entry.Source, topic string, through int64) {
			d.Fill = append(d.Fill, protocol.Boundary{Topic: topic, Source: source, Offset: through})
		})
	})
	for _, b := range d.Fill {
		if l.choice.Reads(b.Topic) {
			d.From = append(d.From, b)
		}
	}
	for _, r := range plan.Ranges { // also of what has no document that is young enough
		known := slices.ContainsFunc(d.From, func(b protocol.Boundary) bool { return b.Source == r.Source })
		if !known && l.choice.Reads(r.Topic) {
			d.From = append(d.From, protocol.Boundary{Topic: r.Topic, Source: r.Source, Offset: r.To})
		}
	}
	return d
}

type noSnapshots struct{ snapshot.Store }

// Manifests lists nothing.
func (noSnapshots) Manifests(context.Context) ([]snapshot.Info, error) { return nil, nil }

// Segment finds nothing.
func (noSnapshots) Segment(_ context.Context, name string) ([]byte, error) {
	return nil, &snapshot.MissingSegmentsError{Names: []string{name}}
}
