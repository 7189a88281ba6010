//go:build unix

package main

import (
	"os"
	"testing"
)

// The seed of this short run has a schedule that kills members and a broker, stops PostgreSQL, breaks connections, adds
// partitions, writes documents with strange timestamps, has a guest at the door, harms files with old documents, and deletes
// an output. Every
// document comes out once, with the naive twin's verdict.
func TestShort(t *testing.T) {
	w, p := openFor(t, shortRun.args...)
	t.Run("live", func(t *testing.T) { tryLive(t, w, p, shortRun) })
	t.Run("backfill", func(t *testing.T) { tryBackfill(t, w, p) })
	t.Run("succession", func(t *testing.T) { trySuccession(t, w, p) })
}

// TestShortLong has a bucket for snapshots, which is out of reach, slow, full, and refuses the members. Then the journal is
// trimmed again.
func TestShortLong(t *testing.T) {
	program := os.Getenv("UNECHO_TEST_S3_PROGRAM")
	if program == "" {
		t.Skip("needs a program that speaks S3: run make test-long")
	}
	w, p := openFor(t, append(bucketRun.args, "-s3="+program)...)
	tryLive(t, w, p, bucketRun)
}

// openFor starts servers for three members, which are built as this test is, with or without the race detector.
func openFor(t *testing.T, args ...string) (*world, params) {
	t.Helper()
	if os.Getenv("UNECHO_TEST_KAFKA") == "" {
		t.Skip("needs Kafka: run make test")
	}
	p, err := parse(args, t.Output())
	check(t, err)
	p.race, p.brokerDisk = raceDetector, true
	w, err := open(t.Context(), p, t.Output())
	check(t, err)
	t.Cleanup(func() { w.close(t.Failed()) })
	return w, p
}

func tryLive(t *testing.T, w *world, p params, of seededRun) {
	t.Helper()
	r, err := one(t.Context(), w, p, t.Output())
	check(t, err)
	r.print(t.Output())
	if !r.ok() {
		t.Errorf("there are findings: what they are about is kept in %s", w.dir)
	}
	of.performed(t, r)
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
