package main

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

// A process that was given a new journal cannot forward what the group has offsets for. It is never ready, and says
// why.
func TestNotReadyWithANewJournal(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	ops := freeAddress(t)
	s.configure(s.inDirectory(), s.consumer(""), "http: {listen: '"+ops+"'}")
	p := s.run()
	s.produce(40, 1)
	s.settled()
	s.until("it is ready", func(ctx context.Context) bool { return s.ready(ctx, ops) == "ready\n" })
	stopAll(t, startBound, p)
	s.deletes(s.name + ".journal")
	p = s.run()
	p.says(`"caught up with the journal"`)
	s.until("it says what waits", func(ctx context.Context) bool {
		said := s.ready(ctx, ops)
		if said == "ready\n" {
			t.Fatal("it is ready")
		}
		return strings.HasPrefix(said, "not ready: session ") &&
			strings.Contains(said, "the journal does not know the epoch of its committed offset")
	})
	if got := metric(s.bounded(), t, ops, "unecho_ready"); got != 0 {
		t.Errorf("unecho_ready is %v", got)
	}
	p.says("partition waits")
	if strings.Contains(p.log.String(), `"message":"ready"`) {
		t.Error("the log says that it is ready")
	}
	p.kill()
}

// ready is what /ready says; the status must be that of the words.
func (s *scene) ready(ctx context.Context, ops string) string {
	s.t.Helper()
	code, said, err := ask(ctx, http.MethodGet, ops, "/ready", "")
	if err != nil {
		return "" // it does not listen yet
	}
	if (code == http.StatusOK) != (said == "ready\n") {
		s.t.Errorf("GET /ready is answered %d %q; want ready with %d, and nothing else with it", code, said, http.StatusOK)
	}
	return said
}

// On real Kafka: a journal whose max.message.bytes was lowered takes nothing. The process says so, with the setting, on
// /ready and as a warning of its status, and is ready again when the journal takes records.
func TestNotReadyWhileTheJournalRefuses(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	ops := freeAddress(t)
	s.configure(s.inDirectory(), s.consumer(""), "http: {listen: '"+ops+"'}")
	p := s.run()
	s.produce(40, 1)
	s.settled()
	s.until("it is ready", func(ctx context.Context) bool { return s.ready(ctx, ops) == "ready\n" })
	s.journalTakes("1") // the broker obeys in a moment
	seed := uint64(1)
	s.until("it is not ready, and names the setting", func(ctx context.Context) bool {
		seed++
		s.produce(4, seed)
		return strings.Contains(s.ready(ctx, ops), "max.message.bytes must be at least")
	})
	_, status := s.asked(http.MethodGet, ops, "/api/v1/status", "")
	for _, want := range []string{`"UnechoNotReady"`, "max.message.bytes must be at least"} {
		if !strings.Contains(status, want) {
			t.Errorf("want %s in the status, got %s", want, status)
		}
	}
	s.journalTakes("2097152")
	s.settled()
	s.until("it is ready again", func(ctx context.Context) bool { return s.ready(ctx, ops) == "ready\n" })
	stopAll(t, patience, p)
}
