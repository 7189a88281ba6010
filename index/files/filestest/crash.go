package filestest

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/unecho/unecho/index/files"
)

const root = "/data/segments"

// Crashes ends the process at each call of each operation, in memory, by each cut. The next process opens the directory
// and finds each segment completely or not at all. What succeeded before the cut, survives it.
func Crashes(t *testing.T) {
	for _, op := range append(operations(), operation{name: "first open"}) {
		t.Run(op.name, func(t *testing.T) {
			points := 0
			for dead := true; dead; points++ {
				dead = crash(t, op, points)
			}
			if points < 2 {
				t.Errorf("there were only %d points", points)
			}
		})
	}
	t.Run("second try", secondTry)
}

// crash ends the process at a call, and says whether it made that call.
func crash(t *testing.T, op operation, at int) bool {
	memory := NewMemory()
	faulty := &Faulty{System: memory}
	place := Place{faulty, root}
	var d *files.Directory
	if op.run != nil {
		d = place.prepared(t)
	}
	faulty.Forget()
	faulty.Before = func(c Call) error {
		if c.Number >= at {
			return syscall.EIO // whatever it does now, it does not do
		}
		return nil
	}
	var err error
	if op.run != nil {
		err = op.run(t, place, d)
	} else {
		_, err = files.OpenIn(faulty, root, Owner())
	}
	dead := len(faulty.Called()) > at
	if dead == (err == nil) {
		t.Fatalf("%s, dead at call %d: %t, but %v", op.name, at, dead, err)
	}
	for _, cut := range Cuts() {
		after := Place{memory.After(cut), root}
		d, err := files.OpenIn(after.System, root, Owner())
		if err != nil {
			t.Fatalf("%s, dead at call %d, cut %d: %v", op.name, at, cut, err)
		}
		if op.run != nil {
			wantSound(t, d)
		}
		if op.run != nil && !dead {
			op.done(t, d)
		}
		entries, err := after.System.List(root)
		must(t, err)
		for _, e := range entries {
			if strings.HasSuffix(e.Name, ".tmp") {
				t.Errorf("%s, dead at call %d, cut %d: %s is left", op.name, at, cut, e.Name)
			}
		}
		must(t, d.Close())
	}
	return dead
}

// secondTry: what failed when all but the last sync was done is durable when it succeeds, or when the next process has
// opened the directory.
func secondTry(t *testing.T) {
	for _, op := range operations()[1:6] {
		for _, restart := range []bool{false, true} {
			memory := NewMemory()
			faulty := &Faulty{System: memory}
			place := Place{faulty, root}
			d := place.prepared(t)
			faulty.Before = func(c Call) error {
				if c.Op == "syncdir" {
					return syscall.EIO
				}
				return nil
			}
			want(t, op.run(t, place, d), syscall.EIO)
			faulty.Before = nil
			if restart {
				memory = memory.After(Kill)
				d = Place{memory, root}.open(t)
			} else {
				must(t, op.run(t, place, d))
			}
			op.done(t, d)
			after := Place{memory.After(Power), root}
			op.done(t, after.open(t))
		}
	}
}

// Full has less and less room on a disk in memory.
func Full(t *testing.T) {
	name, data := Content(2)
	memory := NewMemory()
	place := Place{memory, root}
	d := place.open(t)
	put(t, d, 1)
	writeBlock(t, d, 1)
	_, used, err := d.Usage()
	must(t, err)
	owner, size, err := memory.Open(root + "/owner")
	must(t, err)
	must(t, owner.Close())
	for _, left := range []int{len(data) - 1, len(data) / 2, 1, 0} {
		memory.Room = int(used+size) + left
		wantFull(t, d.Put(t.Context(), name, data), len(data), left)
		wantMissing(t, d, name)
		for _, n := range []int{1, 2} {
			wantFull(t, d.Write(t.Context(), blockName(n), inPieces(blockContent(n+other))), 0, left)
		}
		wantBlock(t, d, 2, nil)
		wantBlock(t, d, 1, blockContent(1))
		wantWhole(t, d, 1)
		if entries, err := memory.List(root); err != nil || len(entries) != 4 {
			t.Errorf("there are %v, %v, want a segment, a block, owner and lock", entries, err)
		}
	}
	memory.Room += len(data) + blockBytes
	put(t, d, 2)
	wantWhole(t, d, 2)
	writeBlock(t, d, 2)
	wantBlock(t, d, 2, blockContent(2))
	must(t, d.Close())
	memory.Room = 1
	wantWhole(t, place.open(t), 1)
	_, err = files.OpenIn(memory, "/data/new", Owner())
	want(t, err, files.ErrFull)
	memory.Room = 0
	Place{memory, "/data/new"}.open(t)
}

// wantFull expects an error that says how much is needed, or at least a piece more than is free if that is not known, and
// how much is free.
func wantFull(t testing.TB, err error, needed, free int) {
	t.Helper()
	want(t, err, files.ErrFull)
	want(t, err, syscall.ENOSPC)
	wantUnknown(t, err)
	_, after, _ := strings.Cut(err.Error(), "at least ")
	var says int
	if _, scanned := fmt.Sscanf(after, "%d bytes are needed in ", &says); scanned != nil || says <= free || says > blockBytes ||
		needed > 0 && says != needed {
		t.Errorf("%v says that %d bytes are needed, want %d, %v", err, says, needed, scanned)
	}
	for _, words := range []string{fmt.Sprintf("in %s, %d are free there", root, free), "make room there"} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("%v does not say %q", err, words)
		}
	}
}
