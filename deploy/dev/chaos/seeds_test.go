//go:build unix

package main

import (
	"io"
	"slices"
	"testing"
)

// seededRun is a run of a test, by its flags, and the faults that its seed is chosen for.
type seededRun struct {
	args   []string
	faults []fault
}

var (
	often = []string{
		"-members=3", "-rate=300", "-kill-every=1s", "-fault-every=1500ms", "-skew=0", "-server-skew=0",
		"-cache=../../../.cache", "-pom=../pom.xml",
	}
	shortRun = seededRun{
		append([]string{"-seed=2065", "-minutes=0.2", "-store=postgres"}, often...),
		[]fault{kill, broker, database, cut, widen, strange, remake, old},
	}
	bucketRun = seededRun{
		append([]string{"-seed=323", "-minutes=0.5", "-store=bucket", "-s3=versitygw"}, often...),
		[]fault{kill, away, drag, refuse, old}, // only root can fill a disk
	}
	clocksRun = seededRun{
		[]string{
			"-seed=1976", "-minutes=0.95", "-members=3", "-rate=200", "-kill-every=3s", "-fault-every=4s",
			"-store=postgres", "-cache=../../../.cache", "-pom=../pom.xml",
		},
		[]fault{kill, broker, leaders, database},
	}
)

// Whoever adds a fault changes what seeds draw: this says at once which seed no longer draws what its test is about.
func TestSeedsDrawTheirFaults(t *testing.T) {
	for _, r := range []seededRun{shortRun, bucketRun, clocksRun} {
		p, err := parse(r.args, io.Discard)
		check(t, err)
		events := schedule(p, storeOf(p))
		for _, f := range r.faults {
			if !slices.ContainsFunc(events, func(e event) bool { return e.fault == f }) {
				t.Errorf("seed %d draws no %s: choose another one by what -plan shows", p.seed, f)
			}
		}
	}
}

func (r seededRun) performed(t *testing.T, got *result) {
	t.Helper()
	for _, f := range r.faults {
		if got.done[f] == 0 {
			t.Errorf("no %s was performed: choose another seed", f)
		}
	}
}
