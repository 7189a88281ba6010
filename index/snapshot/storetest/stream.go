package storetest

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/snapshot"
)

// Stream makes up signed documents and lets a replica judge them: with the default plan, verified by the estimate, and
// ids of 16 bytes.
type Stream struct {
	Params      index.Params
	Fingerprint uint64
	Replica     *index.Replica

	copies int // one document in this many is a copy of an earlier one; 0 is none
	keep   bool
	random *rand.PCG
	at     index.Stamp
	base   int64
	log    []index.Record // if kept: the records applied, by journal offset
}

// NewStream makes a stream with a window of this many documents. One in copies is a copy; 0 is none.
func NewStream(t testing.TB, held, copies int) *Stream {
	t.Helper()
	p := index.DefaultParams()
	p.Duplicates.Verify, p.Duplicates.Slots, p.Duplicates.Bands, p.Duplicates.Rows = "estimate", 256, 18, 7
	p.Duplicates.Remember.Age, p.Duplicates.Remember.Memory, p.Duplicates.Remember.Documents = 0, 0, held
	settings := []byte(`{"test":"feed"}`)
	f := &Stream{Params: p, Fingerprint: index.Fingerprint(settings), copies: copies, random: rand.NewPCG(1, 2)}
	var err error
	f.Replica, err = index.NewReplica(p, f.Fingerprint)
	must(t, err)
	f.keep = held <= 10_000
	f.apply(&index.Settings{Text: settings})
	f.apply(&index.Reposition{Header: f.header(), Source: f.source(), Name: "news", Epoch: 1})
	return f
}

func (f *Stream) header() index.Header { return index.Header{Fingerprint: f.Fingerprint} }
func (*Stream) source() entry.Source   { return entry.Source{Topic: [16]byte{1}} }

func (f *Stream) apply(rec index.Record) {
	f.Replica.Apply(f.at, rec)
	f.at.Offset++
	if f.keep {
		f.log = append(f.log, rec)
	}
}

// Judge judges this many documents, in runs of 100.
func (f *Stream) Judge(documents int) {
	const length = 100
	for range documents / length {
		run := &index.Run{
			Header: f.header(), Source: f.source(), Epoch: 1, Base: f.base,
			Entries: make([]entry.Entry, length),
		}
		for i := range run.Entries {
			run.Entries[i] = f.document(f.base + int64(i))
			if f.copies > 0 && i%f.copies == f.copies-1 {
				run.Entries[i].Keys, run.Entries[i].Evidence = run.Entries[i-1].Keys, run.Entries[i-1].Evidence
			}
		}
		f.base += length
		f.apply(run)
	}
}

// Erase erases the document of the window with this number, and returns the id that it had.
func (f *Stream) Erase(number uint64) (id []byte) {
	var target entry.Position
	f.Replica.Each(func(d *index.Remembered) {
		if d.Number == number {
			target, id = d.Judged, bytes.Clone(d.Entry.ID)
		}
	})
	f.apply(&index.Erase{Header: f.header(), Targets: []entry.Position{target}})
	return id
}

// Evidence returns the id and the evidence of the document with a number.
func (f *Stream) Evidence(number uint64) (id, evidence []byte) {
	f.Replica.Each(func(d *index.Remembered) {
		if d.Number == number {
			id, evidence = bytes.Clone(d.Entry.ID), bytes.Clone(d.Entry.Evidence)
		}
	})
	return id, evidence
}

// Stored returns all segments of a snapshot, one after the other.
func (*Stream) Stored(t testing.TB, s snapshot.Store, m *snapshot.Manifest) (all []byte) {
	t.Helper()
	for _, segment := range m.Segments {
		data, err := snapshot.FetchSegment(t.Context(), s, segment)
		must(t, err)
		all = append(all, data...)
	}
	return all
}

func (f *Stream) document(offset int64) entry.Entry {
	return entry.Entry{
		Offset: offset, Time: 1_700_000_000_000 + f.at.Offset, Content: f.random.Uint64(), Kind: entry.Sketch,
		Keys: f.bytes(18 * 4), ID: f.bytes(16), Evidence: f.bytes(128),
	}
}

func (f *Stream) bytes(n int) []byte {
	b := make([]byte, 0, n)
	for len(b) < n {
		b = binary.LittleEndian.AppendUint64(b, f.random.Uint64())
	}
	return b
}

// Manifest returns the manifest of a snapshot taken now, as a writer expects it.
func (f *Stream) Manifest() snapshot.Manifest {
	return snapshot.Manifest{Index: Index, Position: at(f.Replica.Next()), Taken: 1_700_000_000_000 + f.at.Offset}
}

// Write takes a snapshot.
func (f *Stream) Write(t testing.TB, w *snapshot.Writer) (snapshot.Position, snapshot.Written) {
	t.Helper()
	capture, m := f.Replica.Capture(), f.Manifest()
	done, err := w.Write(t.Context(), &capture, m)
	must(t, err)
	return m.Position, done
}

// Writer returns a new writer for the feed's replica.
func (f *Stream) Writer(s snapshot.Store) *snapshot.Writer {
	return snapshot.NewWriter(s, f.Params, f.Fingerprint)
}

// Restore does what a member does with a snapshot.
func (f *Stream) Restore(t testing.TB, s snapshot.Store, p snapshot.Position) (*index.Replica, error) {
	t.Helper()
	m, err := s.Manifest(t.Context(), p)
	if err != nil {
		return nil, err
	}
	state, err := index.NewRestore(f.Params, f.Fingerprint, m.State)
	if err != nil {
		return nil, err
	}
	return snapshot.Restore(t.Context(), s, nil, &m, state, nil)
}

// Same replays the rest of the journal to a restored replica, and expects it to equal the feed's.
func (f *Stream) Same(t testing.TB, r *index.Replica) {
	t.Helper()
	for offset := r.Next(); offset < f.Replica.Next(); offset++ {
		r.Apply(index.Stamp{Offset: offset}, f.log[offset])
	}
	ours, theirs := f.Replica.Capture(), r.Capture()
	if ours.Hash != theirs.Hash || string(ours.State()) != string(theirs.State()) {
		t.Fatalf("the replica restored and replayed to %d is another one", theirs.Next)
	}
}
