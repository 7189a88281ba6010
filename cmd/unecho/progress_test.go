package main

import (
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	for _, test := range []struct {
		progress progress
		want     string
	}{
		{progress{documents: 5000, bytes: 3 << 20, size: -1}, "5,000 documents (500/s), 3 MB"},
		{progress{documents: 5000, bytes: 25 << 20, size: 100 << 20}, "5,000 documents (500/s), 25 of 100 MB (25 %), 30s left"},
		{progress{documents: 1200, files: 1200, bytes: 100 << 20, size: 100 << 20}, "1,200 files (120/s), 1,200 documents (120/s), 100 of 100 MB (100 %)"},
	} {
		if got := test.progress.line(10 * time.Second); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
