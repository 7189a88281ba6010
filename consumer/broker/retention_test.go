package broker

import (
	"strings"
	"testing"
)

// TestOutputsKeepThePast: what a backfill forwards is as old as in the source, and Kafka deletes by the records' own
// times.
func TestOutputsKeepThePast(t *testing.T) {
	ts, _, _ := topics(t)
	make1(t, ts, "s", 1, map[string]string{"retention.ms": "-1", "retention.bytes": "5000"})
	make1(t, ts, "s.week", 1, map[string]string{"retention.ms": "604800000", "retention.bytes": "4000"})
	make1(t, ts, "s.stamped", 1, map[string]string{"retention.ms": "604800000", "message.timestamp.type": "LogAppendTime"})
	make1(t, ts, "s.compacted", 1, map[string]string{"retention.ms": "604800000", "cleanup.policy": "compact"})
	src, err := ts.Describe(deadline(t), "s")
	if err != nil {
		t.Fatal(err)
	}
	w := OutputsWant{
		Source: src[0], Names: []string{"s.new", "s.week", "s.stamped", "s.compacted"}, Create: true,
		KeepPast: true,
	}
	_, err = ts.EnsureOutputs(deadline(t), w)
	for _, part := range []string{
		"retention.ms is 604800000, and must be at least that of s, which is -1",
		"--entity-name s.week --add-config retention.ms=-1",
		"retention.bytes is 4000, and must be at least that of s, which is 5000",
	} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %v", part, err)
		}
	}
	if err != nil && (strings.Contains(err.Error(), "s.new") || strings.Contains(err.Error(), "s.stamped") ||
		strings.Contains(err.Error(), "s.compacted")) {
		t.Errorf("only s.week deletes too early: %v", err)
	}
	configs, err := ts.Settings(deadline(t), "s.new")
	if err != nil || configs["retention.ms"] != "-1" || configs["retention.bytes"] != "5000" {
		t.Errorf("a new output keeps its records for %s ms and %s bytes, %v", configs["retention.ms"],
			configs["retention.bytes"], err)
	}
	w.KeepPast = false
	if _, err = ts.EnsureOutputs(deadline(t), w); err != nil {
		t.Errorf("what is live is not old: %v", err)
	}
}
