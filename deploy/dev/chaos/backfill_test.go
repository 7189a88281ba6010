//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"golang.org/x/sync/errgroup"

	kafka "github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/deploy/dev/testbed"
	"github.com/unecho/unecho/sink"
)

// replay is a source, and the backfills of it.
type replay struct {
	*world
	t      *testing.T
	source string
	file   string
	sent   int
}

// tryBackfill replays a topic twice. The second time a broker is lost midway, and before it is back the disk of another
// one is full, so that nobody can write until that one is back. What comes out is the same, each document once.
func tryBackfill(t *testing.T, w *world, p params) {
	t.Helper()
	const documents, rate = 9000, 300
	r := &replay{world: w, t: t, source: "replay.news", file: filepath.Join(w.dir, "replay.yaml"), sent: documents}
	check(t, w.create(t.Context(), r.source, p.partitions, nil))
	r.load(p)
	check(t, os.WriteFile(r.file, []byte(strings.Join([]string{
		"kafka: {brokers: [" + w.front() + "]}", "group: replay",
		"sources: [{topics: [" + r.source + "], reject: [empty, invalid_encoding, missing_field]}]",
		"outputs: {create: {replication_factor: 3}}",
		"snapshots: {directory: {path: '" + filepath.Join(w.dir, "replay") + "', for: all}, every: 5s}",
		"log: {format: json}",
	}, "\n")), 0o600))
	want := r.backfill("calm", 1, nil)
	got := r.backfill("tried", 3, func(ctx context.Context) {
		check(t, until(ctx, "a third is done", commitTimeout,
			func(ctx context.Context) bool { return r.done(ctx, "tried") > documents/3 }))
		check(t, w.loseBroker(ctx, 0, func(ctx context.Context) error {
			filled, err := w.fillBroker(ctx, func() {
				if n := r.done(ctx, "tried"); n >= documents {
					t.Errorf("all %d were done when the disk was full: choose a lower rate", n)
				}
			})
			if err == nil && !filled {
				t.Log("no disk was full: only root may mount one")
				return nil
			}
			said, readErr := os.ReadFile(w.kafka.Brokers[brokers-1].Log)
			if !strings.Contains(string(said), "No space left on device") {
				t.Error("the broker with the full disk did not notice")
			}
			return errors.Join(err, readErr)
		}))
	}, "--max-rate", fmt.Sprint(rate))
	for place, is := range want {
		if got[place] != is {
			t.Errorf("%s came out as %.200q, and as %.200q where nothing was broken", place, got[place], is)
		}
	}
}

// load sends documents of the load of a run.
func (r *replay) load(p params) {
	r.t.Helper()
	l, err := newLoad(r.world, r.source, p)
	check(r.t, err)
	defer l.client.Close()
	for range r.sent {
		l.write(l.document())
	}
	check(r.t, l.client.Flush(r.t.Context()))
	if _, sent := l.written(); sent != r.sent || l.err != nil {
		r.t.Fatalf("%d documents are written: %v", sent, l.err)
	}
}

// backfill replays the source with several processes, while harm is done, and returns what came out of each document.
func (r *replay) backfill(name string, processes int, harm func(context.Context), args ...string) map[string]string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), commitTimeout)
	defer cancel()
	var all errgroup.Group
	for i := range processes {
		log, err := os.Create(filepath.Join(r.dir, fmt.Sprintf("replay-%s-%d.log", name, i)))
		check(r.t, err)
		defer log.Close()
		cmd := exec.CommandContext(ctx, r.binary, append([]string{
			"backfill", "--config", r.file, "--topic", r.source, "--name", name, "--set",
			fmt.Sprintf("advanced.member=%s-%d", name, i),
			"--unique", name + ".unique", "--duplicate", name + ".duplicate", "--rejected", name + ".rejected",
		}, args...)...)
		cmd.Stdout, cmd.Stderr = log, log
		cmd.SysProcAttr = testbed.EndWithParent(&syscall.SysProcAttr{}, syscall.SIGKILL)
		all.Go(func() error {
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("%s ends: %w", log.Name(), err)
			}
			return nil
		})
	}
	if harm != nil {
		harm(ctx)
	}
	check(r.t, all.Wait())
	return r.outputs(ctx, name)
}

// done is how many documents a backfill has committed, as far as Kafka tells.
func (r *replay) done(ctx context.Context, name string) (sum int64) {
	offsets, err := r.admin.FetchOffsets(ctx, "unecho-backfill."+name)
	if err == nil {
		offsets.Each(func(o kadm.OffsetResponse) { sum += max(0, o.At) })
	}
	return sum
}

// outputs reads what came out: of each document, by its place, the output and all headers but the name of the index,
// which is that of the job.
func (r *replay) outputs(ctx context.Context, name string) map[string]string {
	r.t.Helper()
	check(r.t, until(ctx, "all replicas are in sync", commitTimeout, r.healthy))
	out := map[string]string{}
	for _, output := range []string{sink.Unique, sink.Duplicate, sink.Rejected} {
		_, err := kafka.AwaitCommitted(ctx, r.admin, name+"."+output)
		check(r.t, err)
		check(r.t, topic.ReadSpan(ctx, r.options, name+"."+output, topic.Span{}, func(rec *topic.Record) error {
			place, text := came(rec)
			if out[place] != "" {
				r.t.Errorf("%s came out twice", place)
			}
			out[place] = output + text
			return nil
		}))
	}
	if len(out) != r.sent {
		r.t.Errorf("%d documents came out, %d were sent", len(out), r.sent)
	}
	return out
}

// came returns the place in the source that a record names, and its other headers, key and value.
func came(rec *topic.Record) (place, text string) {
	for _, h := range rec.Headers {
		switch h.Key {
		case sink.HeaderSource:
			place = string(h.Value)
		case sink.HeaderIndex:
		default:
			text += fmt.Sprintf(" %s=%q", h.Key, h.Value)
		}
	}
	return place, text + fmt.Sprintf(" %q=%q", rec.Key, rec.Value)
}

// fillBroker fills the disk of the last broker until it ends by that, calls then, and starts it again with room. It
// returns false if that broker has no disk of its own.
func (w *world) fillBroker(ctx context.Context, then func()) (bool, error) {
	if w.disk == nil {
		return false, nil
	}
	b := w.kafka.Brokers[brokers-1]
	filled, err := w.disk.fill(ctx, func(ctx context.Context) error {
		select {
		case <-b.Done():
			then()
			return nil
		case <-ctx.Done():
			return fmt.Errorf("wait until %s ends by its full disk: %w", b.Name, context.Cause(ctx))
		}
	})
	if err != nil || !filled {
		return filled, err
	}
	if err := w.clocks.begin(ctx, b); err != nil {
		return true, err
	}
	return true, b.Await(context.WithoutCancel(ctx))
}
