package consumer

import (
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/unecho/unecho/sink"
)

// committed waits until the group has committed n documents in all.
func (w *world) committed(n int64) {
	w.t.Helper()
	_, err := w.cluster.WaitGroupInfo(w.context(), w.setup.Params.Group, func(g *kfake.GroupInfo) bool {
		if g == nil {
			return n == 0
		}
		sum := int64(0)
		for _, c := range g.Commits["news"] {
			sum += c.Offset
		}
		return sum >= n
	})
	if err != nil {
		w.t.Fatalf("%d documents are not committed: %v", n, err)
	}
}

func named(name string) func(*Setup) { return func(s *Setup) { s.Params.Member = name } }

// Three processes with two sessions each; one is killed midway and comes back.
func TestThreeMembersOneKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 8)
	w.setup.Params.PollRecords = 250
	const total = 20_000
	w.produce(total, 2)
	w.start(named("m0"))
	w.start(named("m2"))
	m := w.start(named("m1"))
	w.committed(total / 4)
	m.kill()
	w.committed(total / 2)
	w.start(named("m1"))
	w.settled()
	w.audited()
}

// verdicts returns the verdicts on one source partition, by offset.
func (w *world) verdicts() []string {
	w.t.Helper()
	all := w.all()
	list := make([]string, w.sent[0])
	for i := range list {
		r := all[fmt.Sprintf("news/0/%d", i)]
		for _, name := range []string{
			sink.HeaderVerdict, sink.HeaderMatch, sink.HeaderSimilarity, sink.HeaderMethod,
			sink.HeaderCopy,
		} {
			list[i] += headerOf(r, name) + " "
		}
	}
	return list
}

// sameAll is the number of documents that are judged in each of the ways.
const sameAll = 600

// ways are circumstances that must not change verdicts.
func ways() map[string]func(w *world) {
	return map[string]func(w *world){
		"small polls": func(w *world) {
			w.setup.Params.PollRecords = 7
			w.start()
		},
		"three sessions": func(w *world) { w.start(sessions(3)) },
		"handed over": func(w *world) {
			w.setup.Params.PollRecords = 40
			first := w.start(named("first"), sessions(1))
			w.committed(sameAll / 3)
			second := w.start(named("second"), sessions(1))
			w.ended(first)
			w.committed(2 * sameAll / 3)
			w.start(named("first"), sessions(1))
			w.ended(second)
		},
		"restarted from snapshots": func(w *world) {
			w.setup.Params.PollRecords = 20
			for part := range int64(4) {
				m := w.start(named("m"), sessions(1))
				w.committed(part * sameAll / 4)
				w.ended(m)
			}
			w.start(named("m"))
		},
		"killed": func(w *world) {
			w.setup.Params.PollRecords = 20
			for part := range int64(4) {
				m := w.start(named("m"), sessions(1))
				w.committed(part * sameAll / 5)
				m.kill()
			}
			w.start(named("m"))
		},
		"killed, and without snapshots": func(w *world) {
			w.setup.Params.PollRecords = 20
			for part := range int64(4) {
				m := w.start(named("m"), sessions(1), w.in(w.t.TempDir()))
				w.committed(part * sameAll / 5)
				m.kill()
			}
			w.start(named("m"), w.in(w.t.TempDir()))
		},
	}
}

// The same documents in the same order have the same verdicts, whatever happens to those who judge them.
func TestNothingElseDecides(t *testing.T) {
	t.Parallel()
	run := func(t *testing.T, how func(w *world)) []string {
		t.Helper()
		w := newWorld(t, 1)
		w.setup.Snapshot.Every = 20 * time.Millisecond
		w.produce(sameAll, 3)
		how(w)
		w.settled()
		return w.verdicts()
	}
	one := run(t, func(w *world) { w.start() })
	for name, how := range ways() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, got := range run(t, how) {
				if got != one[i] {
					t.Fatalf("document %d: %s, and %s with one member", i, got, one[i])
				}
			}
		})
	}
}

func (w *world) ended(m *running) {
	w.t.Helper()
	if err := m.stop(); err != nil {
		w.t.Fatal(err)
	}
}
