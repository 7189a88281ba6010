package files_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/paging"
)

var (
	documents = flag.Int("documents", 100_000, "documents that are remembered")
	textWords = flag.Int("words", 250, "words of a text")
	copied    = flag.Float64("copies", 0.3, "copies among the documents")
	verify    = flag.String("verify", "jaccard", "duplicates.verify")
)

const (
	atOnce     = 256 // documents in a record
	vocabulary = 20_000
)

// BenchmarkApply judges documents, of which 30 % are copies of any of those remembered, with all of them in memory and
// with the old ones in files. One operation is one document; signing is not counted.
func BenchmarkApply(b *testing.B) {
	for _, where := range []string{"memory", "files"} {
		b.Run(fmt.Sprintf("documents=%d/in=%s", *documents, where), func(b *testing.B) { benchApply(b, where == "files") })
	}
}

func benchApply(b *testing.B, inFiles bool) {
	b.Helper()
	f := newFeed(b, *documents)
	if inFiles {
		f.open(b.TempDir())
	}
	f.begin()
	debug.FreeOSMemory()
	before := resident(b)
	for f.made < *documents {
		f.sign()
		f.apply()
	}
	debug.FreeOSMemory()
	perDocument := float64(resident(b)-before) / float64(f.pager.Replica.Stats().Documents)
	began, reads, late := f.pager.Replica.Stats(), f.reads.Load(), f.late.Load()
	for i := 0; b.Loop(); i++ {
		if i%atOnce == 0 {
			b.StopTimer()
			f.sign()
			b.StartTimer()
			f.record(&f.run)
			b.StopTimer()
			f.keep()
			b.StartTimer()
		}
	}
	ended := f.pager.Replica.Stats()
	judged := float64(ended.Judged - began.Judged)
	b.ReportMetric(perDocument, "resident-B/doc")
	b.ReportMetric(float64(ended.Memory)/float64(ended.Documents), "index-B/doc")
	b.ReportMetric(float64(f.reads.Load()-reads)/judged, "reads/doc")
	b.ReportMetric(float64(f.late.Load()-late)/judged, "late-reads/doc")
	b.ReportMetric(float64(ended.Duplicate-began.Duplicate)/judged, "duplicates")
}

// feed judges documents that it makes up by their numbers.
type feed struct {
	maker

	t      testing.TB
	params index.Params
	at     index.Stamp
	made   int
	pager  paging.Pager // without a directory all is in memory
	reads  atomic.Int64
	late   atomic.Uint64 // of these, not read ahead
}

// maker makes up a record of documents, and signs them.
type maker struct {
	documents int // remembered
	signer    *index.Signer
	run       index.Run
	copies    int     // of the documents made
	share     float64 // of copies
	other     bool    // copies have a word of their own
	buffer    []byte  // a text
}

var benchSettings = []byte(`{"bench":"files"}`)

func newFeed(t testing.TB, documents int) *feed {
	t.Helper()
	p := index.DefaultParams()
	p.Duplicates.Remember.Documents, p.Duplicates.Remember.Memory, p.Duplicates.Remember.Age = documents, 0, 0
	p.Duplicates.Verify = *verify
	p, err := p.Planned()
	noError(t, err)
	replica, err := index.NewReplica(p, index.Fingerprint(benchSettings))
	noError(t, err)
	f := &feed{t: t, params: p, maker: newMaker(t, p, documents)}
	f.pager = paging.Pager{Replica: replica, Mend: func(_ context.Context, bad map[string]error) error {
		return fmt.Errorf("read files: %v", bad)
	}, Reads: func(int) { f.reads.Add(1) }, Late: &f.late}
	return f
}

func newMaker(t testing.TB, p index.Params, documents int) maker {
	t.Helper()
	signer, err := index.NewSigner(p)
	noError(t, err)
	m := maker{documents: documents, signer: signer, share: *copied, other: true}
	m.run.Fingerprint, m.run.Source, m.run.Epoch = index.Fingerprint(benchSettings), entry.Source{Topic: [16]byte{1}}, 1
	return m
}

// open has old documents lie in a directory.
func (f *feed) open(path string) {
	var err error
	f.pager.Directory, err = files.Open(path, files.Owner{Group: "bench"})
	noError(f.t, err)
	f.t.Cleanup(func() { noError(f.t, f.pager.Directory.Close()) })
}

// begin begins the journal.
func (f *feed) begin() {
	f.record(&index.Settings{Text: benchSettings})
	f.record(&index.Reposition{Header: f.run.Header, Source: f.run.Source, Name: "bench", Partitions: 1, Epoch: 1})
}

// text makes the text of a document. A copy is the text of one that is none, with another word in it.
func (m *maker) text(number int) []byte {
	from, other := uint64(number), -1
	if r, is := m.isCopy(from); is {
		m.copies++
		for is {
			from = uint64(number) - 1 - r.Uint64N(min(uint64(number), uint64(m.documents)))
			_, is = m.isCopy(from)
		}
		if m.other {
			other = r.IntN(*textWords)
		}
	}
	r := rand.New(rand.NewPCG(from, 3))
	m.buffer = m.buffer[:0]
	for i := range *textWords {
		word := r.IntN(vocabulary)
		if i == other {
			word = vocabulary
		}
		m.buffer = append(strconv.AppendInt(m.buffer, int64(word), 36), ' ')
	}
	return m.buffer
}

// isCopy says whether a document is a copy, and returns what decides of what. The first documents are none.
func (m *maker) isCopy(number uint64) (*rand.Rand, bool) {
	r := rand.New(rand.NewPCG(number, 2))
	return r, r.Float64() < m.share && number >= atOnce
}

// sign makes the documents of the next record.
func (f *feed) sign() { f.signs(atOnce) }

func (f *feed) signs(n int) {
	f.maker.sign(f.made, n)
	f.made += n
}

// sign makes the record of n documents from the given number on.
func (m *maker) sign(from, n int) {
	m.run.Base, m.run.Entries = int64(from), m.run.Entries[:0]
	m.signer.Reset()
	for number := from; number < from+n; number++ {
		var e entry.Entry
		m.signer.Sign(&e, m.text(number))
		e.Offset, e.ID = int64(number), fmt.Appendf(nil, "%016d", number)
		m.run.Entries = append(m.run.Entries, e)
	}
}

func (f *feed) apply() {
	f.record(&f.run)
	f.keep()
}

// keep has old documents lie in files.
func (f *feed) keep() {
	if f.pager.Directory == nil {
		return
	}
	noError(f.t, paging.Keep(f.t.Context(), f.pager.Directory, f.pager.Replica.Files()))
}

func (f *feed) record(rec index.Record) {
	f.at.Offset++
	f.at.LogAppendTime = 1_700_000_000_000 + f.at.Offset
	_, err := f.pager.Apply(f.t.Context(), f.at, rec)
	noError(f.t, err)
}

func resident(b testing.TB) int64 {
	b.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	noError(b, err)
	var size, pages int64
	_, err = fmt.Sscan(string(text), &size, &pages)
	noError(b, err)
	return pages * int64(os.Getpagesize())
}
