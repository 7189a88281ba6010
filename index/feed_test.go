package index_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// feed makes up signed documents by their number and has a replica judge them, in runs. A document is a new one, or a
// copy of one that the window holds: equal in its keys and its sketch, but not in its text.
type feed struct {
	replica    *index.Replica
	params     index.Params
	random     *rand.Rand
	duplicates float64 // share
	held       int     // a copy is of one of this many new documents before it
	made       uint64  // new documents so far
	hot        bool    // all have the same band keys
	unlike     float64 // documents of those held that share a band key with a document, and nothing else
	requests   bool    // each came with an idempotency key
	record     index.Run
	at         index.Stamp
	noise      []byte
}

const (
	runEntries = 512
	idBytes    = 16
)

// estimating returns the default settings with the sketch as evidence and a window of this many documents.
func estimating(held int) index.Params {
	p := index.DefaultParams()
	p.Duplicates.Verify = "estimate"
	p.Duplicates.Remember.Memory, p.Duplicates.Remember.Age, p.Duplicates.Remember.Documents = 0, 0, held
	return p
}

// keysOf returns the bytes of the band keys of a document, by planned settings.
func keysOf(p index.Params) int {
	banding, err := p.Duplicates.Banding()
	if err != nil {
		panic(err)
	}
	return banding.Bands * entry.KeyBytes
}

func newFeed(tb testing.TB, p index.Params, held int, duplicates float64) *feed {
	tb.Helper()
	p, err := p.Planned()
	if err != nil {
		tb.Fatal(err)
	}
	replica, err := index.NewReplica(p, index.Fingerprint(settings))
	if err != nil {
		tb.Fatal(err)
	}
	f := &feed{replica: replica, params: p, random: rand.New(rand.NewPCG(1, 2)), duplicates: duplicates, held: held}
	source := entry.Source{Topic: [16]byte{1}}
	header := index.Header{Fingerprint: index.Fingerprint(settings)}
	replica.Apply(f.at, &index.Settings{Text: settings})
	f.at.Offset++
	replica.Apply(f.at, &index.Reposition{Header: header, Source: source, Name: "news", Epoch: 1})
	f.record = index.Run{Header: header, Source: source, Epoch: 1, Entries: make([]entry.Entry, runEntries)}
	for i := range f.record.Entries {
		e := &f.record.Entries[i]
		e.Kind, e.Keys, e.ID = entry.Sketch, make([]byte, keysOf(p)), make([]byte, idBytes)
		e.Evidence = make([]byte, p.Duplicates.Slots/2)
		e.Digest = e.Evidence[:entry.DigestBytes]
	}
	return f
}

// fill judges this many new documents.
func (f *feed) fill(documents int) {
	share := f.duplicates
	f.duplicates = 0
	for begin := f.made; f.made < begin+uint64(documents); {
		f.make()
		f.apply()
	}
	f.duplicates = share
}

// make makes up the next run.
func (f *feed) make() {
	f.at.Offset++
	f.at.LogAppendTime++
	f.record.Base = f.record.Entries[runEntries-1].Offset
	for i := range f.record.Entries {
		e := &f.record.Entries[i]
		e.Offset, e.Time, e.Content = f.record.Base+int64(i)+1, 1_700_000_000_000+f.at.Offset, f.random.Uint64()
		binary.LittleEndian.PutUint64(e.ID, uint64(e.Offset))
		of := f.made
		if f.held > 0 && f.made > uint64(f.held) && f.random.Float64() < f.duplicates {
			of -= 1 + f.random.Uint64N(uint64(f.held))
		} else {
			f.made++
		}
		f.document(e, of)
		if f.requests {
			binary.LittleEndian.PutUint64(e.Request[:], uint64(e.Offset)+1)
		}
	}
}

// document writes keys and sketch of the document of a number.
func (f *feed) document(e *entry.Entry, number uint64) {
	var r rand.PCG
	r.Seed(number, 7)
	randomize(&r, e.Keys)
	randomize(&r, e.Evidence)
	if f.hot {
		clear(e.Keys)
	}
	if f.unlike > 0 {
		f.share(&r, e.Keys)
	}
}

// share draws each band key from as many as make a document share one with unlike others.
func (f *feed) share(r *rand.PCG, keys []byte) {
	width := entry.KeyBytes
	bands := len(keys) / width
	for b := range bands {
		key := r.Uint64() % uint64(float64(f.held*bands)/f.unlike) * 0x9e3779b97f4a7c15
		var all [8]byte
		binary.LittleEndian.PutUint64(all[:], key>>16)
		copy(keys[b*width:], all[:width])
	}
}

func (f *feed) apply() {
	if effect := f.replica.Apply(f.at, &f.record); len(effect.Judged) != runEntries {
		panic("not judged")
	}
}

// bench judges one document per iteration, in runs, and does not measure the making of the runs.
func (f *feed) bench(b *testing.B) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%runEntries == 0 {
			b.StopTimer()
			f.make()
			b.StartTimer()
			f.apply()
		}
	}
}

func randomize(r interface{ Uint64() uint64 }, b []byte) {
	var all [8]byte
	for len(b) > 0 {
		binary.LittleEndian.PutUint64(all[:], r.Uint64())
		b = b[copy(b, all[:]):]
	}
}
