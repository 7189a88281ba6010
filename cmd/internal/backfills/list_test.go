package backfills_test

import (
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/backfills"
)

// What stands in a journal is shown to a terminal without what a terminal obeys.
func TestWriteListHarmless(t *testing.T) {
	var out strings.Builder
	if err := backfills.WriteList(&out,
		[]backfills.Entry{{
			Backfill: "news", State: "finished", Topics: "news", From: "\x1b[2Jstart",
			To: "end",
		}}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Contains(got, "\x1b") || !strings.Contains(got, "\n  news from \\x1b[2Jstart to end") {
		t.Errorf("WriteList writes %q; want the escape character in the start to be written as \\x1b", got)
	}
}
