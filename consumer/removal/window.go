package removal

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
)

// Group is the group whose documents are looked for.
type Group struct {
	Options   []kgo.Opt // reach the cluster
	Name      string
	Journal   journal.Params
	Params    index.Params
	Settings  []byte                                        // canonical text; it must be the one in force
	Snapshots func(context.Context) (snapshot.Store, error) // opens the store, of which nothing is changed
	Progress  func(done, total int64)                       // journal records that were read; may be nil
}

// Window is what a group remembers at one journal offset.
type Window struct {
	group   *Group
	replica *index.Replica
	client  *kgo.Client
}

// Open reads what the group remembers at the journal's present end. It takes as much memory as a member. Close ends it.
func Open(ctx context.Context, g *Group) (*Window, error) {
	client, err := kgo.NewClient(append(append([]kgo.Opt{}, g.Options...), journal.AppenderOptions(g.journal())...)...)
	if err != nil {
		return nil, fmt.Errorf("open client: %w", err)
	}
	w := &Window{group: g, client: client}
	if err := w.read(ctx); err != nil {
		client.Close()
		return nil, err
	}
	return w, nil
}

// journal returns the parameters with the journal topic's name.
func (g *Group) journal() journal.Params {
	p := g.Journal
	p.Topic = p.Name(g.Name)
	return p
}

// Close closes the connections.
func (w *Window) Close() { w.client.Close() }

func (w *Window) read(ctx context.Context) error {
	name := w.group.journal().Topic
	topics, err := broker.NewTopics(w.client, zerolog.Nop()).Describe(ctx, name)
	if err != nil {
		return err
	}
	log := journal.NewLog(w.client, name, topics[0].ID, w.group.Name, index.Fingerprint(w.group.Settings), 0,
		zerolog.Nop())
	start, end, err := log.Range(ctx)
	if err != nil {
		return err
	}
	place, err := w.restore(ctx, topics[0].ID, start, end)
	if err != nil {
		return err
	}
	if err := w.follow(ctx, place, end); err != nil {
		return fmt.Errorf("read journal %s: %w", name, err)
	}
	return w.agrees()
}

// agrees returns an error if the settings in force are not the group's.
func (w *Window) agrees() error {
	inForce := w.replica.Settings()
	if inForce == nil || index.Same(inForce, w.group.Settings) {
		return nil
	}
	return fmt.Errorf("the settings differ from those of journal %s:\n    %s\n  use the configuration of the members",
		w.group.journal().Topic, strings.Join(index.Diff(w.group.Settings, inForce), "\n    "))
}

// restore makes the replica from the newest snapshot that the journal continues, or an empty one if the journal is
// whole.
func (w *Window) restore(ctx context.Context, topic [16]byte, start, end int64) (place journal.Begin, err error) {
	store, err := w.group.Snapshots(ctx)
	if err != nil && start > 0 {
		return place, err
	}
	var damaged error
	if err == nil {
		defer func() { err = errors.Join(err, store.Close()) }()
		if place, damaged, err = w.newest(ctx, store, topic, start, end); err != nil || w.replica != nil {
			return place, err
		}
	}
	if start > 0 {
		return place, errors.Join(fmt.Errorf(
			"journal %s begins at %d, and no snapshot is in store from there on: what is remembered cannot be read",
			w.group.journal().Topic, start), damaged)
	}
	w.replica, err = index.NewReplica(w.group.Params, index.Fingerprint(w.group.Settings))
	return journal.Begin{LeaderEpoch: -1}, err
}

// newest restores the newest whole snapshot that the journal continues. Without one the replica stays nil.
func (w *Window) newest(ctx context.Context, store snapshot.Store, topic [16]byte, start,
	end int64,
) (place journal.Begin, damaged, err error) {
	infos, err := store.Manifests(ctx)
	if err != nil {
		return place, nil, fmt.Errorf("list snapshots: %w", err)
	}
	for _, info := range infos {
		at := info.Position
		if at.JournalTopic != topic || at.Offset < start || at.Offset > end {
			continue
		}
		w.replica, err = w.load(ctx, store, at)
		if err == nil {
			return journal.Begin{Offset: at.Offset, LeaderEpoch: at.LeaderEpoch}, nil, nil
		}
		if !snapshot.Damaged(err) && !errors.Is(err, index.ErrCorrupt) {
			return place, nil, err
		}
		damaged = errors.Join(damaged, err)
	}
	w.replica = nil
	return place, damaged, nil
}

func (w *Window) load(ctx context.Context, store snapshot.Store, at snapshot.Position) (*index.Replica, error) {
	m, err := store.Manifest(ctx, at)
	if err != nil {
		return nil, err
	}
	state, err := index.NewRestore(w.group.Params, index.Fingerprint(w.group.Settings), m.State)
	if err != nil {
		return nil, fmt.Errorf("restore %v: %w", at, err)
	}
	w.replica, err = snapshot.Restore(ctx, store, &m, state)
	return w.replica, err
}

// follow applies the journal from a place up to an end.
func (w *Window) follow(ctx context.Context, from journal.Begin, end int64) error {
	p := w.group.journal()
	passed := func(at index.Stamp) {
		if w.group.Progress != nil {
			w.group.Progress(at.Offset+1-from.Offset, end-from.Offset)
		}
	}
	part := journal.Part{Options: w.group.Options, Topic: p.Topic, Params: p, From: from, End: end}
	return part.Follow(ctx, journal.Handler{
		Owner: w.group.Name,
		Skip: func(at index.Stamp, _ int32, _ *journal.StrayError) error {
			w.replica.Skip(at)
			passed(at)
			return nil
		},
		Apply: func(at index.Stamp, _ int32, rec index.Record) error {
			w.replica.Apply(at, rec)
			passed(at)
			return nil
		},
	})
}
