package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// reset sets the group's offsets with Kafka's own tool, and returns what it says.
func (s *scene) reset(to ...string) string {
	s.t.Helper()
	classpath := os.Getenv("UNECHO_TEST_KAFKA_CLASSPATH")
	if classpath == "" {
		s.t.Skip("needs the jars of Kafka's tools: set UNECHO_TEST_KAFKA_CLASSPATH, or run make test")
	}
	java := "java"
	if home := os.Getenv("JAVA_HOME"); home != "" {
		java = filepath.Join(home, "bin", "java")
	}
	args := append([]string{
		"-Xmx128m", "-cp", classpath, "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
		"--bootstrap-server", os.Getenv("UNECHO_TEST_KAFKA"), "--group", s.name, "--topic", s.source, "--reset-offsets",
		"--execute",
	}, to...)
	said, err := exec.CommandContext(s.bounded(), java, args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("resetting the offsets %v by Kafka's tool: %v\n%s", to, err, said)
	}
	return string(said)
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
