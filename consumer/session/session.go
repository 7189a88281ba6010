package session

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/mail"
	"github.com/unecho/unecho/consumer/pipeline"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/standing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/takeover"
)

// Session is one member of the group with transactions of its own. Its loop is one goroutine, which alone uses its member,
// pipeline and batch.
type Session struct {
	*Setup
	Standing  *standing.Session // for those who look on
	slot      string            // instance id, and with the group the transactional id
	mail      *mail.Box
	outage    *outage
	takeovers *takeover.Takeovers
	client    *client
	pipeline  *pipeline.Pipeline
	intake    *protocol.Intake
}

// New makes a session for each slot. They start nothing.
func New(setup *Setup, slots []string) ([]*Session, error) {
	sessions, takeovers := make([]*Session, len(slots)), setup.takeovers()
	for i, slot := range slots {
		p, err := setup.pipeline()
		if err != nil {
			return nil, err
		}
		box, st := &mail.Box{}, standing.New(slot, setup.Stir, setup.Counters)
		sessions[i] = &Session{
			Setup: setup, Standing: st, slot: slot, mail: box, outage: newOutage(setup, slot, box),
			takeovers: takeover.New(takeovers, slot, box, st), pipeline: p, intake: protocol.NewIntake(setup.Params.PollRecords),
		}
	}
	return sessions, nil
}

// Run keeps a session alive until drain is done. It opens, works, and whenever an outcome is unknown closes and opens
// again.
func (s *Session) Run(ctx, drain context.Context) error {
	watching, end := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() { s.outage.watch(watching) })
	err := s.work(ctx, drain)
	end()
	watch.Wait()
	s.outage.close()
	return err
}

func (s *Session) work(ctx, drain context.Context) error {
	wait := rebuildWait
	for {
		committed, err := s.once(ctx, drain)
		if stop := s.stopCause(err); stop != nil {
			return stop
		}
		if drain.Err() != nil || ctx.Err() != nil {
			break
		}
		s.rebuilt(err, committed)
		if wait = min(2*wait, maxRebuildWait); committed {
			wait = rebuildWait
		}
		if retry.Pause(drain, wait) != nil {
			break
		}
	}
	s.leaveGroup(ctx, drain)
	return nil //nolint:nilerr // draining is no error
}

// How long a session waits before it is built again: longer each time, until one commits.
const (
	rebuildWait    = 50 * time.Millisecond
	maxRebuildWait = 3 * time.Second
)

// once works with one client, and says whether that has committed.
func (s *Session) once(ctx, drain context.Context) (committed bool, err error) {
	if err := s.Cluster.Fence(ctx, s.slot); err != nil {
		return false, err
	}
	if err := s.open(); err != nil {
		return false, err
	}
	l := &loop{
		Setup: s.Setup, slot: s.slot, mail: s.mail, standing: s.Standing, outage: s.outage, client: s.client, pipeline: s.pipeline,
		intake: s.intake, member: protocol.NewMember(s.Mode, s.intake, MostHeld, time.Now()),
	}
	err = l.run(ctx, drain)
	if err != nil && drain.Err() == nil && s.client.replaced(ctx) {
		err = &stop.Error{
			What:   fmt.Sprintf("another process took the place of %s in group %s", s.slot, s.Params.Group),
			Remedy: "give each process an advanced.member of its own, or none, so that each takes a free one",
			Err:    fmt.Errorf("%w: %w", ErrReplaced, err),
		}
	} else {
		s.leaveGroup(ctx, drain)
	}
	s.close(ctx, l)
	if l.moved != nil {
		s.takeovers.Moved(l.moved.Source)
	}
	return l.committed, err
}

// open makes a client, which takes part in the group from then on.
func (s *Session) open() error {
	life, abandon := context.WithCancel(context.Background())
	if err := s.mail.Open(abandon); err != nil {
		abandon()
		return err
	}
	s.Standing.Opens(time.Now())
	s.pipeline.Renew()
	c := &client{
		Setup: s.Setup, slot: s.slot, mail: s.mail, unpacker: s.pipeline.Unpacker, abandon: abandon, made: make(chan struct{}),
		paused: map[protocol.PartitionName]bool{}, leaderless: map[protocol.PartitionName]bool{},
	}
	if c.reads, c.subscribed = s.Topics.List(); len(c.reads) == 0 {
		s.Standing.Idles(time.Now()) // the client joins the group with the first topic
	}
	if s.client != nil {
		c.looked = s.client.looked
	}
	s.takeovers.Open(c.unpacker, c.identity)
	group, err := kgo.NewGroupTransactSession(append(slices.Concat(s.options(s.slot, c.reads), s.leaveLogger(&c.left),
		c.unpacker.Options(s.Cluster.Client), s.takeovers.Options()), kgo.WithContext(life))...)
	if err != nil {
		abandon()
		return fmt.Errorf("open session %s: %w", s.slot, err)
	}
	c.group, s.client = group, c
	close(c.made)
	return nil
}

// close ends the client without leaving the group. At a final shutdown leaveGroup does that.
//
// Closing waits for the end of a rebalance, which others may hold up. The client uses that wait: it leaves the group
// where its revoked partitions would belong to nobody. It gets closeWait for that.
func (s *Session) close(ctx context.Context, l *loop) {
	timer := time.AfterFunc(closeWait, s.client.abandon)
	s.client.group.CloseAllowingRebalance()
	timer.Stop()
	s.client.abandon()
	l.deliver()
	for _, a := range l.member.Assigned() {
		s.Waiting.Forget(a.Name())
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := l.announce(ctx, l.member.Unannounced()); err != nil {
		s.Logger.Debug().Err(err).Msg("last base is not announced") // the next owner fetches it
	}
}

const closeWait = 500 * time.Millisecond

// leaveGroup is part of a final shutdown. It runs before the client is closed, because closing would wait for a
// rebalance that others hold up. It runs again afterwards, because a client that was about to join may have joined in
// between.
func (s *Session) leaveGroup(ctx, drain context.Context) {
	keeps := s.Params.KeepMembership && !s.Incarnation.StaysAlone() // who stays alone waits until the one before has left
	if drain.Err() == nil || ctx.Err() != nil || keeps {
		return
	}
	if s.client != nil {
		s.client.left.Store(true)
	}
	s.Cluster.Leave(ctx, s.slot)
}

// stopCause returns the error that ends the process, if there is one.
func (s *Session) stopCause(err error) error {
	if final := s.mail.Final(); final != nil {
		return final
	}
	return s.final(s.slot, err)
}

// rebuilt says that the session is built anew. Once is nothing, again and again is trouble.
func (s *Session) rebuilt(because error, committed bool) {
	s.Counters.Rebuilds.Add(1)
	inARow := s.Standing.Fails(time.Now(), because, committed)
	level := zerolog.InfoLevel
	if inARow > 1 {
		level = zerolog.WarnLevel
	}
	s.Logger.WithLevel(level).Str("session", s.slot).AnErr("because", because).Int("in_a_row", inARow).
		Msg("session is rebuilt")
}
