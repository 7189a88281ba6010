package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// long makes texts of thousands of words by their numbers. Every tenth one is that of an earlier number.
type long struct {
	r    *rand.Rand
	made int
}

// longWords is how many words a text has: of two letters each, so that memory has half of what Kafka is sent.
const longWords = 3000

func (l *long) text() []byte {
	number := l.made
	if l.made++; number%10 == 9 {
		number = l.r.IntN(number)
		number -= number % 10 // which is no copy
	}
	r := rand.New(rand.NewPCG(uint64(number), 17))
	text := make([]byte, 0, 3*longWords)
	for range longWords {
		text = append(text, 'a'+byte(r.IntN(26)), 'a'+byte(r.IntN(26)), ' ')
	}
	return text
}

// comesLong sends n long texts, and waits for them.
func (f *filing) comesLong(l *long, n int) {
	f.t.Helper()
	const batch = 5000
	for partitions := len(f.partitions()); n > 0; n -= batch {
		records := make([]*kgo.Record, min(n, batch))
		for i := range records {
			text := l.text()
			records[i] = &kgo.Record{Partition: int32(l.made % partitions), Key: fmt.Append(nil, l.made), Value: text}
		}
		f.send(records...)
		f.settled()
	}
}

// Of two processes on one journal one has its old documents in files. It never takes more than a tenth of what the window takes
// in memory, and what a process takes beside its window. A checkpoint finds the replicas to have equal hashes. Of texts of
// 3000 words it is 5 percent by window.SizingOf. Of texts of 250 words it is 15 in any window of so few segments as a test has,
// as of 128 segments 25 are found by tables.
func TestTenthOfTheWindow(t *testing.T)     { tenthOfTheWindow(t, 8_000) } // too few for the bound to show much
func TestTenthOfTheWindowLong(t *testing.T) { tenthOfTheWindow(t, 100_000) }

func tenthOfTheWindow(t *testing.T, remembered int) {
	t.Helper()
	t.Parallel()
	// besidesMiB is what this process takes beside its window, at most: its program, the buffers of the Kafka clients, the documents
	// on their way, and the garbage of these that GOMEMLIMIT allows.
	const besidesMiB = 192
	s := newScene(t, 6)
	s.configure(s.inDirectory(), fmt.Sprintf("duplicates: {remember: {documents: %d}}", remembered))
	f := filingOf(s)
	f.program, f.limit = plain(t), fmt.Sprintf("%dMiB", besidesMiB-32)
	f.begin(inMemory)
	f.begin(inFiles)
	l := &long{r: rand.New(rand.NewPCG(3, 17))}
	f.comesLong(l, remembered*6/5)
	f.blocks()
	f.equal()
	is := func(process, name string) float64 { return metric(t.Context(), t, f.ops[process], name) }
	window := is(inMemory, "unecho_window_memory_bytes")
	bound := int(window/10)>>20 + besidesMiB
	t.Logf("%.0f documents take %.0f MiB in memory, and %.0f MiB where %.0f of them lie in files; %d and %d MiB were resident at most",
		is(inMemory, "unecho_window_documents"), window/(1<<20), is(inFiles, "unecho_window_memory_bytes")/(1<<20),
		is(inFiles, "unecho_files_documents"), f.by[inMemory].peak(), f.by[inFiles].peak())
	if strings.HasSuffix(t.Name(), "Long") && 2*bound > int(window)>>20 {
		t.Fatalf("the window takes %.0f MiB in memory: too little for a bound of %d to show anything", window/(1<<20), bound)
	}
	f.noMore(f.by[inFiles], bound)
	if n := is(inFiles, "unecho_files_reads_total"); n <= 0 {
		t.Error("no old document was read for a copy of it")
	}
	stopAll(t, patience, f.by[inMemory], f.by[inFiles])
}
