package member

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/unecho/unecho/consumer/stop"
)

// TestLives: a process restores again for as long as that helps, and five times in a row where it does not. Then it says what to
// do, and names the file.
func TestLives(t *testing.T) {
	t.Parallel()
	lost := fmt.Errorf("%w: block 0-15.block: damaged", ErrFileLost)
	overtaken := &OvertakenError{next: 3, start: 9, err: errors.New("out of range")}
	for name, c := range map[string]struct {
		err      error
		reached  []int64 // by one replica after another; the last one again and again
		caughtUp bool
		others   bool // have a snapshot that comes further each time
		ends     int  // after so many; 0: never
		says     string
	}{
		"a file is lost each time":    {lost, []int64{7}, false, false, 5, "block 0-15.block: damaged\n  replace the disk of duplicates.remember.directory"},
		"and the replica caught up":   {lost, []int64{7}, true, false, 5, "at journal offset 7"},
		"each comes further":          {lost, []int64{7, 8, 9, 10, 11, 12, 13}, false, false, 11, "at journal offset 13"},
		"one falls back":              {lost, []int64{7, 5, 7, 6}, false, false, 5, "at journal offset 7"},
		"others come further":         {lost, []int64{7, 8, 9, 10, 11, 12, 13}, false, true, 5, "at journal offset 11"},
		"overtaken each time":         {overtaken, []int64{7, 8, 9, 10, 11}, false, false, 5, "raise snapshots.every"},
		"overtaken after a long time": {overtaken, []int64{7}, true, false, 0, ""},
		"of another kind":             {errors.New("another end"), []int64{7}, false, false, 1, "another end"},
	} {
		var lives Lives
		var again bool
		var err error
		n := 0
		for again = true; again && n < 20; n++ {
			f := restedFollower(t)
			f.replica.Await(c.reached[min(n, len(c.reached)-1)])
			f.caughtUp.Store(c.caughtUp)
			if c.others {
				f.place.Offset = f.Next()
			}
			again, err = lives.Another(f, c.err)
		}
		switch stopped := (*stop.Error)(nil); {
		case c.ends == 0:
			if !again || err != nil {
				t.Errorf("%s: it ends after %d with %v", name, n, err)
			}
		case again || n != c.ends || !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.says):
			t.Errorf("%s: it ends after %d with %v, want after %d with %q", name, n, err, c.ends, c.says)
		case errors.As(err, &stopped) == strings.HasPrefix(name, "of another"):
			t.Errorf("%s: it ends with %T", name, err)
		}
	}
}

// TestNoReplicaNoOtherLife: a replica that could not be restored is not looked at.
func TestNoReplicaNoOtherLife(t *testing.T) {
	t.Parallel()
	refused := errors.New("403 forbidden")
	if again, err := new(Lives).Another(nil, refused); again || !errors.Is(err, refused) {
		t.Errorf("again %t, error %v", again, err)
	}
}
