package main

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/deploy/dev/proxy"
)

// startBound is how long a start may take that ends with a message.
const startBound = 20 * time.Second

// refuses waits for a start that ends with exit code 1, and holds the message against what it must say and must not.
func (p *process) refuses(must ...string) string {
	p.t.Helper()
	if code := p.exits(startBound); code != 1 {
		p.t.Errorf("exit code %d, want 1", code)
	}
	message := p.message()
	for _, text := range must {
		if !strings.Contains(message, text) {
			p.t.Errorf("%q is not in %q", text, message)
		}
	}
	if strings.Contains(message, "goroutine ") || !strings.HasPrefix(message, "unecho: ") {
		p.t.Errorf("not written for people: %q", message)
	}
	return message
}

// message is what stands on standard error beside the log, and what the log ends with.
func (p *process) message() string {
	var lines []string
	for line := range strings.Lines(p.log.String()) {
		var last struct{ Level, Cause, Remedy string }
		switch err := json.Unmarshal([]byte(line), &last); {
		case err != nil:
			lines = append(lines, line)
		case last.Level == "fatal":
			lines = append(lines, "unecho: "+last.Cause+"; "+last.Remedy)
		}
	}
	return strings.Join(lines, "")
}

// What was trimmed is not missed: the memory of it comes from the snapshots.
func TestRestartBehindTrimmedJournal(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	s.configure(s.inPostgres(), s.consumer(""), noOps)
	journal := s.copyJournal()
	p := s.run()
	p.says(`"ready"`)
	s.produce(500, 1)
	s.settled()
	_, first := s.journal(t.Context())
	s.until("the journal is trimmed behind them", func(ctx context.Context) bool {
		s.produce(1, rand.Uint64()) // an idle service takes no snapshots
		start, _ := s.journal(ctx)
		return start >= first
	})
	p.kill()
	s.produce(500, 1) // the same documents again: duplicates of what only the snapshot knows
	p = s.run()
	s.settled()
	if !p.restored() {
		t.Error("no snapshot was restored")
	}
	stopAll(t, startBound, p)
	journal.upToDate()
	report := s.audited(journal.topic)
	if report.Duplicate < 500-report.Rejected {
		t.Errorf("what was sent a second time is not all duplicates: %s", &report)
	}

	s.configure(s.inDirectory(), s.consumer(""), noOps)
	s.run().refuses("journal "+s.name+".journal begins at ", "give this member the store that the others use")
}

// A network that swallows everything holds a drain up only for so long; who does not want to wait says so twice.
func TestDrainIsBounded(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	server := postgresURL(t)
	db := proxyTo(t, hostOf(t, server))
	s.inPostgres()
	s.configure(s.inPostgresAt(withHost(t, server, db.Address())), s.consumer("drain_timeout: 3s"), noOps)
	patient, hasty := s.run(), s.run()
	patient.says(`"ready"`)
	hasty.says(`"ready"`)
	s.produce(100, 1)
	s.settled()
	db.Stall()
	check(t, hasty.cmd.Process.Signal(syscall.SIGTERM))
	hasty.says("a second signal exits at once")
	check(t, hasty.cmd.Process.Signal(syscall.SIGTERM))
	if code := hasty.exits(2500 * time.Millisecond); code != exit.Interrupted {
		t.Errorf("exit code %d after the second SIGTERM, want %d", code, exit.Interrupted)
	}
	stopAll(t, 20*time.Second, patient) // the drain timeout, on a busy machine
}

func proxyTo(t *testing.T, to string) *proxy.Proxy {
	t.Helper()
	p, err := proxy.New(t.Context(), to)
	check(t, err)
	t.Cleanup(p.Close)
	return p
}

func hostOf(t *testing.T, server string) string {
	t.Helper()
	_, rest, _ := strings.Cut(server, "@")
	host, _, _ := strings.Cut(rest, "/")
	if _, _, err := net.SplitHostPort(host); err != nil {
		host = net.JoinHostPort(host, "5432")
	}
	return host
}

// freeAddress is one that nobody listened on a moment ago.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	check(t, listener.Close())
	return listener.Addr().String()
}

// metric reads the value of a series without labels; -1 where it is not there.
func metric(ctx context.Context, t *testing.T, ops, name string) float64 {
	t.Helper()
	_, text, err := ask(ctx, http.MethodGet, ops, "/metrics", "")
	check(t, err)
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindStringSubmatch(text)
	if found == nil {
		return -1
	}
	value, err := strconv.ParseFloat(found[1], 64)
	check(t, err)
	return value
}
