package main

import (
	"strings"
	"testing"

	"github.com/unecho/unecho/consumer/audit"
)

// Bounds are changed under load: doubled, narrowed by far, and with another threshold, while members whose files
// differ are at work and one more starts. The twin of the audit reaches the same verdicts, each document came out
// once, and no member was started again.
func TestBoundsChangeUnderLoad(t *testing.T) {
	t.Parallel()
	s := newScene(t, 4)
	s.configure(s.inDirectory(), s.consumer(""), noOps, "duplicates: {remember: {memory: 256KiB}}")
	s.produce(1500, 41)
	first := s.run()
	first.says(`"ready"`) // the first to start declares its bounds
	second := s.run("--set", "duplicates.remember.documents=7", "--set", "duplicates.threshold=0.95")
	second.says("other bounds are in force in the journal")
	apply := func(args ...string) {
		t.Helper()
		code, out := s.verb("settings", append([]string{"apply"}, args...)...)
		if code != 0 || !strings.Contains(out, "in force as change") {
			t.Fatalf("unecho settings apply %v prints %s; want the number of the change that is in force", args, out)
		}
	}
	s.produce(1500, 42)
	apply("--set", "duplicates.remember.memory=512KiB")
	s.produce(1500, 43)
	apply("--set", "duplicates.remember.memory=16KiB")
	s.produce(500, 44)
	third := s.run()
	third.says("other bounds are in force in the journal")
	apply("--set", "duplicates.remember.memory=1MiB", "--set", "duplicates.remember.refresh=last", "--set", "duplicates.compare_copies=true", "--set",
		"duplicates.threshold=0.9")
	s.produce(1500, 45)
	s.settled()
	if _, out := s.verb("settings", "show"); !strings.Contains(out, "bounds of change 3") {
		t.Errorf("in force is %s", out)
	}
	if report := s.audited(s.name + ".journal"); report.Outcome() != audit.Proven || report.Earlier != 0 {
		t.Errorf("the audit says %s", &report)
	}
	stopAll(t, patience, first, second, third)
}
