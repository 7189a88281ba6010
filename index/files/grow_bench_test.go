package files_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
)

var (
	kept = flag.String("kept", "", "directory in which BenchmarkGrow keeps its window, and goes on from it; memory: all is in memory, and nothing is kept")
	most = flag.Duration("most", time.Hour, "time after which BenchmarkGrow stops, to be gone on with")
	fill = flag.Int("fill", 0, "documents that BenchmarkGrow enters first, without a look at old ones")
)

// BenchmarkGrow judges documents until a number of them is remembered, the old ones in files, in stages: each goes on with
// what the one before it has kept. One operation is one stage, so run it with -benchtime 1x and -timeout 0. Signing and the
// making of texts is not counted, nor is the writing of files: a member does that beside judging. It says the hash after
// each million, by which two runs are seen to have the same state.
//
// With -fill the first stages bring the window near its size in less time: their documents are no copies, filters say no, and
// nothing is read. The state is that of a run that looks for these documents, because they are like none.
func BenchmarkGrow(b *testing.B) {
	if *kept == "" {
		b.Skip("it wants a directory: -kept")
	}
	for b.Loop() {
		f := newFeed(b, *documents)
		began := time.Now()
		s := stage{f: f, path: *kept}
		if *kept == "memory" {
			f.begin()
			s.grow(began.Add(*most))
			s.report(b)
			continue
		}
		f.open(s.at("files"))
		if s.resume() {
			b.ReportMetric(time.Since(began).Seconds(), "restart-s")
		} else {
			f.begin()
		}
		s.filling = f.pager.Replica.Stats().Documents < *fill
		s.grow(began.Add(*most))
		s.save()
		s.report(b)
	}
}

// stage is one run of a benchmark that takes hours.
type stage struct {
	f       *feed
	path    string
	filling bool

	judged, copies, duplicates, reads, late int // in this stage
	judging, filing                         time.Duration
}

// grow judges documents until enough are remembered, or it is late.
func (s *stage) grow(end time.Time) {
	f := s.f
	reads, late, began := f.reads.Load(), f.late.Load(), f.pager.Replica.Stats()
	makers, enough := make([]maker, runtime.GOMAXPROCS(0)), *documents
	for i := range makers {
		makers[i] = newMaker(f.t, f.params, f.documents)
		if s.filling {
			makers[i].share, enough = 0, *fill
		}
	}
	for next := 0; f.pager.Replica.Stats().Documents < enough && time.Now().Before(end); {
		var signing sync.WaitGroup
		for i := range makers {
			from := f.made + i*atOnce
			signing.Go(func() { makers[i].sign(from, atOnce) })
		}
		signing.Wait()
		for i := range makers {
			s.judge(&makers[i].run)
		}
		if n := f.made / 1_000_000; n != next {
			next = n
			fmt.Fprintf(os.Stderr, "%d million judged, hash %016x, %v judging, %v writing, %d MiB resident\n",
				n, f.pager.Replica.Hash(), s.judging.Round(time.Second), s.filing.Round(time.Second), resident(f.t)>>20)
		}
	}
	ended := f.pager.Replica.Stats()
	s.judged, s.duplicates = int(ended.Judged-began.Judged), int(ended.Duplicate-began.Duplicate)
	s.reads, s.late = int(f.reads.Load()-reads), int(f.late.Load()-late)
	for i := range makers {
		s.copies += makers[i].copies
	}
}

// judge judges the documents of a record.
func (s *stage) judge(r *index.Run) {
	f := s.f
	if s.filling {
		for _, b := range f.pager.Replica.Files().Blocks() {
			b.Postings().Answer(false)
		}
	}
	started := time.Now()
	f.record(r)
	judged := time.Now()
	f.made += len(r.Entries)
	f.keep()
	s.judging += judged.Sub(started)
	s.filing += time.Since(judged)
}

func (s *stage) report(b *testing.B) {
	stats := s.f.pager.Replica.Stats()
	debug.FreeOSMemory()
	n := float64(s.judged)
	b.ReportMetric(float64(stats.Documents), "documents")
	b.ReportMetric(n/s.judging.Seconds(), "judged/s")
	b.ReportMetric(n/(s.judging+s.filing).Seconds(), "judged+written/s")
	b.ReportMetric(float64(s.reads)/n, "reads/doc")
	b.ReportMetric(float64(s.late)/n, "late-reads/doc")
	b.ReportMetric(float64(s.duplicates)/float64(s.copies), "found/copies")
	b.ReportMetric(float64(stats.Memory)/float64(stats.Documents), "index-B/doc")
	b.ReportMetric(float64(resident(b))/float64(stats.Documents), "resident-B/doc")
	if s.f.pager.Directory != nil {
		_, bytes, err := s.f.pager.Directory.Usage()
		noError(b, err)
		b.ReportMetric(float64(bytes)/float64(stats.Documents), "disk-B/doc")
	}
	runtime.KeepAlive(s.f)
}

// progress is what a stage keeps beside the window.
type progress struct {
	Made int
	At   index.Stamp
}

func (s *stage) at(name string) string { return filepath.Join(s.path, name) }

// save keeps the window: its manifest, and the segments that do not lie in the directory of files.
func (s *stage) save() {
	b := s.f.t
	store := newStored(b, s.f.pager.Replica, s.f.pager.Directory)
	noError(b, os.RemoveAll(s.at("rest")))
	noError(b, os.MkdirAll(s.at("rest"), 0o700))
	for name, data := range store.segments {
		noError(b, os.WriteFile(filepath.Join(s.at("rest"), name), data, 0o600))
	}
	noError(b, os.WriteFile(s.at("manifest"), store.manifest.Encode(), 0o600))
	data, err := json.Marshal(progress{s.f.made, s.f.at})
	noError(b, err)
	noError(b, os.WriteFile(s.at("progress"), data, 0o600))
}

// resume goes on with what the stage before has kept, and returns false if there is none.
func (s *stage) resume() bool {
	f := s.f
	data, err := os.ReadFile(s.at("progress"))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	noError(f.t, err)
	var p progress
	noError(f.t, json.Unmarshal(data, &p))
	data, err = os.ReadFile(s.at("manifest"))
	noError(f.t, err)
	m, err := snapshot.DecodeManifest(data)
	noError(f.t, err)
	state, err := index.NewRestore(f.params, index.Fingerprint(benchSettings), m.State)
	noError(f.t, err)
	f.pager.Replica, err = snapshot.Restore(f.t.Context(), rest{path: s.at("rest")}, f.pager.Directory, &m, state, nil)
	noError(f.t, err)
	f.made, f.at = p.Made, p.At
	return true
}

// rest is a store of the segments that do not lie in the directory of files.
type rest struct {
	snapshot.Store
	path string
}

func (r rest) Segment(_ context.Context, name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(r.path, name))
}
