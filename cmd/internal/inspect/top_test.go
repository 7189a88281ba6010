package inspect

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

var update = flag.Bool("update", false, "rewrite the golden file")

const answered = `{"version": "v1.2", "member": "filter-0", "time": "2026-03-04T09:30:00Z", "group": "un\u001becho", "ready": true,
"documents": {"unique": 1203332, "duplicate": 400, "rejected": 2}, "lag": {"documents": 1203, "seconds": 1.44},
"window": {"documents": 1203332, "count_bound": 5000000, "bytes": 1020000000, "bytes_bound": 1073741824, "age_s": 11520, "age_bound_s": 86400, "bites": "memory"},
"journal": {"next": 1500000, "end": 1500010, "kept_bytes": 3000000000}, "snapshot": {"taken": "2026-03-04T09:28:00Z"}, "snapshots": {"by": "filter-1"},
"members": {"state": "Stable", "sessions": [
 {"member": "filter-0", "host": "10.0.0.1", "partitions": [{"topic": "news", "partition": 0}, {"topic": "news", "partition": 1}]},
 {"member": "filter-1", "host": "10.0.0.2", "partitions": [{"topic": "news", "partition": 2}]}]},
"rate": {"documents_per_s": 1234.4, "duplicate_share": 0.31, "median_s": 0.083, "slowest_s": 1},
"warnings": [{"code": "window", "text": "the window is bounded by bytes", "remedy": "raise duplicates.remember.memory"}]}`

// TestTop: the picture has what a person looks for first, at any size of the terminal, and is held by a file.
func TestTop(t *testing.T) {
	t.Parallel()
	var s shape.Status
	if err := json.Unmarshal([]byte(answered), &s); err != nil {
		t.Fatal(err)
	}
	at := shape.Moment{Time: time.Date(2026, 3, 4, 9, 29, 59, 0, time.UTC)}
	copies := make([]shape.Copy, 30)
	for i := range copies {
		copies[i] = shape.Copy{
			Judged: at, Document: shape.Coordinates{Topic: "news", Partition: 1, Offset: int64(i), ID: "a\x1b[2J"},
			Match: shape.Match{Coordinates: shape.Coordinates{Topic: "news", Offset: 7}, Similarity: 0.9312, Copy: 2},
		}
	}
	top := Top{Server: "http://filter-0:9464", Zone: time.UTC}
	var b strings.Builder
	draw := func(what string, width, height int) {
		fmt.Fprintf(&b, "-- %s, %d x %d --\n%s\n", what, width, height, strings.Join(top.Frame(width, height), "\n"))
	}
	draw("nothing yet", 80, 24)
	top.Lost(errors.New("no member answers"))
	draw("nobody there", 80, 24)
	for i := range 8 {
		s.Rate.Documents = 1234.4 * float64(i) / 7
		top.Answer(s, copies)
	}
	draw("at work", 80, 24)
	*s.Rate.Slowest = 86_400
	draw("narrow", 40, 24)
	top.Lost(errors.New("no member answers"))
	draw("gone", 80, 3)
	top.Answer(shape.Status{Version: "v1.2", Why: "restoring"}, nil)
	draw("begins", 80, 24)

	golden := filepath.Join("testdata", "top.txt")
	want, err := os.ReadFile(golden)
	if *update {
		err = os.WriteFile(golden, []byte(b.String()), 0o600)
	}
	if err != nil || b.String() != string(want) {
		t.Errorf("%v; the pictures are\n%s", err, &b)
	}
	top.Answer(s, copies)
	for width := range 130 {
		for height := range 40 {
			lines := top.Frame(width, height)
			if len(lines) > max(1, height) {
				t.Fatalf("%d lines in %d rows", len(lines), height)
			}
			for _, line := range lines {
				if terminal.Columns(line) > max(1, width) || strings.ContainsRune(line, '\x1b') {
					t.Fatalf("%q in %d columns", line, width)
				}
			}
		}
	}
}

// TestTopNamesBoth: where a line has no room for ids and coordinates, the ids stay.
func TestTopNamesBoth(t *testing.T) {
	t.Parallel()
	place := func(id string, offset int64) shape.Coordinates {
		return shape.Coordinates{Topic: "documents", Offset: offset, ID: id}
	}
	top := Top{Server: "http://filter-0:9464", Zone: time.UTC}
	top.Answer(shape.Status{Ready: true}, []shape.Copy{
		{Document: place("article-033009", 7746), Match: shape.Match{Coordinates: place("article-029001", 4310), Similarity: 0.9, Copy: 2}},
		{Document: place("", 7747), Match: shape.Match{Coordinates: place("", 4311), Similarity: 0.9, Copy: 2}},
	})
	for width, want := range map[int][]string{
		80: {"article-033009 is like article-029001", "documents/0/7747 is like documents/0/4311"},
		120: {
			"article-033009 (documents/0/7746) is like article-029001 (documents/0/4310)",
			"documents/0/7747 is like documents/0/4311",
		},
	} {
		frame := strings.Join(top.Frame(width, 24), "\n") + "\n"
		for _, line := range want {
			if !strings.Contains(frame, "  "+line+"\n") {
				t.Errorf("%d columns have no %q:\n%s", width, line, frame)
			}
		}
	}
}
