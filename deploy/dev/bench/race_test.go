package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// timed is a contender whose runs take the given times, one after another.
type timed struct {
	name  string
	order *[]string
	takes []time.Duration
	runs  *int
}

func (c timed) run(_ context.Context, j job, group string) (result, error) {
	*c.order = append(*c.order, c.name)
	if *c.runs == len(c.takes) {
		return result{}, errors.New(group + " is one run too many")
	}
	took := c.takes[*c.runs]
	*c.runs++
	cpu := usage{own: took / 2, broker: took / 4}
	return result{documents: j.documents, took: took, cpu: cpu, duplicates: 25}, nil
}

// TestRace: the rounds begin with each entrant in turn, and ratios are those of one round.
func TestRace(t *testing.T) {
	var order []string
	r := race{job: job{source: "s", documents: 100}, rounds: 3, out: io.Discard}
	for name, takes := range map[string][]time.Duration{
		"copy":  {9 * time.Second, time.Second, 2 * time.Second, 4 * time.Second},
		"other": {9 * time.Second, 2 * time.Second, 20 * time.Second, 5 * time.Second},
	} {
		e := entrant{name: name, topics: name, who: timed{name: name, order: &order, takes: takes, runs: new(int)}}
		if name == "copy" {
			r.entrants = append([]entrant{e}, r.entrants...)
		} else {
			r.entrants = append(r.entrants, e)
		}
	}
	r.head, r.row = rates(r.entrants)
	rounds, err := r.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(order, " "); got != "copy other other copy copy other other copy" {
		t.Errorf("the entrants run in the order %q; want each round to begin with the next one", got)
	}
	table := r.table(rounds)
	for _, want := range []string{
		"\n| copy | 50 (25 to 100) | 1.00 (1.00 to 1.00) | 10000.0 | 5000.0 | 0.75 | 25.0 % |\n",
		"\n| other | 20 (5 to 50) | 0.50 (0.10 to 0.80) | 25000.0 | 12500.0 | 0.75 | 25.0 % |\n",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("%q is missing in\n%s", want, table)
		}
	}
	if row := r.row("1", "copy", rounds[0]); strings.Count(r.head, "|") != 2*strings.Count(row, "|") {
		t.Errorf("the rows do not fit the head:\n%s\n%s", r.head, row)
	}
	if _, err := r.run(t.Context()); err == nil || !strings.Contains(err.Error(), "copy: s-copy-0 is one run too many") {
		t.Error(err)
	}
}

// TestDistinct: a corpus of this size has exact copies, and fewer of them than documents.
func TestDistinct(t *testing.T) {
	if n := distinct(newCorpus(1, 2000), 1000); n < 800 || n > 900 {
		t.Errorf("%d of 1000 documents differ", n)
	}
}
