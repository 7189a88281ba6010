//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/deploy/dev/testbed"
	"github.com/unecho/unecho/sink"
)

// succession is two groups that take over from each other.
type succession struct {
	*replay
	files [2]string
}

// trySuccession has one group take over from another, and the other one from it with another journal, while documents come
// and a broker is away each time. Each document comes out once, no text is unique twice, and the audit of each group finds
// nothing.
func trySuccession(t *testing.T, w *world, p params) {
	t.Helper()
	s := &succession{replay: &replay{world: w, t: t, source: "taken.news"}}
	check(t, w.create(t.Context(), s.source, p.partitions, nil))
	ctx, cancel := context.WithTimeout(t.Context(), 2*commitTimeout)
	defer cancel()
	s.files = [2]string{s.configure("first", "", "word:3"), s.configure("second", "first", "char:5")}
	l, err := newLoad(w, s.source, p)
	check(t, err)
	defer l.client.Close()
	loading, loaded := context.WithCancel(ctx)
	var load errgroup.Group
	load.Go(func() error { return l.run(loading, func(time.Duration) float64 { return 300 }) })
	up := [2]*exec.Cmd{s.member(ctx, 0), s.member(ctx, 1)}
	defer func() {
		for _, m := range up {
			_ = m.Process.Kill()
			_ = m.Wait()
		}
	}()
	for turn, newer := range []int{1, 0} {
		before := s.done(ctx, 1-newer)
		if turn > 0 { // its member has ended when the other group took over
			_ = up[newer].Wait()
			_, err := s.admin.DeleteTopic(ctx, "taken-first.journal")
			check(t, err)
			s.files[newer] = s.configure("first", "second", "word:3")
			up[newer] = s.member(ctx, newer)
		}
		check(t, until(ctx, "the other group forwards", commitTimeout,
			func(ctx context.Context) bool { return s.done(ctx, 1-newer) > before+300 }))
		check(t, until(ctx, "the window is filled", commitTimeout, func(context.Context) bool {
			log, err := os.ReadFile(s.files[newer] + ".log")
			return err == nil && strings.Contains(string(log), "the window is filled")
		}))
		check(t, w.loseBroker(ctx, turn, func(ctx context.Context) error { return s.takesOver(ctx, newer) }))
	}
	loaded()
	check(t, load.Wait())
	check(t, l.client.Flush(ctx))
	ends, sent := l.written()
	s.sent = sent
	check(t, until(ctx, "all is committed", commitTimeout, func(ctx context.Context) bool {
		return s.done(ctx, 0) >= total(ends)
	}))
	s.uniqueOnce(s.outputs(ctx, "taken"))
	s.audits(ctx)
}

// uniqueOnce holds that no text stands in unique twice.
func (s *succession) uniqueOnce(came map[string]string) {
	s.t.Helper()
	places := map[string]string{}
	for place, is := range came {
		value := is[strings.LastIndex(is, `="`):]
		if !strings.HasPrefix(is, sink.Unique) {
			continue
		}
		if other, known := places[value]; known {
			s.t.Errorf("%s and %s are unique, with the same text", place, other)
		}
		places[value] = place
	}
}

func total(ends map[int32]int64) (n int64) {
	for _, end := range ends {
		n += end
	}
	return n
}

// configure writes the configuration of a group.
func (s *succession) configure(group, succeeds, shingle string) (file string) {
	s.t.Helper()
	file = filepath.Join(s.dir, group+"-"+succeeds+".yaml")
	if succeeds != "" {
		succeeds = "taken-" + succeeds
	}
	check(s.t, os.WriteFile(file, []byte(strings.Join([]string{
		"kafka: {brokers: [" + s.front() + "]}", "sources: [{topics: [" + s.source + "], reject: [empty, invalid_encoding, missing_field]}]",
		fmt.Sprintf("group: taken-%s\nsucceeds: '%s'\nadvanced: {member: %s}", group, succeeds, group),
		"duplicates: {shingle: '" + shingle + "'}",
		"outputs: {unique: {topic: taken.unique}, duplicate: {topic: taken.duplicate}, rejected: {topic: taken.rejected}, " +
			"create: {replication_factor: 3}}",
		"snapshots: {directory: {path: '" + filepath.Join(s.dir, "taken-"+group) + "'}, every: 2s}",
		"log: {format: json}", "http: {listen: ''}",
	}, "\n")), 0o600))
	return file
}

// command is a program with the configuration of a group. Its log is appended to that of the group.
func (s *succession) command(ctx context.Context, of int, verb string, args ...string) *exec.Cmd {
	s.t.Helper()
	log, err := os.OpenFile(s.files[of]+".log", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	check(s.t, err)
	s.t.Cleanup(func() { _ = log.Close() })
	cmd := exec.CommandContext(ctx, s.binary, append([]string{verb, "--config", s.files[of]}, args...)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = testbed.EndWithParent(&syscall.SysProcAttr{}, syscall.SIGKILL)
	return cmd
}

func (s *succession) member(ctx context.Context, of int) *exec.Cmd {
	s.t.Helper()
	cmd := s.command(ctx, of, "run")
	check(s.t, cmd.Start())
	if of == 0 && s.done(ctx, 1) == 0 { // the other one can only follow a group that has begun
		check(s.t, until(ctx, "the first group has begun", commitTimeout,
			func(ctx context.Context) bool { return s.done(ctx, of) > 0 }))
	}
	return cmd
}

// takesOver takes over. The command waits until the partitions of a lost broker have other leaders.
func (s *succession) takesOver(ctx context.Context, newer int) error {
	s.t.Helper()
	cmd := s.command(ctx, newer, "takeover")
	cmd.Stdout, cmd.Stderr = nil, nil
	said, err := cmd.CombinedOutput()
	s.t.Logf("%s: %s", filepath.Base(s.files[newer]), said)
	if err != nil {
		return fmt.Errorf("take over: %w", err)
	}
	return nil
}

// done is how many offsets a group has committed.
func (s *succession) done(ctx context.Context, of int) (sum int64) {
	offsets, err := s.admin.FetchOffsets(ctx, [2]string{"taken-first", "taken-second"}[of])
	if err == nil {
		offsets.Each(func(o kadm.OffsetResponse) { sum += max(0, o.At) })
	}
	return sum
}

// audits holds the audit of each group to be clean.
func (s *succession) audits(ctx context.Context) {
	s.t.Helper()
	for of := range s.files {
		cmd := s.command(ctx, of, "audit")
		cmd.Stdout, cmd.Stderr = nil, nil
		if said, err := cmd.CombinedOutput(); err != nil {
			s.t.Errorf("the audit of %s ends with %v:\n%s", filepath.Base(s.files[of]), err, said)
		}
	}
	if s.t.Failed() {
		s.t.Logf("the logs are in %s", s.dir)
	}
}
