package index_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/naive"
	"github.com/unecho/unecho/index/naive/random"
)

var settings = []byte(`{"test":"model"}`)

func newReplica(t *testing.T, p index.Params) *index.Replica {
	t.Helper()
	r, err := index.NewReplica(p, index.Fingerprint(settings))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func history(t *testing.T, seed uint64, n int) (index.Params, []random.Step) {
	t.Helper()
	p := random.Params(seed)
	steps, err := random.History(seed, n, p, settings, index.Fingerprint(settings))
	if err != nil {
		t.Fatal(err)
	}
	return p, steps
}

// TestModel compares the replica with the naive twin over random histories: verdicts and state must be equal.
func TestModel(t *testing.T)     { tryModel(t, 10) }
func TestModelLong(t *testing.T) { tryModel(t, 600) }

func tryModel(t *testing.T, seeds uint64) { eachSeed(t, 1, seeds, 1, modelOf) }

// TestModelOfChanges is TestModel over histories in which bounds are changed.
func TestModelOfChanges(t *testing.T) { eachSeed(t, 1, 240, 4, modelOf) }

// TestModelOfRequests is TestModel over histories in which documents come again with their idempotency keys.
func TestModelOfRequests(t *testing.T) { eachSeed(t, 2, 60, 2, modelOf) }

// eachSeed runs a test for seeds.
func eachSeed(t *testing.T, from, to, step uint64, try func(t *testing.T, seed uint64)) {
	t.Helper()
	for seed := from; seed <= to; seed += step {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { try(t, seed) })
	}
}

func modelOf(t *testing.T, seed uint64) {
	t.Helper()
	p, steps := history(t, seed, 400)
	fast, slow := newReplica(t, p), naive.New(p, settings, index.Fingerprint(settings))
	sources := map[entry.Source]bool{}
	for i, s := range steps {
		want := slow.Apply(s.At, s.Record)
		got := fast.Apply(s.At, s.Record).Judged
		if len(got) != len(want) {
			t.Fatalf("step %d, %T: %d verdicts, the twin gives %d", i, s.Record, len(got), len(want))
		}
		for k := range want {
			if got[k] != want[k] {
				t.Fatalf("step %d, %T: got\n%+v\nthe twin says\n%+v", i, s.Record, got[k], want[k])
			}
		}
		if run, ok := s.Record.(*index.Run); ok && i%3 == 0 && len(run.Entries) > 0 {
			sameLookup(t, fast, slow, &run.Entries[i%len(run.Entries)], 1+i%4)
		}
		switch r := s.Record.(type) {
		case *index.Reposition:
			sources[r.Source] = true
		case *index.Fill:
			sameFilled(t, fast, slow, r)
		}
	}
	for source := range sources {
		same(t, fast, slow, source)
	}
	same(t, fast, slow, entry.Source{Topic: [16]byte{9}, Partition: 1})
	if placed, documents := fast.Placed(), fast.Stats().Documents; placed > documents {
		t.Errorf("%d representatives have a place of %d documents: those that left are still noted", placed, documents)
	}
}

// sameLookup looks an entry up. It must find what the twin finds, and change nothing.
func sameLookup(t *testing.T, fast *index.Replica, slow *naive.Twin, e *entry.Entry, most int) {
	t.Helper()
	before := fast.Capture()
	stats := fast.Stats()
	var got []index.Match
	for _, hit := range fast.Lookup(e, most) {
		got = append(got, hit.Match)
	}
	if want := slow.Lookup(e, most); !slices.Equal(got, want) {
		t.Fatalf("lookup of %d: got\n%+v\nthe twin says\n%+v", e.Offset, got, want)
	}
	if after := fast.Capture(); fast.Stats() != stats || !bytes.Equal(after.State(), before.State()) {
		t.Fatal("a lookup changes the state")
	}
}

func same(t *testing.T, fast *index.Replica, slow *naive.Twin, source entry.Source) {
	t.Helper()
	want, wantKnown := slow.Partition(source)
	got, known := fast.Partition(source)
	if known != wantKnown || got != (index.Partition{Epoch: want.Epoch, Start: want.Start, Base: want.Base}) {
		t.Fatalf("partition %v: got %+v, the twin says %+v", source, got, want)
	}
	fed, entries := slow.Fed(source)
	if fast.Fed(source) != fed || fast.FedEntries() != entries {
		t.Fatalf("fed of %v: got %+v of %d, the twin says %+v of %d", source, fast.Fed(source), fast.FedEntries(), fed, entries)
	}
	for offset, v := range want.Held {
		if h, ok := fast.Held(source, got.Epoch, offset); !ok || h != v {
			t.Fatalf("held %d: got %+v, %v, the twin says %+v", offset, h, ok, v)
		}
	}
}

// sameFilled compares what a record of a fill has come to.
func sameFilled(t *testing.T, fast *index.Replica, slow *naive.Twin, f *index.Fill) {
	t.Helper()
	want, _ := slow.Filled(entry.Source{})
	if got := fast.Filled(); !reflect.DeepEqual(got, want) {
		t.Fatalf("filled: got %+v, the twin says %+v", got, want)
	}
	for i := range f.Parts {
		_, part := slow.Filled(f.Parts[i].Source)
		if got := fast.FilledPart(f.Parts[i].Source); got != part {
			t.Fatalf("filled of %v: got %+v, the twin says %+v", f.Parts[i].Source, got, part)
		}
	}
}

// TestRestoreChangesNothing takes the state at every tenth step, restores it, and goes on with the copy: verdicts and
// hash must be those of the replica that never stopped.
func TestRestoreChangesNothing(t *testing.T)     { tryRestore(t, 5) }
func TestRestoreChangesNothingLong(t *testing.T) { tryRestore(t, 240) }

func tryRestore(t *testing.T, seeds uint64) {
	for seed := uint64(1); seed <= seeds; seed++ {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			p, steps := history(t, seed, 300)
			whole, broken := newReplica(t, p), newReplica(t, p)
			for i, s := range steps {
				broken.Reshape(5, 1<<14) // a restored replica has the shape of the settings
				want, got := whole.Apply(s.At, s.Record), broken.Apply(s.At, s.Record)
				if !reflect.DeepEqual(got.Judged, want.Judged) || whole.Hash() != broken.Hash() {
					t.Fatalf("step %d, %T: got\n%+v\nwithout a restore\n%+v", i, s.Record, got, want)
				}
				if i%10 == int(seed%10) {
					broken = restored(t, p, broken, i%20 < 10)
					sameHeld(t, broken, whole)
				}
			}
		})
	}
}

// TestSegmentsAndGrowthChangeNothing varies the sizes of segments and tables, and when they change. Verdicts and hash
// must not change.
func TestSegmentsAndGrowthChangeNothing(t *testing.T)     { trySegments(t, 6) }
func TestSegmentsAndGrowthChangeNothingLong(t *testing.T) { trySegments(t, 240) }

func trySegments(t *testing.T, seeds uint64) {
	for seed := uint64(1); seed <= seeds; seed++ {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			p, steps := history(t, seed, 300)
			plain, varied := newReplica(t, p), newReplica(t, p)
			r := rand.New(rand.NewPCG(seed, 1))
			for i, s := range steps {
				if r.IntN(8) == 0 {
					varied.Reshape(1+r.IntN(20), 1<<(9+r.IntN(6)))
				}
				if r.IntN(8) == 0 {
					varied.Regrow(r.IntN(5000))
				}
				want, got := plain.Apply(s.At, s.Record), varied.Apply(s.At, s.Record)
				if !reflect.DeepEqual(got.Judged, want.Judged) || plain.Hash() != varied.Hash() {
					t.Fatalf("step %d, %T: got\n%+v\nin other segments\n%+v", i, s.Record, got, want)
				}
			}
		})
	}
}

// TestCaptureStands encodes a capture when it is taken, and again long after, when its segments have expired and their
// memory was reused: the bytes must be the same.
func TestCaptureStands(t *testing.T)     { tryCaptures(t, 5) }
func TestCaptureStandsLong(t *testing.T) { tryCaptures(t, 200) }

func tryCaptures(t *testing.T, seeds uint64) {
	for seed := uint64(1); seed <= seeds; seed++ {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			p, steps := history(t, seed, 400)
			r := newReplica(t, p)
			r.Reshape(5, 1<<14)
			var captures []index.Capture
			var before [][]byte
			for i, s := range steps {
				r.Apply(s.At, s.Record)
				if i%20 == 0 {
					c := r.Capture()
					captures, before = append(captures, c), append(before, encoded(&c))
				}
			}
			for i, c := range captures {
				if !bytes.Equal(encoded(&c), before[i]) {
					t.Errorf("the capture at step %d has changed since", 20*i)
				}
			}
		})
	}
}

// restored is a replica restored from the capture of another, with the side table in the state or apart.
func restored(t *testing.T, p index.Params, r *index.Replica, apart bool) *index.Replica {
	t.Helper()
	c := r.Capture()
	if apart {
		c.Split()
	}
	restore, err := index.NewRestore(p, index.Fingerprint(settings), c.State())
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Segments {
		d, err := restore.Decode(c.Segments[i].Append(nil))
		if err == nil {
			err = restore.Add(d)
		}
		if err != nil || d.Sealed() != c.Segments[i].Sealed || d.Documents() != c.Segments[i].Documents() {
			t.Fatalf("restoring segment %d gives %v, error %v; want %d documents, sealed: %t, and no error",
				i, d, err, c.Segments[i].Documents(), c.Segments[i].Sealed)
		}
	}
	again, err := restore.Replica(nil)
	if err != nil {
		t.Fatal(err)
	}
	d := again.Capture()
	if apart {
		d.Split()
	}
	if !bytes.Equal(encoded(&d), encoded(&c)) {
		t.Fatal("what was restored is captured otherwise")
	}
	return again
}

func FuzzRestore(f *testing.F) {
	p := random.Params(5) // of a history with fills
	steps, err := random.History(5, 200, p, settings, index.Fingerprint(settings))
	if err != nil {
		f.Fatal(err)
	}
	r, err := index.NewReplica(p, index.Fingerprint(settings))
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range steps {
		r.Apply(s.At, s.Record)
	}
	c := r.Capture()
	var segment []byte
	if len(c.Segments) > 0 {
		segment = c.Segments[0].Append(nil)
	}
	f.Add(c.State(), segment)
	state := c.State()
	c.Split()
	f.Add(state, c.Segments[len(c.Segments)-1].Append(nil))
	f.Fuzz(func(_ *testing.T, state, segment []byte) {
		restore, err := index.NewRestore(p, index.Fingerprint(settings), state)
		if err != nil {
			return
		}
		d, err := restore.Decode(segment)
		if err != nil || restore.Add(d) != nil {
			return
		}
		_, _ = restore.Replica(nil)
	})
}

// sameHeld compares the verdicts that two replicas hold, and how far they are filled.
func sameHeld(t *testing.T, got, want *index.Replica) {
	t.Helper()
	if !reflect.DeepEqual(got.Filled(), want.Filled()) {
		t.Fatalf("filled: %+v, without a restore %+v", got.Filled(), want.Filled())
	}
	for topic := range byte(10) {
		for partition := range int32(2) {
			source := entry.Source{Topic: [16]byte{topic}, Partition: partition}
			if g, w := got.FilledPart(source), want.FilledPart(source); g != w {
				t.Fatalf("filled of %v: %+v, without a restore %+v", source, g, w)
			}
			p, _ := want.Partition(source)
			for offset := p.Base; offset < p.Base+200; offset++ {
				w, held := want.Held(source, p.Epoch, offset)
				if g, too := got.Held(source, p.Epoch, offset); too != held || g != w {
					t.Fatalf("held %d of %v: %+v, without a restore %+v", offset, source, g, w)
				}
			}
		}
	}
}

// TestCapturesAreReadBeside encodes captures in other goroutines while the replica goes on, as a snapshot does. -race
// reports it if something that a capture reads is written.
func TestCapturesAreReadBeside(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			p, steps := history(t, seed, 400)
			r := newReplica(t, p)
			r.Reshape(5, 1<<14)
			var reading sync.WaitGroup
			defer reading.Wait()
			for i, s := range steps {
				r.Apply(s.At, s.Record)
				if i%20 != 0 {
					continue
				}
				c := r.Capture()
				was := encoded(&c)
				reading.Go(func() {
					for range 20 {
						if !bytes.Equal(encoded(&c), was) {
							t.Errorf("the capture at step %d has changed since", i)
							return
						}
					}
				})
			}
		})
	}
}

func encoded(c *index.Capture) []byte {
	all := c.State()
	for i := range c.Segments {
		all = c.Segments[i].Append(all)
	}
	return all
}
