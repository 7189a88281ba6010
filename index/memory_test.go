package index_test

import (
	"flag"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

var large = flag.Bool("large", false, "windows of a GiB and of 10 million documents as well: minutes, and 5 GB")

// phase is a part of the stream in which documents have evidence of this many bytes.
type phase struct {
	name     string
	evidence func(r *rand.Rand) int
	turns    float64 // of the window
}

var phases = []phase{
	{"sketches", func(*rand.Rand) int { return 128 }, 2.5},
	{"shingles", func(r *rand.Rand) int { return 300 + r.IntN(1200) }, 1.5},
	{"texts", func(r *rand.Rand) int { return int(200 * (1 + r.ExpFloat64()*10)) }, 1.5},
	{"sketches again", func(*rand.Rand) int { return 128 }, 1.5},
}

// TestBytesAreAPromise replaces the content of a window bounded by bytes several times, with documents that become
// larger and smaller. The memory that it takes stays below the bound at any time, and Stats reports it correctly.
func TestBytesAreAPromise(t *testing.T)     { tryBytes(t, phases[1:3]) }
func TestBytesAreAPromiseLong(t *testing.T) { tryBytes(t, phases) }

func tryBytes(t *testing.T, phases []phase) {
	// a page of lines and one of spilled lines in each band are too much for a window this small
	const pages = 2 * 18 << 17
	bound := int64(48 * setting.MiB)
	allowed := bound + bound/20 + pages
	if *large {
		bound = int64(setting.GiB)
		allowed = bound + bound/20
	}
	before := heap()
	f := newFeed(t, bounded(setting.Bytes(bound)), 0, 0)
	most, least := int64(0), bound
	f.turn(bound, phases, func(name string) {
		taken := heap() - before
		most = max(most, taken)
		if s := f.replica.Stats(); s.WindowBytes > bound/2 {
			least = min(least, taken)
			if off := taken - s.Memory; off < -bound/20 || off > bound/20+pages/4 {
				t.Errorf("%s: the heap grew by %d bytes, Stats says %d", name, taken, s.Memory)
			}
		}
		if taken > allowed {
			t.Errorf("%s: %d bytes are taken where %d are allowed", name, taken, allowed)
		}
	})
	t.Logf("a bound of %d bytes: %d at most (%.1f %%)", bound, most, 100*float64(most)/float64(bound))
	if most < bound*8/10 {
		t.Errorf("%d bytes at most: the promise is kept by taking too little", most)
	}
}

// TestBytesOfCopiesAreAPromise: duplicates.remember.memory also counts the memory that the settings for copies take.
func TestBytesOfCopiesAreAPromise(t *testing.T) {
	tryBytesOfCopies(t, 12*setting.MiB, "refresh, keep and reemit")
}

func TestBytesOfCopiesAreAPromiseLong(t *testing.T) {
	tryBytesOfCopies(t, 48*setting.MiB, "refresh", "keep", "reemit", "refresh, keep and reemit")
}

func tryBytesOfCopies(t *testing.T, bound setting.Bytes, names ...string) {
	const pages = 2 * 18 << 17 // as above
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			p, bound := bounded(bound), int64(bound)
			if strings.Contains(name, "refresh") {
				p.Duplicates.Remember.Refresh = "last"
			}
			if strings.Contains(name, "keep") {
				p.Duplicates.CompareCopies = true
			}
			if strings.Contains(name, "reemit") {
				p.Duplicates.Remember.ReemitEvery = time.Millisecond
			}
			before := heap()
			f := newFeed(t, p, int(bound/800), 0.5)
			most := int64(0)
			for range bound * 14 / int64(48*setting.MiB) { // more than a turn of the window
				for range 30 {
					f.make()
					f.apply()
				}
				most = max(most, heap()-before)
			}
			s := f.replica.Stats()
			t.Logf("%d bytes at most for a bound of %d; %d documents, %d duplicates, %d let through", most, bound, s.Documents,
				s.Duplicate, s.Reemitted)
			if most > bound+bound/20+pages {
				t.Errorf("%d bytes are taken for a bound of %d", most, bound)
			}
		})
	}
}

// TestLargeDocumentsKeepThePromise: segments that are sealed because a large document did not fit give back their
// unused memory.
func TestLargeDocumentsKeepThePromise(t *testing.T) {
	const pages = 2 * 18 << 17 // as above
	bound := int64(48 * setting.MiB)
	f := newFeed(t, bounded(setting.Bytes(bound)), 0, 0)
	most := int64(0)
	for range 4 { // a run turns the window
		f.make()
		for i := range f.record.Entries {
			f.record.Entries[i].Evidence = f.evidence(100_000) // three fit into a segment, and a quarter of it stays unused
		}
		f.apply()
		most = max(most, f.replica.Stats().Memory)
	}
	if most > bound+bound/20+pages {
		t.Errorf("%d bytes are taken for a bound of %d", most, bound)
	}
}

// TestPartsAddUp compares what a plan says with what the window counts and what a snapshot holds, and that with the memory
// of a full window.
func TestPartsAddUp(t *testing.T) {
	const documents = 50_000
	f := newFeed(t, estimating(documents), 0, 0)
	f.fill(documents)
	e := &f.record.Entries[0]
	parts, s := index.PartsOf(f.params, e), f.replica.Stats()
	if parts.Sum() != index.EntryBytes(f.params, e) || parts.Evidence != 73 || parts.Keys != 40 || parts.ID != 17 ||
		parts.Buckets != 11*8 {
		t.Errorf("the parts of an entry are %+v, %d bytes in all; want %d, with 73 of evidence, 40 of keys, 17 of the id and 88 of buckets",
			parts, parts.Sum(), index.EntryBytes(f.params, e))
	}
	per := float64(s.WindowBytes) / float64(s.Documents)
	if planned := float64(parts.Sum()); per > planned || per < planned-2 { // offsets and times are of different lengths
		t.Errorf("the window counts %.1f bytes a document, planned are %.0f", per, planned)
	}
	c, stored := f.replica.Capture(), 0
	for i := range c.Segments {
		stored += len(c.Segments[i].Append(nil))
	}
	if in := float64(stored) / float64(s.Documents); in > float64(parts.Stored()) || in < float64(parts.Stored())*0.95 {
		t.Errorf("a snapshot has %.1f bytes a document, planned are %d", in, parts.Stored())
	}
	restored, err := index.RestoredBytes(f.params, int64(s.Documents), int64(stored))
	if in := float64(restored) / float64(s.WindowBytes); err != nil || in > 1 || in < 0.95 {
		t.Errorf("a snapshot is restored to %d bytes, error %v; the window has %d", restored, err, s.WindowBytes)
	}
	if taken := float64(s.Memory) / float64(s.Documents); taken < per*0.9 || taken > per*1.2 {
		t.Errorf("%.0f bytes a document are taken, %.0f are counted", taken, per)
	}
}

// bounded are the settings of a window that only bytes bound.
func bounded(bytes setting.Bytes) index.Params {
	p := estimating(0)
	p.Duplicates.Remember = index.RememberParams{Memory: bytes, Clock: "arrival", Tolerance: time.Minute, Refresh: "first"}
	return p
}

// turn goes through the phases, and calls look several times in each.
func (f *feed) turn(bound int64, phases []phase, look func(phase string)) {
	for _, p := range phases {
		var bytes, looked int64
		for end := int64(p.turns * float64(bound)); bytes < end; {
			f.make()
			for i := range f.record.Entries {
				e := &f.record.Entries[i]
				e.Evidence = f.evidence(p.evidence(f.random))
				bytes += index.EntryBytes(f.params, e)
			}
			f.apply()
			if bytes-looked > bound/8 {
				look(p.name)
				looked = bytes
			}
		}
	}
}

func (f *feed) evidence(n int) []byte {
	if n > len(f.noise) {
		f.noise = make([]byte, 2*n)
		randomize(f.random, f.noise)
	}
	return f.noise[:n]
}

// heap returns the bytes in use after a garbage collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse)
}

// TestFewDocumentsTakeSmallBlocks: in a window bounded to few documents, blocks stay small even if duplicates.remember.memory is
// large.
func TestFewDocumentsTakeSmallBlocks(t *testing.T) {
	const turn = 5000
	p := bounded(setting.GiB)
	p.Duplicates.Remember.Documents = 1000
	f := newFeed(t, p, p.Duplicates.Remember.Documents, 0)
	f.fill(turn)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f.fill(turn)
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / turn; each > 4096 {
		t.Errorf("%d bytes are allocated for a document of few hundred", each)
	}
}
