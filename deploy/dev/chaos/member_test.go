//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const patience = time.Minute

// shell returns a member each life of which runs a script.
func shell(t *testing.T, script string) *member {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "member-0.log"))
	check(t, err)
	t.Cleanup(func() { check(t, log.Close()) })
	return &member{binary: "/bin/sh", args: []string{"-c", script}, log: log}
}

// begin runs the member and returns the function that ends it.
func (m *member) begin(t *testing.T) (end func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- m.run(ctx) }()
	return func() error {
		cancel()
		return <-done
	}
}

// reachesLife waits for the n-th life of a member that runs patient.
func (m *member) reachesLife(t *testing.T, n int) {
	t.Helper()
	check(t, until(t.Context(), "another life begins", patience, func(context.Context) bool {
		text, err := os.ReadFile(m.log.Name())
		m.mu.Lock()
		defer m.mu.Unlock()
		return err == nil && strings.Count(string(text), "up\n") >= n && m.lives >= n && m.alive
	}))
}

// patient is a script that says when it is ready to be asked to end.
const patient = "trap 'exit 0' TERM; echo up; while :; do sleep 0.05; done"

func TestKilledMemberLivesAgain(t *testing.T) {
	m := shell(t, patient)
	end := m.begin(t)
	for life := range 3 {
		m.reachesLife(t, life+1)
		if !m.signal(syscall.SIGKILL, true, 0) {
			t.Error("there was nobody to kill")
		}
	}
	m.reachesLife(t, 4)
	check(t, m.leaves(t.Context(), 0))
	m.reachesLife(t, 5)
	check(t, end())
	if len(m.seen.why) > 0 {
		t.Errorf("it was asked to end each time: %v", m.seen.why)
	}
	if m.signal(syscall.SIGKILL, true, 0) {
		t.Error("nobody is there, and was killed")
	}
}

func TestEndingUnaskedIsSeen(t *testing.T) {
	m := shell(t, `echo '{"level":"info"}' >&2; echo '{"level":"fatal","cause":"no luck"}' >&2; exit 3`)
	end := m.begin(t)
	check(t, until(t.Context(), "three lives have ended", patience, func(context.Context) bool {
		m.seen.mu.Lock()
		defer m.seen.mu.Unlock()
		return m.seen.why[`exit status 3: {"level":"fatal","cause":"no luck"}`] >= 3
	}))
	_ = end() // the last life may have ended already
	text, err := os.ReadFile(m.log.Name())
	check(t, err)
	if !strings.Contains(string(text), `{"level":"info"}`) {
		t.Errorf("not in the log: %s", text)
	}
}

// It is an error of the run if a member ends with an error after everything is whole again.
func TestEndingBadlyIsAnError(t *testing.T) {
	m := shell(t, "trap 'echo unecho: cannot commit >&2; exit 1' TERM; echo up; while :; do sleep 0.05; done")
	end := m.begin(t)
	check(t, until(t.Context(), "the trap is set", patience, func(context.Context) bool {
		text, err := os.ReadFile(m.log.Name())
		return err == nil && len(text) > 0
	}))
	if err := end(); err == nil || !strings.Contains(err.Error(), "cannot commit") {
		t.Errorf("got %v", err)
	}
}

func TestPausesOverlap(t *testing.T) {
	m := shell(t, patient)
	end := m.begin(t)
	m.reachesLife(t, 1)
	short, cancelShort := context.WithCancel(t.Context())
	long, cancelLong := context.WithCancel(t.Context())
	done := make(chan struct{}, 2)
	for _, ctx := range []context.Context{short, long} {
		go func() {
			m.pause(ctx, patience)
			done <- struct{}{}
		}()
	}
	stopped := func(context.Context) bool { return state(t, m) == "T" }
	check(t, until(t.Context(), "both pauses have begun", patience, func(ctx context.Context) bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.paused == 2
	}))
	check(t, until(t.Context(), "it is stopped", patience, stopped))
	cancelShort()
	<-done
	if !stopped(t.Context()) {
		t.Error("the end of the first pause ended the second")
	}
	cancelLong()
	<-done
	check(t, until(t.Context(), "it goes on", patience, func(ctx context.Context) bool { return !stopped(ctx) }))
	check(t, end())
}

// state returns the state of the member's process, as the system tells it.
func state(t *testing.T, m *member) string {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	return processState(t, m.cmd.Process.Pid)
}

func TestAlarms(t *testing.T) {
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, "member-1.log"), []byte("{\"message\":\"ready\"}\npanic: oh\ngoroutine 1\n"), 0o600))
	check(t, os.WriteFile(filepath.Join(dir, "member-2.log"),
		[]byte("{\"message\":\"replicas differ: this member leaves\"}\n"), 0o600))
	found, err := alarms(dir)
	check(t, err)
	want := []string{"member-1.log:2: panic: oh", `member-2.log:1: {"message":"replicas differ: this member leaves"}`}
	if !slices.Equal(found, want) {
		t.Errorf("got %q", found)
	}
}

func TestFullDisk(t *testing.T) {
	d, err := newDisk(filepath.Join(t.TempDir(), "snapshots"), snapshotDisk)
	check(t, err)
	t.Cleanup(func() { check(t, d.remove()) })
	ctx, cancel := context.WithCancel(t.Context())
	filled := make(chan error, 1)
	go func() {
		done, err := d.fill(ctx, lasting(patience))
		if done != d.own {
			err = errors.Join(err, errors.New("filled only what is our own"))
		}
		filled <- err
	}()
	files := 0
	write := func(context.Context) bool {
		files++
		return errors.Is(os.WriteFile(filepath.Join(d.dir, strconv.Itoa(files)), make([]byte, 8192), 0o600), syscall.ENOSPC)
	}
	if d.own {
		check(t, until(t.Context(), "the disk is full", patience, write))
	}
	cancel()
	check(t, <-filled)
	if write(t.Context()) {
		t.Error("the disk is still full")
	}
}

func TestOverlayFitsThisGo(t *testing.T) {
	_, err := overlay(t.Context(), t.TempDir(), params{skew: time.Hour})
	check(t, err)
}

// TestBugsFitTheCode: each bug can be planted, and the code with it compiles.
func TestBugsFitTheCode(t *testing.T) {
	for name := range bugs() {
		replace, err := overlay(t.Context(), t.TempDir(), params{bug: name})
		check(t, err)
		build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-overlay", replace,
			"github.com/unecho/unecho/consumer/session")
		if out, err := build.CombinedOutput(); err != nil {
			t.Errorf("the session with the bug %s does not build: %v\n%s", name, err, out)
		}
	}
}
