package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/cluster"
)

// guest is a consumer of another program: Kafka's console consumer.
type guest struct {
	*exec.Cmd
	said *output
	done chan struct{}
}

const (
	classicStranger = "partition.assignment.strategy=org.apache.kafka.clients.consumer.CooperativeStickyAssignor"
	modernStranger  = "group.protocol=consumer"
)

// guest begins to read as a member of the group.
func (s *scene) guest(args ...string) *guest {
	s.t.Helper()
	g := &guest{
		Cmd:  s.java(context.WithoutCancel(s.t.Context()), "ConsoleConsumer", append([]string{"--topic", s.source}, args...)...),
		said: newOutput(), done: make(chan struct{}),
	}
	g.Stdout, g.Stderr = g.said, g.said
	check(s.t, g.Start())
	go func() {
		_ = g.Wait() // how it ends is no matter
		g.said.close()
		close(g.done)
	}()
	s.t.Cleanup(func() {
		_ = g.Process.Kill() // it has ended, as a rule
		<-g.done
	})
	return g
}

// leaves has the guest commit and leave.
func (g *guest) leaves() {
	_ = g.Process.Signal(syscall.SIGTERM) // it has ended, or ends now
	<-g.done
}

// Consumers of other programs come to a group at work: of the classic protocol with the names that Java and librdkafka
// offer, and of the new one, which would convert the group. Kafka refuses them, and every document comes out.
func TestGuestsAreRefused(t *testing.T) {
	t.Parallel()
	s := newScene(t, 4)
	s.configure(s.inDirectory(), s.consumer(""), noOps)
	all := []*process{s.run(), s.run()}
	for _, p := range all {
		p.says(`"message":"ready"`)
	}
	s.members(4, 4)
	stream := s.streams(200, 31)
	for name, refusal := range map[string]string{
		"group.protocol=classic": "InconsistentGroupProtocolException",
		classicStranger:          "InconsistentGroupProtocolException",
		modernStranger:           "GroupIdNotFoundException",
	} {
		g := s.guest("--command-property", name, "--timeout-ms", "10000")
		if err := g.said.await(s.bounded(), "Processed a total of "); err != nil {
			t.Fatalf("a consumer with %s does not say what it has read: %v", name, err)
		}
		<-g.done
		said := g.said.String()
		if !strings.Contains(said, refusal) || !strings.Contains(said, "Processed a total of 0 messages") {
			t.Errorf("a consumer with %s is not refused: %s", name, said)
		}
	}
	plain := s.connect(kgo.ConsumerGroup(s.name), kgo.ConsumeTopics(s.source), kgo.Balancers(kgo.CooperativeStickyBalancer()))
	if fetches := plain.PollFetches(s.bounded()); !errors.Is(fetches.Err(), kerr.InconsistentGroupProtocol) {
		t.Errorf("a plain client with cooperative-sticky got %d records and %v", fetches.NumRecords(), fetches.Err())
	}
	stream.end(s)
	s.settled()
	if said := s.groups("--describe"); !strings.Contains(said, "unecho") || strings.Contains(said, "Error") {
		t.Errorf("Kafka's tool says of the group: %s", said)
	}
	if got := s.forwarded(); got != s.total() {
		t.Errorf("%d documents were sent, and %d came out", s.total(), got)
	}
	stopAll(t, startBound, all...)
	s.audited(s.name + ".journal")
}

// A guest that is there before any member cannot be refused. The service does not start beside it and says who it is,
// and so do the doctor and, afterwards, /ready, a metric and the audit of what it took. The command that they name has
// it judged.
func TestGuestsWhoCameFirst(t *testing.T) {
	t.Parallel()
	for name, property := range map[string]string{"classic": classicStranger, "consumer": modernStranger} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, 1)
			ops := freeAddress(t)
			s.configure(s.inDirectory(), s.consumer(""), "http: {listen: '"+ops+"'}")
			s.produce(300, 32)
			g := s.guest("--command-property", property, "--from-beginning")
			s.until("the guest is a member", func(ctx context.Context) bool {
				in, err := cluster.Members(ctx, s.admin, s.name)
				return err == nil && in.State == "Stable" && len(in.Guests()) == 1
			})
			p := s.run()
			if code := p.exits(startBound); code == 0 {
				t.Error("it started beside a guest")
			}
			for _, want := range []string{"another program is a member of group " + s.name, "console-consumer", "start again"} {
				if !strings.Contains(p.log.String(), want) {
					t.Errorf("it does not say %q", want)
				}
			}
			if _, end := s.journal(s.bounded()); end > 0 {
				t.Errorf("it appended %d records beside a guest", end)
			}
			code, said := s.verb("doctor")
			if code == 0 || !strings.Contains(said, "is not of unecho") || !strings.Contains(said, "console-consumer") {
				t.Errorf("%d, the doctor says %s", code, said)
			}
			s.reaches(300)
			g.leaves()
			s.produce(100, 33)
			p = s.run()
			s.settled()
			s.tellsOfSkipped(p, ops, 300)
			stopAll(t, startBound, p)
			s.until("the group is empty", func(ctx context.Context) bool {
				in, err := cluster.Members(ctx, s.admin, s.name)
				return err == nil && len(in.Members) == 0
			})
			s.reset("--to-offset", "0")
			p = s.run()
			s.settled()
			s.until("it is ready", func(ctx context.Context) bool { return s.ready(ctx, ops) == "ready\n" })
			stopAll(t, startBound, p)
			if code, said := s.verb("audit"); code != 0 {
				t.Errorf("the audit ends with %d when all was judged: %s", code, said)
			}
		})
	}
}

// tellsOfSkipped checks who tells of documents that a guest took from the beginning of the only partition.
func (s *scene) tellsOfSkipped(p *process, ops string, n int) {
	s.t.Helper()
	command := "kafka-consumer-groups.sh --bootstrap-server BROKER --group " + s.name + " --topic " + s.source + ":0 --reset-offsets --to-offset 0 --execute"
	said := s.ready(s.bounded(), ops)
	if want := fmt.Sprintf("offset %d, and those from 0 on may have been judged by nobody; unecho audit", n); !strings.Contains(said, want) {
		s.t.Errorf("/ready says %q, want %q in it", said, want)
	}
	if got := metric(s.bounded(), s.t, ops, "unecho_source_skipped_total"); got != float64(n) {
		s.t.Errorf("unecho_source_skipped_total is %v, want %d", got, n)
	}
	p.says("what lies between may be judged by nobody")
	code, said := s.verb("audit")
	if code != 1 || !strings.Contains(said, fmt.Sprintf("offsets 0 to %d, %d records, were judged by nobody", n-1, n)) ||
		!strings.Contains(said, command) {
		s.t.Errorf("the audit ends with %d: %s", code, said)
	}
	if code, said := s.verb("audit", "--accept-skipped"); code != 0 {
		s.t.Errorf("the audit that accepts it ends with %d: %s", code, said)
	}
	var line struct{ Outcome string }
	_, said = s.verb("audit", "--json")
	if err := json.NewDecoder(strings.NewReader(said)).Decode(&line); err != nil || line.Outcome != "skipped" {
		s.t.Errorf("the audit's JSON says %q (%v): %s", line.Outcome, err, said)
	}
}

// verb runs a verb with the scene's configuration, and returns its exit code and what it writes.
func (s *scene) verb(verb string, flags ...string) (code int, said string) {
	s.t.Helper()
	cmd := exec.CommandContext(s.bounded(), "unecho", append([]string{verb, "--config", s.file}, flags...)...)
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}
