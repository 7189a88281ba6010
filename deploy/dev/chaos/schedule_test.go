//go:build unix

package main

import (
	"io"
	"reflect"
	"slices"
	"testing"
	"time"
)

func chaosFor(t *testing.T, args ...string) params {
	t.Helper()
	p, err := parse(args, io.Discard)
	check(t, err)
	return p
}

func TestSeedGivesTheSchedule(t *testing.T) {
	p := chaosFor(t, "-seed=7")
	first, again := schedule(p, postgres), schedule(p, postgres)
	if !reflect.DeepEqual(first, again) {
		t.Error("the same seed gave another schedule")
	}
	p.seed++
	if reflect.DeepEqual(first, schedule(p, postgres)) {
		t.Error("another seed gave the same schedule")
	}
}

func TestScheduleHasEverything(t *testing.T) {
	for store, without := range map[string][]fault{
		postgres: {full, away, drag, refuse}, directory: {database, away, drag, refuse}, bucket: {database},
	} {
		seen := map[fault]int{}
		long := map[fault]bool{} // longer than the transaction time-out
		for _, e := range schedule(chaosFor(t, "-seed=7", "-minutes=120"), store) {
			seen[e.fault]++
			long[e.fault] = long[e.fault] || e.lasts > 10*time.Second
		}
		for _, f := range []fault{kill, pause, leave, rolling, broker, leaders, database, full, slow, stall, cut, widen, strange, guest, remake, away, drag, refuse, old} {
			if (seen[f] == 0) != slices.Contains(without, f) {
				t.Errorf("store %s: %d times %s", store, seen[f], f)
			}
		}
		if !long[pause] || !long[kill] || !long[broker] || !long[stall] {
			t.Errorf("store %s: nothing is broken for long: %v", store, long)
		}
	}
}

// Only one broker at a time is away or out of reach. The next one follows only after the last had time to catch up.
func TestBrokersAreSparedInTurn(t *testing.T) {
	for seed := range uint64(50) {
		p := chaosFor(t, "-minutes=30", "-fault-every=1s")
		p.seed = seed
		var free time.Duration
		for _, e := range schedule(p, postgres) {
			if e.fault != broker && e.fault != stall {
				continue
			}
			if e.at < free {
				t.Fatalf("seed %d: %v, and the one before was to be back and well at %v", seed, e, free)
			}
			free = e.at + e.lasts + recovery
		}
	}
}

func TestNothingAfterTheEnd(t *testing.T) {
	p := chaosFor(t, "-seed=3", "-minutes=2")
	for _, e := range schedule(p, directory) {
		if e.at >= p.length || e.lasts > p.length || e.member >= p.members || e.broker >= brokers {
			t.Errorf("the event %q comes after the end, lasts longer than the run, or is of a member or broker that is not there", e)
		}
	}
	p.killEvery, p.faultEvery = 0, 0
	if all := schedule(p, directory); len(all) > 0 {
		t.Errorf("nothing was to be broken: %v", all)
	}
}

func TestMistakesInFlags(t *testing.T) {
	for _, args := range [][]string{
		{"-runs=0"},
		{"-members=1"},
		{"-store=tape"},
		{"-store=bucket"},
		{"-names=none"},
		{"-minutes=0"},
		{"-rate=0"},
		{"now"},
		{"-kill-every=-1s"},
		{"-partitions=0"},
		{"-soak=-1s"},
	} {
		if _, err := parse(args, io.Discard); err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}
