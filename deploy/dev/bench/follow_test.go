package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestFollows follows a small journal on kfake. Its last run is not full, and all entries are in the window.
func TestFollows(t *testing.T) {
	var out, problems bytes.Buffer
	args := []string{"-broker", "kfake", "-follow", "1000", "-pairs", "1", "-bytes", "500"}
	if err := run(t.Context(), args, &out, &problems); err != nil {
		t.Fatalf("run of %q returns error %v, and prints\n%s%s", args, err, &out, &problems)
	}
	for _, want := range []string{
		"kfake, verify: estimate, 1,000 entries of ", "warm-up, not counted: ", "\n1: ", followHead, "| estimate | 1,000 | ",
		"| jaccard | 1,000 | ", "GOMAXPROCS=1",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
}

func TestFollowRow(t *testing.T) {
	r := result{documents: 1000, took: 2 * time.Millisecond, journalBytes: 200_000, cpu: usage{own: time.Millisecond}}
	again := r
	again.took *= 2
	want := "| estimate | 1,000 | 375,000 (250,000 to 500,000) | 75 (50 to 100) | 3.00 (2.00 to 4.00) | " +
		"1.00 (1.00 to 1.00) | 200 |"
	if got := followRow("estimate", []result{r, again}); got != want {
		t.Errorf("followRow = %s\nwant %s", got, want)
	}
}
