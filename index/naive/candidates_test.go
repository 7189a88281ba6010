package naive

import (
	"slices"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/naive/random"
)

// The lists of documents under a key only save time: looking at every document finds the same ones.
func TestLookingEverywhereFindsTheSame(t *testing.T)     { tryEverywhere(t, 5) }
func TestLookingEverywhereFindsTheSameLong(t *testing.T) { tryEverywhere(t, 100) }

func tryEverywhere(t *testing.T, seeds uint64) {
	settings := []byte("{}")
	for seed := range seeds {
		p := random.Params(seed)
		steps, err := random.History(seed, 300, p, settings, index.Fingerprint(settings))
		if err != nil {
			t.Fatal(err)
		}
		twin, found := New(p, settings, index.Fingerprint(settings)), 0
		for _, step := range steps {
			twin.Apply(step.At, step.Record)
			run, ok := step.Record.(*index.Run)
			for i := 0; ok && i < len(run.Entries); i++ {
				for _, k := range twin.keys(&run.Entries[i]) {
					got, want := twin.shelf(k), everywhere(twin, k)
					if found += len(want); !slices.Equal(got, want) {
						t.Fatalf("seed %d, journal offset %d, entry %d, key %v: %v, want %v", seed, step.At.Offset, i, k, got, want)
					}
				}
			}
		}
		if found == 0 {
			t.Errorf("seed %d: never a candidate", seed)
		}
	}
}

// A document that has left the window is on no shelf, so memory is bounded as the window is.
func TestShelvesHoldTheWindow(t *testing.T)     { tryShelves(t, 5) }
func TestShelvesHoldTheWindowLong(t *testing.T) { tryShelves(t, 100) }

func tryShelves(t *testing.T, seeds uint64) {
	settings := []byte("{}")
	for seed := range seeds {
		p := random.Params(seed)
		steps, err := random.History(seed, 300, p, settings, index.Fingerprint(settings))
		if err != nil {
			t.Fatal(err)
		}
		twin := New(p, settings, index.Fingerprint(settings))
		for _, step := range steps {
			twin.Apply(step.At, step.Record)
		}
		shelves, want := 0, 0
		for key, all := range twin.window.byKey {
			if shelves += len(all); len(all) == 0 {
				t.Errorf("seed %d: nothing under %v", seed, key)
			}
		}
		for _, d := range twin.window.documents {
			want += len(d.under)
		}
		if shelves != want {
			t.Errorf("seed %d: %d shelves for %d documents, want %d", seed, shelves, len(twin.window.documents), want)
		}
	}
}

// everywhere looks at every document, newest first.
func everywhere(t *Twin, k bandKey) (all []*document) {
	for _, d := range slices.Backward(t.window.documents) {
		if slices.Contains(d.under, k) {
			all = append(all, d)
		}
	}
	return all
}
