package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/cmd/internal/api/shape"
)

// TestWrite: one look says what is known. Ids that would move the cursor are shown as text.
func TestWrite(t *testing.T) {
	t.Parallel()
	at := shape.Moment{Time: time.Date(2026, 3, 4, 9, 30, 0, 0, time.UTC)}
	match := shape.Match{
		Coordinates: shape.Coordinates{Topic: "news", Partition: 1, Offset: 7, ID: "a\x1b[2Jb", Time: at},
		Similarity:  0.91, Method: "jaccard", Copy: 3,
	}
	hit := shape.Hit{Match: match, Bands: []int{0, 4}, Shared: &shape.Share{Part: 91, Whole: 100, Of: "shingles"}}
	same := shape.Hit{Match: shape.Match{
		Coordinates: shape.Coordinates{Topic: "news", Offset: 1, ID: "news/0/1"}, Similarity: 1,
		Method: "exact", Copy: 2,
	}}
	var b strings.Builder
	for _, r := range []shape.Result{
		{Empty: true},
		{Compared: 1, Threshold: 0.8, Bands: 18},
		{Duplicate: true, Matches: []shape.Hit{hit}, Compared: 12, Threshold: 0.8, Bands: 18},
		{Duplicate: true, Matches: []shape.Hit{same, hit}, Compared: 2, Cut: true, Threshold: 0.8},
	} {
		if err := WriteResult(&b, "", &r); err != nil {
			t.Fatal(err)
		}
	}
	b.WriteString(copyHead() + "\n")
	copies := []shape.Copy{
		{Judged: at, Document: shape.Coordinates{Topic: "news", Offset: 9, ID: "b"}, Match: match},
		{Judged: at, Document: shape.Coordinates{Topic: "news", Offset: 10}, Match: same.Match, Reemitted: true, LateS: 90},
	}
	for i := range copies {
		if err := WriteCopy(&b, &copies[i], time.UTC); err != nil {
			t.Fatal(err)
		}
	}
	const want = `unique: it has no words to compare
unique: nothing similar enough was found (compared with 1 document, threshold 0.8)
  Documents that share none of its 18 bands were not compared: one may be nearer.
duplicate of a\x1b[2Jb (news/1/7): similarity 0.9100 by jaccard (compared with 12 documents, threshold 0.8)
  from 2026-03-04 09:30:00, this would be copy 3, 91 of 100 shingles in common, 2 of 18 bands
duplicate of news/0/1: similarity 1.0000 by exact (compared with 2 documents, threshold 0.8)
  1.0000  news/0/1
  this would be copy 2, the same text
  0.9100  a\x1b[2Jb (news/1/7)
  from 2026-03-04 09:30:00, this would be copy 3, 91 of 100 shingles in common
  Not all candidates were compared: a closer one may have been left out.
judged    similarity  copy  document is like document
09:30:00  0.9100      3     b (news/0/9) is like a\x1b[2Jb (news/1/7)
09:30:00  1.0000      2     news/0/10 is like news/0/1 [let through all the same, 1m30s late]
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", &b, want)
	}
}

// TestWriteNearest: of a text that is unique, the nearest document is told, and what it lacks.
func TestWriteNearest(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, missing := range []uint32{28, 0} {
		if err := WriteResult(&b, "", &shape.Result{Compared: 2, Threshold: 0.8, Bands: 18, Nearest: &shape.Nearest{
			Coordinates: shape.Coordinates{Topic: "news", Partition: 1, Offset: 7, ID: "a\x1b[2Jb"},
			Similarity:  0.6561, Method: "jaccard", Bands: []int{2},
			Shared: shape.Share{Part: 229, Whole: 349, Of: "shingles"}, Missing: missing,
		}}); err != nil {
			t.Fatal(err)
		}
	}
	const want = `unique: nothing similar enough was found (compared with 2 documents, threshold 0.8)
  nearest: a\x1b[2Jb (news/1/7): similarity 0.6561 by jaccard
  28 more shingles would make it a duplicate, 229 of 349 shingles in common, 1 of 18 bands
  Documents that share none of its 18 bands were not compared: one may be nearer.
unique: nothing similar enough was found (compared with 2 documents, threshold 0.8)
  nearest: a\x1b[2Jb (news/1/7): similarity 0.6561 by jaccard
  similar enough, but once in a thousand times digests say otherwise, 229 of 349 shingles in common, 1 of 18 bands
  Documents that share none of its 18 bands were not compared: one may be nearer.
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", &b, want)
	}
}

// TestWritten: no text takes more bytes in a request than was reckoned with.
func TestWritten(t *testing.T) {
	for _, text := range []string{
		"", "plain", "<p>a & b</p>\n", "\"\\\t\r\x00\x1f\x7f", "caf\u00e9 \u2028\u2029",
		"\U0001f600",
	} {
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(text); err != nil || b.Len() > written(text) {
			t.Errorf("%q takes %d bytes, reckoned with %d: %v", text, b.Len(), written(text), err)
		}
	}
}

// TestJSONIsHarmless: what a text holds reaches no terminal as a command, and no program in another form.
func TestJSONIsHarmless(t *testing.T) {
	const evil = "\u009b2Jtext\u0085\x7f\u202e"
	var b strings.Builder
	a := Asker{Out: &b, JSON: true}
	if err := a.write(evil, &shape.Result{Matches: []shape.Hit{{Match: shape.Match{Coordinates: shape.Coordinates{ID: evil}}}}}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(strings.TrimSuffix(b.String(), "\n"), evil[:2]+"\u0085\x7f\u202e") {
		t.Errorf("the line %q has a character that is not printable; want none", &b)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil || got["text"] != evil {
		t.Errorf("it is %v, error %v; want the text as it was", got, err)
	}
}

// TestPatient: what waits for a text that does not come ends with its context, and until then reads what comes.
func TestPatient(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _, _ = io.WriteString(out, "a text") }()
	waiting, text := untilDone{ctx, in}, make([]byte, len("a text"))
	if _, err := io.ReadFull(waiting, text); string(text) != "a text" || err != nil {
		t.Errorf("reading patiently gives %q, error %v; want a text and no error", text, err)
	}
	cancel() // only now: what comes at the same moment may be left out
	if rest, err := io.ReadAll(waiting); len(rest) > 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("behind it %q, %v", rest, err)
	}
}
