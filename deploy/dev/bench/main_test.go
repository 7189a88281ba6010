package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// TestRun measures a little on kfake. It checks that both ends commit everything and that the tables are written.
func TestRun(t *testing.T) {
	var out, problems bytes.Buffer
	args := []string{
		"-broker", "kfake", "-documents", "3000", "-partitions", "2", "-pairs", "1", "-untuned", "-verify",
		"jaccard",
	}
	if err := run(t.Context(), args, &out, &problems); err != nil {
		t.Fatalf("run of %q returns error %v, and prints\n%s%s", args, err, &out, &problems)
	}
	for _, want := range []string{
		"kfake: 3,000 documents of 2000 bytes in 2 partitions", "kfake, verify: jaccard",
		"| warm-up, not counted | copy |", "| 1 | unecho |", "rejected 0", "outputs compressed with snappy",
		" cores busy, ", "| kfake | jaccard | ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
}

func TestParse(t *testing.T) {
	var problems bytes.Buffer
	_, err := parse([]string{"-broker", "rabbit", "-pairs", "0", "-sessions", "9", "-bytes", "1"}, &problems)
	if err == nil {
		t.Fatal("four mistakes were taken")
	}
	for _, want := range []string{"-broker is", "-pairs is", "-sessions is", "-bytes is"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in %v", want, err)
		}
	}
	for _, args := range []string{
		"-rates 50,x", "-rates 0", "-rates 50 -backfill time", "-rates 50 -seconds 0",
	} {
		if _, err := parse(strings.Fields(args), &problems); err == nil {
			t.Errorf("%s was taken", args)
		}
	}
	p, err := parse([]string{"-rates", "50,500"}, &problems)
	if err != nil || !slices.Equal(p.rates, []int{50, 500}) {
		t.Errorf("-rates 50,500 is read as %v, error %v; want 50 and 500", p.rates, err)
	}
	if _, err := parse([]string{"-rivals", "-rates", "50"}, &problems); err == nil ||
		!strings.Contains(err.Error(), "-rivals and -files are measured alone, without -rates\n-rivals needs -broker kafka") {
		t.Errorf("rivals on both brokers, at a rate: %v", err)
	}
	if _, err := parse([]string{"kafka"}, &problems); err == nil {
		t.Error("an argument that is no flag was taken")
	}
}

func TestSpread(t *testing.T) {
	var rounds []round
	for _, n := range []int{300, 100, 200, 400} {
		rounds = append(rounds, round{{documents: n}})
	}
	got := spreadOf(rounds, func(r round) float64 { return float64(r[0].documents) })
	if want := (spread{median: 250, low: 100, high: 400}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if text := got.text(thousands); text != "250 (100 to 400)" {
		t.Errorf("the spread is written as %q, want 250 (100 to 400)", text)
	}
	if text := thousands(1234567.4); text != "1,234,567" {
		t.Errorf("thousands(1234567.4) = %q, want 1,234,567", text)
	}
}
