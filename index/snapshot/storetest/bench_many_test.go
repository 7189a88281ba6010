package storetest_test

import (
	"os"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/storetest"
)

// BenchmarkMany takes a snapshot of a window of UNECHO_BENCH_DOCUMENTS (a million) small documents, a quarter of which
// have copies, into a directory, and restores it. Run it once (-benchtime 1x). 60 million documents take some 5 GiB of
// memory; they are too many for a side table within the manifest.
func BenchmarkMany(b *testing.B) {
	n := 1_000_000
	if text := os.Getenv("UNECHO_BENCH_DOCUMENTS"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		must(b, err)
	}
	for b.Loop() {
		store, _ := openDirectory(b)
		m := writeMany(b, n, store)
		debug.FreeOSMemory() // release the captured replica: only one is held at a time
		began := time.Now()
		state, err := index.NewRestore(manyParams(b, n), m.Fingerprint, m.State)
		must(b, err)
		replica, err := snapshot.Restore(b.Context(), store, &m, state)
		must(b, err)
		b.ReportMetric(float64(n)/time.Since(began).Seconds(), "restored-docs/s")
		sameParts(b, replica, &m)
	}
}

func manyParams(b *testing.B, n int) index.Params { return storetest.NewSlimStream(b, n, 0).Params }

func writeMany(b *testing.B, n int, store snapshot.Store) snapshot.Manifest {
	b.Helper()
	f := storetest.NewSlimStream(b, n, 5)
	began := time.Now()
	for f.Replica.Stats().Documents < n {
		f.Judge(100_000)
	}
	b.ReportMetric(time.Since(began).Seconds(), "fill-s")
	began = time.Now()
	m := write(b, f, f.Writer(store), store)
	documents, bytes := m.Totals()
	if int(documents) < n {
		b.Fatalf("%d documents of %d", documents, n)
	}
	b.ReportMetric(float64(documents)/time.Since(began).Seconds(), "written-docs/s")
	b.ReportMetric(float64(bytes)/float64(documents), "B/doc")
	b.ReportMetric(float64(len(m.Encode())), "manifest-B")
	b.ReportMetric(float64(len(m.Segments)), "segments")
	return m
}

// sameParts expects a restored replica to have what its snapshot names, byte by byte.
func sameParts(b *testing.B, replica *index.Replica, m *snapshot.Manifest) {
	b.Helper()
	capture := replica.Capture()
	if string(capture.State()) != string(m.State) || len(capture.Segments) != len(m.Segments) {
		b.Fatalf("another state, or %d parts of %d", len(capture.Segments), len(m.Segments))
	}
	var data []byte
	for i := range capture.Segments {
		if data = capture.Segments[i].Append(data[:0]); snapshot.SegmentName(data) != m.Segments[i].Name {
			b.Fatalf("part %d is another one", i)
		}
	}
}
