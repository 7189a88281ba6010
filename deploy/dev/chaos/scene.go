//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/deploy/dev/testbed"
)

// scene is one run: a group with its own topics, members and load.
type scene struct {
	world    *world
	params   params
	store    string
	began    time.Time
	name     string // of the group, and the prefix of its topics
	dir      string
	file     string // the configuration of all members
	source   string
	quiet    quiet
	config   config.Config
	members  []*member
	ops      []string // address of each member's ops server; empty if nobody asks it
	load     *load
	stranger *stranger
	watch    *watch
	copy     *journalCopy
	disk     *disk   // of the snapshot directory or the bucket; nil if there is none
	old      []*disk // of each member's old documents; nil: they are in memory

	mu    sync.Mutex
	done  map[fault]int
	found []string // what must not be, beside what the audit and the members' logs tell
}

// commitTimeout is how long it may take until everything written is committed, after nothing is broken any more.
const commitTimeout = 12 * time.Minute

// stallBound is how long an audit may make no progress. The whole duration has no bound, because it depends on the
// amount of records and on the machine.
const stallBound = 3 * time.Minute

func newScene(ctx context.Context, w *world, p params, store string, ops bool) (*scene, error) {
	s := &scene{world: w, params: p, store: store, began: time.Now(), name: fmt.Sprintf("chaos-%d", p.seed), done: map[fault]int{}}
	if store == bucket {
		s.params.skew = min(p.skew, mostSigned)
	}
	s.source, s.quiet.source = s.name+".news", s.name+".quiet"
	s.dir = filepath.Join(w.dir, s.name)
	s.file = filepath.Join(s.dir, "unecho.yaml")
	err := os.MkdirAll(s.dir, 0o755)
	if err != nil {
		return nil, err
	}
	if err := s.configure(); err != nil {
		return nil, err
	}
	if err := w.create(ctx, s.source, p.partitions, anyTime()); err != nil {
		return nil, err
	}
	// its documents have the time of the broker that takes them, whose clock is another than that of the outputs' brokers
	if err := w.create(ctx, s.quiet.source, 1, map[string]*string{"message.timestamp.type": new("LogAppendTime")}); err != nil {
		return nil, err
	}
	if s.load, err = newLoad(w, s.source, p); err != nil {
		return nil, err
	}
	if s.stranger, err = newStranger(w); err != nil {
		return nil, err
	}
	s.watch = newWatch(w, s.name, s.source, s.load)
	for i := range p.members {
		if err := s.enlist(ctx, i, ops); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// configure writes the configuration that all members share.
func (s *scene) configure() error {
	snapshot := fmt.Sprintf("{postgres: {url: '%s', schema: %s}, every: 5s}", s.world.postgres.URL,
		strings.ReplaceAll(s.name, "-", "_"))
	var err error
	switch path := filepath.Join(s.dir, "snapshots"); s.store {
	case directory:
		s.disk, err = newDisk(path, snapshotDisk)
		snapshot = fmt.Sprintf("{directory: {path: '%s', for: all}, every: 5s}", path)
	case bucket:
		s.disk, err = newDisk(filepath.Join(s.world.bucket.dir, s.name), snapshotDisk)
		snapshot = fmt.Sprintf("{s3: {bucket: %s, endpoint: 'http://%s'}, every: 5s}", s.name, s.world.bucket.proxy.Address())
	}
	if err != nil {
		return err
	}
	level := "info"
	if s.params.debug {
		level = "debug"
	}
	text := strings.Join([]string{
		"kafka: {brokers: [" + s.world.front() + "]}",
		"sources: [{topics: [" + s.source + ", " + s.quiet.source + "], reject: [empty, invalid_encoding, missing_field]}]",
		"group: " + s.name,
		"duplicates: {remember: {documents: 20000}}",
		"outputs: {create: {replication_factor: 3}, clusters: {topic: '{source}.clusters'}}",
		"snapshots: " + snapshot,
		"http: {listen: ''}",
		"log: {format: json, level: " + level + "}",
	}, "\n") + "\n"
	if err := os.WriteFile(s.file, []byte(text), 0o600); err != nil {
		return err
	}
	c, err := config.Load(s.file, nil, nil)
	s.config = c
	return err
}

// enlist makes place i of the group. A member without a configured name takes the lowest free one.
func (s *scene) enlist(ctx context.Context, i int, ops bool) error {
	log, err := os.Create(filepath.Join(s.dir, fmt.Sprintf("member-%d.log", i)))
	if err != nil {
		return err
	}
	m := &member{binary: s.world.binary, log: log, args: []string{"run", "--config", s.file}}
	if s.params.names == configured || s.params.names == mixed && i%2 == 0 {
		m.args = append(m.args, "--set", fmt.Sprintf("advanced.member=%s-named-%d", s.name, i))
	}
	if ops {
		address, err := testbed.FreeAddress(ctx)
		if err != nil {
			return err
		}
		m.args = append(m.args, "--set", "http.listen="+address)
		s.ops = append(s.ops, address)
	}
	if err := s.remembersIn(i, m); err != nil {
		return err
	}
	if s.params.skew > 0 {
		m.clock = func(life int) []string { return memberClock(s.params, i, life) }
	}
	s.members = append(s.members, m)
	return nil
}

// run has the members work during act. It returns when everything that was written by then is committed and the members
// have ended well.
func (s *scene) run(ctx context.Context, act func(context.Context) error) error {
	group, ctx := errgroup.WithContext(ctx)
	living, end := context.WithCancel(ctx)
	defer end()
	var lives errgroup.Group
	for _, m := range s.members {
		lives.Go(func() error { return m.run(living) })
	}
	group.Go(func() error {
		defer end()
		return s.work(ctx, act)
	})
	err := group.Wait()
	return errors.Join(err, lives.Wait())
}

func (s *scene) work(ctx context.Context, act func(context.Context) error) error {
	journal := s.name + ".journal"
	if err := until(ctx, "there is a journal", 2*time.Minute, func(ctx context.Context) bool {
		topics, err := s.world.admin.ListTopics(ctx, journal)
		return err == nil && topics.Has(journal)
	}); err != nil {
		return err
	}
	var err error
	if s.copy, err = copyJournal(ctx, s.world, journal); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	loading, stopLoad := context.WithCancel(ctx)
	defer stopLoad()
	beside, stopBeside := context.WithCancel(ctx)
	defer stopBeside()
	loaded := make(chan struct{})
	group.Go(func() error {
		defer close(loaded)
		return s.load.run(loading, s.params.pace)
	})
	group.Go(func() error { return s.copy.run(beside) })
	group.Go(func() error {
		s.world.clocks.run(beside)
		return nil
	})
	group.Go(func() error {
		s.watch.run(beside)
		return nil
	})
	group.Go(func() error {
		defer stopBeside()
		err := act(ctx)
		if err == nil {
			err = s.trimmed(ctx)
		}
		stopLoad()
		<-loaded
		if err != nil {
			return err
		}
		if err := until(ctx, "all that was written is committed", commitTimeout,
			func(context.Context) bool { return s.watch.allCommitted() }); err != nil {
			return err
		}
		return until(ctx, "the journal is copied", time.Minute, s.copied)
	})
	return group.Wait()
}

// trimmed waits until the journal begins behind where it ends now: a snapshot was taken, and one after it.
func (s *scene) trimmed(ctx context.Context) error {
	journal, end := s.name+".journal", int64(-1)
	return until(ctx, "the journal is trimmed again", commitTimeout, func(ctx context.Context) bool {
		if ends, err := s.world.admin.ListEndOffsets(ctx, journal); err == nil && end < 0 {
			o, _ := ends.Lookup(journal, 0)
			end = o.Offset
		}
		starts, err := s.world.admin.ListStartOffsets(ctx, journal)
		start, ok := starts.Lookup(journal, 0)
		return err == nil && ok && end >= 0 && start.Offset > end
	})
}

// copied says whether the copy has all of the journal as it is now.
func (s *scene) copied(ctx context.Context) bool {
	ends, err := s.world.admin.ListEndOffsets(ctx, s.name+".journal")
	end, ok := ends.Lookup(s.name+".journal", 0)
	return err == nil && ok && s.copy.next.Load() >= end.Offset
}

// audit compares source, journal and outputs with the twin.
func (s *scene) audit(ctx context.Context) (audit.Report, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := time.AfterFunc(stallBound, func() { cancel(fmt.Errorf("the audit has stood still for %v", stallBound)) })
	defer stalled.Stop()
	c, err := s.config.AsBegun(nil)
	if err != nil {
		return audit.Report{}, err
	}
	settings := c.Settings()
	return audit.Run(ctx, audit.Inputs{
		Options: s.world.options, Sources: []string{s.source}, Journal: s.copy.topic, Outputs: c.Sink.Topics, Params: c.Judge,
		Verdicts: c.Sink.VerdictsTopic, Clusters: c.Sink.ClustersTopic, Settings: settings,
		Index:        c.Consumer.Group,
		ProducerTime: true, // the copy carries the time that the broker stamped
		Progress: func(p audit.Progress) {
			if p.Stage != audit.StageWait { // that stage waits for an open transaction
				stalled.Reset(stallBound)
			}
		},
	})
}

// judge adds to the result what the audit and the count find.
func (s *scene) judge(ctx context.Context, r *result) (err error) {
	if r.audit, err = s.audit(ctx); err != nil {
		return err
	}
	r.count, err = s.recount(ctx, s.began)
	return err
}

// close gives back everything that the scene holds apart from its members. It deletes the topics and the group.
func (s *scene) close(ctx context.Context) error {
	for _, m := range s.members {
		_ = m.log.Close() // the file was only written
	}
	if s.load != nil {
		s.load.client.Close()
	}
	if s.stranger != nil {
		s.stranger.client.Close()
	}
	return errors.Join(s.unmount(), s.world.remove(ctx, s.name+"."))
}

// unmount gives back the disks.
func (s *scene) unmount() (err error) {
	for _, d := range append(s.old, s.disk) {
		if d != nil {
			err = errors.Join(err, d.remove())
		}
	}
	return err
}

// count counts a fault.
func (s *scene) count(f fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done[f]++
}

// find keeps a finding.
func (s *scene) find(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found = append(s.found, fmt.Sprintf(format, args...))
}
