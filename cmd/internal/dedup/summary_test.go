package dedup

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/cmd/internal/terminal"
)

// A summary says how many documents were compared by their bytes, in both forms, and nothing where there are none.
func TestSummaryTellsBytes(t *testing.T) {
	for n, want := range map[int64][2]string{
		0: {"", ""},
		1: {"1 document was compared by the bytes: more than 5 % is not UTF-8 or cannot be read; convert to UTF-8\n", `"by_bytes":1,`},
		7: {"7 documents were compared by the bytes: more than 5 % is not UTF-8 or cannot be read; convert to UTF-8\n", `"by_bytes":7,`},
	} {
		var line bytes.Buffer
		s := NewSummary(Counts{Documents: 9, Unique: 9, ByBytes: n}, 0, 9, time.Second)
		if err := terminal.WriteJSON(&line, s); err != nil {
			t.Fatal(err)
		}
		if _, got, _ := strings.Cut(s.Text(), "\n"); got != want[0] || strings.Contains(line.String(), "by_bytes") != (n > 0) ||
			!strings.Contains(line.String(), want[1]) {
			t.Errorf("%d documents: %q and %s; want %q", n, got, line.String(), want)
		}
	}
}

// A summary says of how many documents it cannot be sure, in both forms, and nothing where there are none.
func TestSummaryTellsCuts(t *testing.T) {
	for cut, want := range map[int64]string{
		0: "", 1: "1 unique document was not compared with all candidates, and may be copies: raise --max-candidates and --max-work\n",
		2300: "2,300 unique documents were not compared with all candidates, and may be copies: raise --max-candidates and --max-work\n",
	} {
		s := NewSummary(Counts{Documents: 3000, Unique: 3000}, 0, 3000, time.Second)
		s.UniqueCut, s.Bounds = cut, []string{"max_candidates", "max_work"}
		var line bytes.Buffer
		if _, got, _ := strings.Cut(s.Text(), "\n"); got != want {
			t.Errorf("%d cut: %q, want %q", cut, got, want)
		}
		if err := terminal.WriteJSON(&line, s); err != nil ||
			!strings.Contains(line.String(), `"unique_cut":`+strings.ReplaceAll(terminal.Grouped(int(cut)), ",", "")+",") {
			t.Errorf("%d cut: %s, %v", cut, line.String(), err)
		}
	}
}
