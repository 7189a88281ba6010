package recent

import (
	"fmt"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

func all(*Copy) bool { return true }

// add judges a run of three documents, the second of which is a copy.
func add(c *Copies, n int64) {
	run := &index.Run{Source: entry.Source{Partition: 3}, Entries: []entry.Entry{
		{Offset: n, ID: []byte("unique")}, {Offset: n + 1, Time: 7, ID: fmt.Appendf(nil, "copy%d", n)}, {Offset: n + 2},
	}}
	verdicts := make([]index.Verdict, 3)
	for i := range verdicts {
		verdicts[i] = index.Verdict{Offset: n + int64(i), Position: entry.Position{Offset: 50, Entry: int32(i)}}
	}
	verdicts[1].Match = index.Match{Method: compare.Jaccard, Offset: 2, Similarity: compare.Similarity{Num: 9, Den: 10}}
	c.Add(index.Stamp{Offset: 50, LogAppendTime: 1000 + n}, run, verdicts, func(entry.Source) string { return "news" })
}

func numbers(copies []Copy) (out []uint64) {
	for _, c := range copies {
		out = append(out, c.Number)
	}
	return out
}

func lastOf(c *Copies, most int, pass func(*Copy) bool) []Copy {
	out, _ := c.Last(most, pass)
	return out
}

func TestCopies(t *testing.T) {
	var c Copies
	if out, next, missed := c.After(5, 10, all); len(out) > 0 || next != 0 || missed != 0 || len(lastOf(&c, 5, all)) > 0 {
		t.Errorf("nothing was found yet: %v, %d, %d", out, next, missed)
	}
	for n := range int64(3) {
		add(&c, n)
	}
	last, count := c.Last(2, all)
	want := Copy{
		Number: 3, Judged: 1002, Source: entry.Source{Partition: 3}, Topic: "news", Offset: 3, Time: 7, ID: "copy2",
		Position: entry.Position{Offset: 50, Entry: 1},
		Match:    index.Match{Method: compare.Jaccard, Offset: 2, Similarity: compare.Similarity{Num: 9, Den: 10}},
	}
	if count != 3 || len(last) != 2 || last[0] != want || last[1].Number != 2 || last[1].ID != "copy1" {
		t.Errorf("the last two of %d are %+v", count, last)
	}
	odd := func(c *Copy) bool { return c.Number%2 == 1 }
	if out := numbers(lastOf(&c, 5, odd)); fmt.Sprint(out) != "[3 1]" {
		t.Errorf("the odd ones are %v", out)
	}
	if out, next, missed := c.After(1, 1, all); fmt.Sprint(numbers(out)) != "[2]" || next != 2 || missed != 0 {
		t.Errorf("after the first: %v, %d, %d", numbers(out), next, missed)
	}
	if out, next, missed := c.After(99, 1, all); len(out) > 0 || next != 3 || missed != 0 {
		t.Errorf("after one that is to come: %v, %d, %d", numbers(out), next, missed)
	}
}

// TestCopiesAreBounded: the oldest are forgotten, and who reads on behind one of them hears how many.
func TestCopiesAreBounded(t *testing.T) {
	var c Copies
	for n := range int64(Kept + 20) {
		add(&c, n)
	}
	out, next, missed := c.After(5, Kept*2, all)
	if len(out) != Kept || out[0].Number != 21 || out[Kept-1].Number != Kept+20 || next != Kept+20 || missed != 15 ||
		c.Count() != Kept+20 {
		t.Errorf("%d copies from %d, next %d, %d missed", len(out), out[0].Number, next, missed)
	}
	if last := lastOf(&c, Kept*2, all); len(last) != Kept || last[0].Number != Kept+20 || last[Kept-1].Number != 21 {
		t.Errorf("%d copies", len(last))
	}
}

func BenchmarkAdd(b *testing.B) {
	var c Copies
	b.ReportAllocs()
	run := &index.Run{Entries: []entry.Entry{{ID: []byte("https://example.com/a/document")}}}
	verdicts := []index.Verdict{{Match: index.Match{Method: compare.Jaccard}}}
	name := func(entry.Source) string { return "news" }
	for b.Loop() {
		c.Add(index.Stamp{}, run, verdicts, name)
	}
}

// TestErase: neither a copy that was erased nor one of a document that was is told any more. The others keep their
// numbers.
func TestErase(t *testing.T) {
	var c Copies
	for n := range int64(4) {
		run := &index.Run{Entries: []entry.Entry{{Offset: n, ID: []byte("secret")}}}
		v := index.Verdict{
			Offset: n, Position: entry.Position{Offset: 60 + n},
			Match: index.Match{Method: compare.Jaccard, Position: entry.Position{Offset: n}},
		}
		c.Add(index.Stamp{Offset: 60 + n}, run, []index.Verdict{v}, func(entry.Source) string { return "news" })
	}
	c.Erase([]entry.Position{{Offset: 61}, {Offset: 2}, {Offset: 60, Entry: 1}})
	if got := numbers(lastOf(&c, 9, all)); fmt.Sprint(got) != "[4 1]" {
		t.Errorf("the last are %v", got)
	}
	if out, next, missed := c.After(0, 9, all); fmt.Sprint(numbers(out)) != "[1 4]" || next != 4 || missed != 0 {
		t.Errorf("after none: %v, %d, %d", numbers(out), next, missed)
	}
	if _, ok := c.Find("news", 0, 1); ok || c.Count() != 4 {
		t.Errorf("it is found; count %d", c.Count())
	}
	for n := range int64(Kept) { // their places are used again
		add(&c, n)
	}
	if got := lastOf(&c, Kept+1, all); len(got) != Kept {
		t.Errorf("%d copies are told", len(got))
	}
}
