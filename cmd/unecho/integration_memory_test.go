package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// cgroup bounds the memory of a process. Where none can be made, nothing bounds it, and its peak is all that is looked at.
type cgroup struct {
	t   *testing.T
	dir string // empty: none can be made
}

// newCgroup makes a cgroup of version 2, or of version 1 where memory is bounded by that.
func newCgroup(t *testing.T, bytes int) *cgroup {
	t.Helper()
	c := &cgroup{t: t}
	for _, kind := range []struct{ root, limit string }{
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, {"/sys/fs/cgroup", "memory.max"},
	} {
		dir := filepath.Join(kind.root, fmt.Sprintf("unecho-test-%x", rand.Uint64()))
		if err := os.Mkdir(dir, 0o755); err != nil {
			continue
		}
		t.Cleanup(func() { check(t, os.Remove(dir)) }) // the process has ended
		_ = os.WriteFile(filepath.Join(dir, "memory.swap.max"), []byte("0"), 0o600)
		if err := os.WriteFile(filepath.Join(dir, kind.limit), []byte(strconv.Itoa(bytes)), 0o600); err == nil {
			c.dir = dir
			t.Logf("%s is %d in %s", kind.limit, bytes, dir)
			return c
		}
	}
	t.Log("no cgroup can be made: only the peak is looked at")
	return c
}

// killed counts the processes that the kernel killed for their memory.
func (c *cgroup) killed() (n int) {
	c.t.Helper()
	for _, name := range []string{"memory.events", "memory.oom_control"} {
		text, err := os.ReadFile(filepath.Join(c.dir, name))
		if c.dir == "" || errors.Is(err, os.ErrNotExist) {
			continue
		}
		check(c.t, err)
		for line := range strings.Lines(string(text)) {
			if count, is := strings.CutPrefix(line, "oom_kill "); is {
				n, err = strconv.Atoi(strings.TrimSpace(count))
				check(c.t, err)
			}
		}
	}
	return n
}

// runIn starts the service as it is built for users, in a cgroup.
func (s *scene) runIn(c *cgroup, args ...string) *process {
	s.t.Helper()
	args = append([]string{plain(s.t), "run", "--config", s.file}, args...)
	if c.dir != "" {
		args = append([]string{"sh", "-c", `echo $$ > "$0"; exec "$@"`, filepath.Join(c.dir, "cgroup.procs")}, args...)
	}
	p := startProgram(s.t, s.dir, args[0], args[1:]...)
	s.all = append(s.all, p)
	return p
}

// sendsShort sends n short documents with ids as long as addresses, no two of which are alike.
func (s *scene) sendsShort(n int, seed uint64) {
	s.t.Helper()
	r := rand.New(rand.NewPCG(seed, 13))
	for batch := 10_000; n > 0; n -= batch {
		records := make([]*kgo.Record, min(n, batch))
		for i := range records {
			records[i] = &kgo.Record{Partition: int32(i % 8), Key: fmt.Appendf(nil, "%0200x", r.Uint64()), Value: []byte(words(r, 6))}
		}
		s.send(records...)
	}
}

// A window as large as the bound of the process's memory allows by the documents fills, and rolls over several times
// while snapshots are written. The process is killed, restores, follows the journal and goes on. It stays within the
// bound, and once the window is full memory does not grow.
func TestMemoryBound(t *testing.T)     { memoryBound(t, 4<<20, 16_000) }
func TestMemoryBoundLong(t *testing.T) { memoryBound(t, 256<<20, 800_000) }

// memoryBound tries it with so many bytes for the window, and so many documents in each of five rounds: more than the
// window holds.
func memoryBound(t *testing.T, room, documents int) {
	t.Helper()
	t.Parallel()
	bound, window := room+512<<20, room*100/105
	s := newScene(t, 8)
	ops := freeAddress(t)
	s.configure(s.inDirectory(), fmt.Sprintf("group: %s", s.name), "http: {listen: '"+ops+"'}",
		fmt.Sprintf("duplicates: {verify: estimate, remember: {memory: %d}}", window), s.sources(", id: key"))
	c := newCgroup(t, bound)
	p := s.runIn(c)
	p.says(`"message":"ready"`)
	is := func(name string) float64 { return metric(t.Context(), t, ops, name) }
	fill := func(round uint64) {
		t.Helper()
		for part := range uint64(4) {
			s.sendsShort(documents/4, 4*round+part)
			s.settled()
		}
		t.Logf("round %d: %.0f documents and %.0f MiB are in the window, %.0f MiB with its buckets; %d MiB were resident at most",
			round, is("unecho_window_documents"), is("unecho_window_bytes")/(1<<20), is("unecho_window_memory_bytes")/(1<<20), p.peak())
	}
	fill(1)
	fill(2)
	if full := is("unecho_window_documents"); full >= float64(documents) {
		t.Fatalf("the window has not rolled over: it has %.0f of %d documents", full, 2*documents)
	}
	peak := p.peak()
	fill(3)
	fill(4)
	if grown := p.peak(); grown > peak+peak/10+16 {
		t.Errorf("%d MiB were resident at most when the window had rolled over once, and %d later: memory grows", peak, grown)
	}
	s.noMore(p, bound>>20)
	s.until("a snapshot is taken", func(context.Context) bool { return is("unecho_snapshot_offset") > 0 })
	p.kill()

	p = s.runIn(c)
	fill(5)
	if !p.restored() {
		t.Error("no snapshot was restored")
	}
	s.noMore(p, bound>>20)
	stopAll(t, startBound, p)
	if n := c.killed(); n > 0 {
		t.Errorf("the kernel killed %d processes for their memory", n)
	}

	if p = s.runIn(c, "--set", "duplicates.remember.memory=1GiB"); c.dir != "" {
		p.says("the container has less memory than the process may take: raise its limit, or lower duplicates.remember.memory")
	}
	p.says(`"message":"ready"`)
	stopAll(t, startBound, p)
}
