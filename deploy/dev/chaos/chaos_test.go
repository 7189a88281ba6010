//go:build unix

package main

import (
	"os"
	"testing"
)

// The seed of this short run has a schedule that kills members and a broker, stops PostgreSQL, breaks connections, adds
// partitions, writes documents with strange timestamps, has a guest at the door, and deletes an output. Every
// document comes out once, with the naive twin's verdict. The members are built as this test is, with or without the
// race detector.
func TestShort(t *testing.T) {
	if os.Getenv("UNECHO_TEST_KAFKA") == "" {
		t.Skip("needs Kafka: run make test")
	}
	p, err := parse([]string{
		"-seed=936", "-minutes=0.2", "-members=3", "-rate=300", "-kill-every=1s", "-fault-every=1500ms", "-store=postgres",
		"-skew=0", "-server-skew=0",
		"-cache=../../../.cache", "-pom=../pom.xml",
	}, t.Output())
	check(t, err)
	p.race, p.brokerDisk = raceDetector, true
	w, err := open(t.Context(), p, t.Output())
	check(t, err)
	defer func() { w.close(t.Failed()) }()
	t.Run("live", func(t *testing.T) { tryLive(t, w, p) })
	t.Run("backfill", func(t *testing.T) { tryBackfill(t, w, p) })
	t.Run("succession", func(t *testing.T) { trySuccession(t, w, p) })
}

func tryLive(t *testing.T, w *world, p params) {
	t.Helper()
	r, err := one(t.Context(), w, p, t.Output())
	check(t, err)
	r.print(t.Output())
	if !r.ok() {
		t.Errorf("there are findings: what they are about is kept in %s", w.dir)
	}
	for _, f := range []fault{kill, broker, database, cut, widen, strange, remake} {
		if r.done[f] == 0 {
			t.Errorf("no %s was performed: choose another seed", f)
		}
	}
	if r.audit.Unique == 0 || r.audit.Duplicate == 0 || r.audit.Rejected == 0 {
		t.Error("a run without unique, duplicate and rejected documents shows little")
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
