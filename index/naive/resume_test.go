package naive_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/naive"
	"github.com/unecho/unecho/index/naive/random"
)

// A twin that continues from a replica's state, after any step, gives the same verdicts as one that was there from the
// beginning.
func TestResumeChangesNothing(t *testing.T)     { tryResuming(t, 5) }
func TestResumeChangesNothingLong(t *testing.T) { tryResuming(t, 150) }

func tryResuming(t *testing.T, seeds uint64) {
	for s := *seed; s < *seed+seeds; s++ {
		t.Run(fmt.Sprint("seed=", s), func(t *testing.T) {
			p := random.Params(s)
			steps, err := random.History(s, 300, p, []byte(settings), fingerprint)
			replica, err2 := index.NewReplica(p, fingerprint)
			if err := errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			whole, resumed := naive.New(p, []byte(settings), fingerprint), naive.New(p, []byte(settings), fingerprint)
			for i, step := range steps {
				want, got := whole.Apply(step.At, step.Record), resumed.Apply(step.At, step.Record)
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("step %d, %T: got\n%+v\nwithout resuming\n%+v", i, step.Record, got, want)
				}
				replica.Apply(step.At, step.Record)
				if i%7 == int(s%7) {
					resumed = naive.Resume(p, []byte(settings), fingerprint, replica)
				}
			}
			arrival, event := whole.Clock()
			if a, e := resumed.Clock(); a != arrival || e != event || resumed.Ours() != whole.Ours() {
				t.Errorf("clocks %d and %d, without resuming %d and %d", a, e, arrival, event)
			}
		})
	}
}
