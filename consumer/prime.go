package consumer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/feed"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/signing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/snapshot"
)

// Primer fills a running group's window with history: it appends what was before the group began to the group's
// journal, and forwards nothing (design 4, rule 16). It is no member of the group, but follows its journal with a
// replica of its own.
type Primer struct {
	setup   Setup
	reader  *document.Reader
	asked   backfill.Asked
	said    func(string) // tells a person what happens
	target  backfill.Primed
	replica atomic.Pointer[member.Follower] // nil: there is none yet
}

// Priming is how a priming stands.
type Priming struct {
	index.Primed
	Of       *protocol.Plan // nil: none was begun
	Rejected uint64         // documents that cannot be compared
	History  int            // documents of history that the group remembers now
	protocol.Progress
}

// NewPrimer builds a primer of the setup's group. What is not asked for is as PrimeRange says. It calls said with
// what a person may want to know.
func NewPrimer(setup Setup, asked backfill.Asked, said func(string)) (*Primer, error) {
	setup.Plan = nil
	setup.Source.AcceptJournalGap = false // an empty memory would not know how far history is
	if setup.Store == nil {
		setup.Store = noSnapshots{}
	}
	reader, _, err := setup.build()
	if err != nil {
		return nil, err
	}
	return &Primer{
		setup: setup, reader: reader, asked: asked, said: said,
		target: backfill.Primed{
			Kafka: setup.Kafka, Group: setup.Params.Group, Journal: setup.Journal.Topic, Settings: setup.Settings,
		},
	}, nil
}

// Check refuses a group that cannot be primed.
func (p *Primer) Check(ctx context.Context) error {
	_, err := p.target.Look(ctx)
	return err
}

// Run primes the group until the range is brought, and returns how the priming stood when it began and when it ended.
// It goes on where one that was killed had come to.
func (p *Primer) Run(ctx context.Context) (before, after Priming, err error) {
	state, err := p.target.Look(ctx)
	if err != nil {
		return before, after, err
	}
	r, err := p.reach(ctx, &state)
	if err != nil {
		return before, after, err
	}
	defer r.cluster.Client.Close()
	topics := p.asked.Topics
	if len(topics) == 0 {
		if topics, err = r.sourcesBy(ctx, state.Routes.Text); err != nil {
			return before, after, err
		}
	}
	for times := member.Overtakings(0); ; {
		life := &primerLife{reached: r, asked: p.asked, said: p.said, topics: topics}
		after, err := p.live(ctx, life)
		var overtaken *member.OvertakenError
		if errors.As(err, &overtaken) {
			if err = times.Another(life.replica, overtaken); err == nil {
				continue
			}
		}
		var disputed *member.DisputedError
		if errors.As(err, &disputed) {
			err = &stop.Error{
				What: "this process's replica differs from that of the group", Err: err,
				Remedy: "run the same command again: it restores a snapshot and goes on",
			}
		}
		return life.before, after, err
	}
}

// Now returns how the priming stands.
func (p *Primer) Now() Priming {
	if replica := p.replica.Load(); replica != nil {
		return primingOf(replica)
	}
	return Priming{}
}

func primingOf(replica *member.Follower) (s Priming) {
	replica.Look(func(r *index.Replica) {
		s.Primed, s.History = r.Primed(), r.Stats().History
		plan, err := routing.PlanOf(s.Plan)
		if s.Number == 0 || err != nil || plan == nil {
			return
		}
		s.Of, s.Progress = plan, protocol.Progress{Finished: true, Total: plan.Documents()}
		for _, of := range plan.Ranges {
			part := r.PrimedPart(of.Source)
			s.Rejected += part.Rejected
			s.Done += min(max(0, part.Through-of.From), of.To-of.From)
			s.Finished = s.Finished && (of.From >= of.To || part.Through >= of.To)
		}
		c := &s.PrimedCounts
		s.Tally = protocol.Tally{
			Unique: int64(c.Kept), Duplicate: int64(c.Duplicate),
			Rejected: int64(s.Rejected + c.PassedOver()),
		}
	})
	return s
}

// reach connects to the cluster and finds the journal. It creates nothing. The routing of the group is taken as it is: a
// primer reads no assignment, and forwards nothing.
func (p *Primer) reach(ctx context.Context, is *routing.State) (*reached, error) {
	settings, err := p.setup.Index.AsBegun(is.Settings)
	if err != nil {
		return nil, err
	}
	client, err := p.setup.client()
	if err != nil {
		return nil, err
	}
	found, err := broker.NewTopics(client, p.setup.Logger).Describe(ctx, p.setup.Journal.Topic)
	if err != nil {
		client.Close()
		return nil, err
	}
	setup := p.setup.fixed(settings)
	agreed := member.NewAgreed(setup.Index, setup.Settings, routing.Plain(is.Routes.Text))
	return setup.reached(client, found[0].ID, agreed, index.Fingerprint(is.Settings), p.reader), nil
}

// live primes with one replica, and returns how the priming stood at the end.
func (p *Primer) live(ctx context.Context, life *primerLife) (after Priming, err error) {
	replica, err := member.Restore(ctx, life.member("primer", member.NewCounters(), nil), nil)
	if err != nil {
		return after, fmt.Errorf("start: %w", err)
	}
	life.replica = replica
	p.replica.Store(replica)
	err = following(ctx, replica, life.work)
	return primingOf(replica), err
}

// primerLife primes with one replica.
type primerLife struct {
	*reached
	asked   backfill.Asked
	said    func(string) // tells a person what happens
	topics  []string     // that are primed if nothing else was begun
	replica *member.Follower
	before  Priming
}

// work catches up, agrees on what is primed, and feeds that.
func (l *primerLife) work(ctx context.Context) error {
	if err := l.replica.CatchUp(ctx, l.setup.Params.MaxLag); err != nil {
		return err
	}
	var text []byte
	l.replica.Look(func(r *index.Replica) { text = r.Routes().Text })
	sources, err := l.sourcesBy(ctx, text)
	if err == nil {
		err = l.sameScopes(sources)
	}
	if err != nil {
		return err
	}
	now, err := l.agree(ctx)
	if err != nil {
		return err
	}
	if l.before = now; now.Of == nil || now.Finished {
		return nil
	}
	return feed.Run(ctx, feed.Setup{
		Plan: now.Of, Priming: now.Number, Cluster: l.cluster, Log: l.log, Replica: l.replica,
		Signing: &signing.Setup{
			Index: l.replica.Params(), Reader: l.reader, Encoder: l.encoder(), Large: l.large,
			MaxEntryBytes: int(l.setup.Journal.MaxEntryBytes),
			Untimely:      func(*kgo.Record) (string, bool) { return "", false }, // nothing is forwarded
		},
		MaxBatchBytes: int(l.setup.Source.MaxBatchBytes), FetchBytes: int(l.setup.Params.FetchBytes),
		MaxRate: l.setup.MaxRate, Logger: l.setup.Logger, Sources: sources,
	})
}

// sameScopes refuses to prime a group, which compares documents of one topic only, from topics that it does not read:
// nothing would be a copy of what is primed.
func (l *primerLife) sameScopes(sources []string) error {
	if !l.setup.Document.ScopeIsTopic() {
		return nil
	}
	for _, topic := range l.topics {
		if !slices.Contains(sources, topic) {
			return &stop.Error{
				What: fmt.Sprintf("the group compares only documents of one topic (document.scope: topic), and does not read %s: "+
					"nothing would be found a copy of what is primed from there", topic),
				Remedy: "prime the group from the topics that it reads",
			}
		}
	}
	return nil
}

// sourcesBy returns the topics that a group reads by a routing.
func (r *reached) sourcesBy(ctx context.Context, text []byte) ([]string, error) {
	choice, err := routing.Chosen(text, r.log.Topic)
	if err != nil {
		return nil, err
	}
	return choice.Find(ctx, r.cluster.Admin())
}

// agree returns the priming to go on with: the latest one if it is what is asked for, and else one that it begins. Of
// two that begin at the same time the first counts.
func (l *primerLife) agree(ctx context.Context) (Priming, error) {
	for unreadable := 0; ; {
		now := primingOf(l.replica)
		if now.Of != nil {
			is, err := l.asks(ctx, now.Of)
			if err != nil || is {
				return now, err
			}
			l.said(fmt.Sprintf("priming %d of the group was of something else, and ended at %d of %d offsets: another one begins", now.Number, now.Done, now.Total))
		}
		plan, err := l.fix(ctx)
		if err != nil {
			return Priming{}, err
		}
		if plan.Documents() == 0 {
			return Priming{}, nil
		}
		if err := l.begin(ctx, now.Number+1, plan); err != nil {
			return Priming{}, err
		}
		if begun := primingOf(l.replica); begun.Number == now.Number {
			if err := l.log.BeforeRepeat(ctx, unreadable); err != nil {
				return Priming{}, err
			}
			unreadable++
		} else if !bytes.Equal(begun.Plan, planText(plan)) && begun.Of != nil && len(l.asked.Other(begun.Of)) > 0 {
			return Priming{}, &stop.Error{
				What:   "another priming of this group was begun at the same moment",
				Remedy: "look at what that one does, and run this one afterwards",
			}
		}
	}
}

// asks says whether a plan is what is asked for. For files it is if it has all that their topic holds: that may be a new
// one of that name, or hold more.
func (l *primerLife) asks(ctx context.Context, plan *protocol.Plan) (bool, error) {
	if len(l.asked.Other(plan)) > 0 {
		return false, nil
	}
	if !slices.ContainsFunc(l.asked.Topics, backfill.IsHistory) {
		return true, nil
	}
	whole, err := l.fix(ctx)
	return err == nil && slices.Equal(whole.Ranges, plan.Ranges), err
}

// fix turns what is asked for into a plan.
func (l *primerLife) fix(ctx context.Context) (*protocol.Plan, error) {
	of := backfill.PrimeRange{
		Topics: l.topics, From: l.asked.From, To: l.asked.To, Age: l.replica.Params().Window.Age,
		Start: func(source entry.Source) (offset int64, known bool) {
			l.replica.Look(func(r *index.Replica) {
				p, ok := r.Partition(source)
				offset, known = p.Start, ok
			})
			return offset, known
		},
	}
	if l.setup.Index.Window.Clock == "event" {
		l.replica.Look(func(r *index.Replica) { of.Clock = r.Stats().Now })
	}
	return of.Fix(ctx, l.setup.Kafka, time.Now())
}

func planText(plan *protocol.Plan) []byte { return routing.WithPlan([]byte("{}"), plan) }

// begin appends the record that begins a priming, and waits until the replica has passed it.
func (l *primerLife) begin(ctx context.Context, number uint32, plan *protocol.Plan) error {
	value := journal.Append(nil, &index.History{Header: l.log.Header(), Number: number, Plan: planText(plan)})
	if len(value) > l.setup.Journal.MaxRecordBytes() {
		return &stop.Error{
			What:   fmt.Sprintf("%d partitions are too many for one priming: what it says of them exceeds what the journal takes", len(plan.Ranges)),
			Remedy: "prime fewer topics at a time with --topic",
		}
	}
	at, err := l.log.Put(ctx, value)
	if err != nil {
		return err
	}
	return l.replica.Wait(ctx, at)
}

// noSnapshots is a store without any.
type noSnapshots struct{ snapshot.Store }

// Manifests lists nothing.
func (noSnapshots) Manifests(context.Context) ([]snapshot.Info, error) { return nil, nil }
