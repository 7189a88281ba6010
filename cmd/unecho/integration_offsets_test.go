package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
)

// java runs a class of Kafka's own tools.
func (s *scene) java(ctx context.Context, class string, args ...string) *exec.Cmd {
	s.t.Helper()
	classpath := os.Getenv("UNECHO_TEST_KAFKA_CLASSPATH")
	if classpath == "" {
		s.t.Skip("needs the jars of Kafka's tools: set UNECHO_TEST_KAFKA_CLASSPATH, or run make test")
	}
	java := "java"
	if home := os.Getenv("JAVA_HOME"); home != "" {
		java = filepath.Join(home, "bin", "java")
	}
	return exec.CommandContext(ctx, java, append([]string{
		"-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", classpath, "org.apache.kafka.tools.consumer." + class,
		"--bootstrap-server", os.Getenv("UNECHO_TEST_KAFKA"), "--group", s.name,
	}, args...)...)
}

// groups runs Kafka's own tool for groups, and returns what it says.
func (s *scene) groups(args ...string) string {
	s.t.Helper()
	said, err := s.java(s.bounded(), "group.ConsumerGroupCommand", args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("Kafka's tool for groups, with %v: %v\n%s", args, err, said)
	}
	return string(said)
}

// reset sets the group's offsets with Kafka's own tool, and returns what it says.
func (s *scene) reset(to ...string) string {
	s.t.Helper()
	return s.groups(append([]string{"--topic", s.source, "--reset-offsets", "--execute"}, to...)...)
}

// empty waits until nobody is in the group.
func (s *scene) empty() {
	s.t.Helper()
	s.until("the group is empty", func(ctx context.Context) bool {
		groups, err := s.admin.DescribeGroups(ctx, s.name)
		return err == nil && len(groups[s.name].Members) == 0
	})
}

// Kafka's own tool moves the offsets: not under a process that works, and then back and forth. What was set back comes
// out again and is judged anew, what was skipped does not come out, and everything else does so once.
func TestOffsetsResetByKafkasTool(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	s.configure(s.inDirectory(), s.consumer(""), noOps)
	p := s.run()
	s.produce(200, 1)
	s.settled()
	before, _ := s.committed(s.bounded())
	if said := s.reset("--to-earliest"); !strings.Contains(said, "inactive") {
		t.Errorf("under a process that works it says %q", said)
	}
	var past kadm.Offsets
	past.AddOffset(s.source, 0, 0, -1)
	if err := s.admin.CommitAllOffsets(s.bounded(), s.name, past); err == nil {
		t.Error("offsets were set past a process that works")
	}
	if now, _ := s.committed(s.bounded()); now != before {
		t.Errorf("the offsets were %d in sum, and are %d", before, now)
	}
	stopAll(t, startBound, p)
	want := 200
	for i, by := range []int{-20, 15} {
		s.empty()
		s.produce(100, uint64(2+i))
		s.reset("--shift-by", fmt.Sprint(by))
		want += 100 - 2*by
		p = s.run()
		s.settled()
		p.says("the offset was set by someone else")
		stopAll(t, startBound, p)
		if got := s.forwarded(); got != want {
			t.Errorf("shifted by %d: %d records came out, want %d", by, got, want)
		}
	}
	s.audit(s.name + ".journal")
}
