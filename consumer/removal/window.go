package removal

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/replay"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/paging"
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

	Directory *files.Directory          // of this run, where old documents lie; nil: in memory
	Restoring func(snapshot.Info) error // is asked before a snapshot is restored; may be nil
}

// Window is what a group remembers at one journal offset.
type Window struct {
	group  *Group
	pager  paging.Pager
	client *kgo.Client
}

// Open reads what the group remembers at the journal's present end. It takes as much memory as a member that has all
// documents in memory, or with a directory as one that keeps old ones in files. Close ends it.
func Open(ctx context.Context, g *Group) (*Window, error) {
	client, err := kgo.NewClient(append(append([]kgo.Opt{}, g.Options...), journal.AppenderOptions(g.journal())...)...)
	if err != nil {
		return nil, fmt.Errorf("open client: %w", err)
	}
	w := &Window{group: g, client: client, pager: paging.Pager{Directory: g.Directory}}
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
	if inForce := w.pager.Replica.Settings(); inForce != nil && !index.Same(inForce, w.group.Settings) {
		return fmt.Errorf("journal %s: %w", w.group.journal().Topic, replay.OtherSettings(w.group.Settings, inForce))
	}
	return nil
}

// restore makes the replica from the newest snapshot that the journal continues. A journal that is whole needs none.
func (w *Window) restore(ctx context.Context, topic [16]byte, start, end int64) (place journal.Begin, err error) {
	g := w.group
	var refused error
	from := replay.Start{
		Params: g.Params, Settings: g.Settings, Snapshots: g.Snapshots, Newest: true, Files: g.Directory,
		Restoring: func(s snapshot.Info) error {
			if g.Restoring != nil {
				refused = g.Restoring(s)
			}
			return refused
		},
	}
	replica, at, err := from.Restore(ctx, topic, start, end)
	switch {
	case err == nil:
		w.pager.Replica = replica
		return journal.Begin{Offset: at.Offset, LeaderEpoch: at.LeaderEpoch}, nil
	case refused != nil:
		return place, refused
	case start > 0:
		return place, fmt.Errorf("journal %s begins at offset %d: %w", g.journal().Topic, start, err)
	}
	w.pager.Replica, err = index.NewReplica(g.Params, index.Fingerprint(g.Settings))
	return journal.Begin{LeaderEpoch: -1}, err
}

// follow applies the journal from a place up to an end.
func (w *Window) follow(ctx context.Context, from journal.Begin, end int64) error {
	p := w.group.journal()
	part := journal.Part{Options: w.group.Options, Topic: p.Topic, Params: p, From: from, End: end}
	return part.Read(ctx, journal.Reader{Owner: w.group.Name}, func(at index.Stamp, rec index.Record) error {
		if err := w.apply(ctx, at, rec); err != nil {
			return err
		}
		if w.group.Progress != nil {
			w.group.Progress(at.Offset+1-from.Offset, end-from.Offset)
		}
		return nil
	})
}

// apply applies a record, and has what was sealed by it lie in files.
func (w *Window) apply(ctx context.Context, at index.Stamp, rec index.Record) error {
	if rec == nil {
		w.pager.Replica.Skip(at)
		return nil
	}
	if _, err := w.pager.Apply(ctx, at, rec); err != nil || w.group.Directory == nil {
		return err
	}
	return paging.Keep(ctx, w.group.Directory, w.pager.Replica.Files())
}

// Erase appends what lets every member forget the documents judged at these positions, and returns the journal offset
// from which on they are forgotten. It appends a record for every 16 documents. After an error some of them may be
// appended; to repeat it changes nothing.
func (w *Window) Erase(ctx context.Context, targets []entry.Position) (offset int64, err error) {
	appender := journal.NewAppender(w.client, w.group.Name)
	header := index.Header{Fingerprint: w.pager.Replica.Fingerprint(), Wall: time.Now().UnixMilli()}
	for _, rec := range Records(header, targets) {
		if offset, err = appender.Append(ctx, rec); err != nil {
			return 0, fmt.Errorf("append to journal %s: %w", w.group.journal().Topic, err)
		}
	}
	return offset, nil
}

// Records returns what lets every replica forget the documents judged at these positions, in the order of Targets.
func Records(header index.Header, targets []entry.Position) (records []*index.Erase) {
	for part := range slices.Chunk(targets, index.MostErased) {
		records = append(records, &index.Erase{Header: header, Targets: part})
	}
	return records
}
