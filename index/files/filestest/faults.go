package filestest

import (
	"errors"
	"fmt"
	"path"
	"syscall"
	"testing"

	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot"
)

// operation is what can fail half-way. In the directory are segments 1 and 3, blocks 1 and 3, and a file that a
// dead writer left.
type operation struct {
	name string
	run  func(t testing.TB, p Place, d *files.Directory) error
	done func(t testing.TB, d *files.Directory) // expects that it succeeded
}

func operations() []operation {
	one, data := Content(1)
	two, second := Content(2)
	whole := func(t testing.TB, d *files.Directory) { wantWhole(t, d, 1) }
	return []operation{
		{"open", func(_ testing.TB, p Place, d *files.Directory) error {
			if err := d.Close(); err != nil {
				return err
			}
			again, err := files.OpenIn(p.System, p.Path, Owner())
			if err != nil {
				return err
			}
			return again.Close()
		}, whole},
		{
			"put", func(t testing.TB, _ Place, d *files.Directory) error { return d.Put(t.Context(), two, second) },
			func(t testing.TB, d *files.Directory) { wantWhole(t, d, 2) },
		},
		{"put again", func(t testing.TB, _ Place, d *files.Directory) error { return d.Put(t.Context(), one, data) }, whole},
		{"keep", func(_ testing.TB, _ Place, d *files.Directory) error {
			return d.Keep(files.Only(one, blockName(1)))
		}, func(t testing.TB, d *files.Directory) {
			gone, _ := Content(3)
			wantMissing(t, d, gone)
			wantBlock(t, d, 3, nil)
		}},
		{
			"write", func(t testing.TB, _ Place, d *files.Directory) error {
				return d.Write(t.Context(), blockName(2), inPieces(blockContent(2)))
			},
			func(t testing.TB, d *files.Directory) { wantBlock(t, d, 2, blockContent(2)) },
		},
		{
			"write again", func(t testing.TB, _ Place, d *files.Directory) error {
				return d.Write(t.Context(), blockName(1), inPieces(blockContent(1+other)))
			},
			func(t testing.TB, d *files.Directory) { wantBlock(t, d, 1, blockContent(1+other)) },
		},
		{"read", func(t testing.TB, _ Place, d *files.Directory) error { _, err := d.Read(t.Context(), one); return err }, whole},
		{"page", func(_ testing.TB, _ Place, d *files.Directory) error { _, err := d.ReadPage(one, 0, nil); return err }, whole},
		{"page of block", func(_ testing.TB, _ Place, d *files.Directory) error {
			_, err := d.ReadPage(blockName(1), 0, nil)
			return err
		}, whole},
		{"open block", func(_ testing.TB, _ Place, d *files.Directory) error {
			block, _, err := d.OpenBlock(blockName(1))
			if err != nil {
				return err
			}
			return block.Close()
		}, whole},
		{"usage", func(_ testing.TB, _ Place, d *files.Directory) error { _, _, err := d.Usage(); return err }, whole},
	}
}

// prepared opens a directory in which each operation has something to do.
func (p Place) prepared(t testing.TB) *files.Directory {
	t.Helper()
	d, err := files.OpenIn(p.System, p.Path, Owner())
	must(t, err)
	put(t, d, 1, 3)
	writeBlock(t, d, 1)
	writeBlock(t, d, 3)
	name, _ := Content(2)
	p.rewrite(t, name+".99.tmp", func([]byte) []byte { return []byte("half") })
	return d
}

// wantSound expects each segment and block to be there completely or not at all, and the first ones to be there, the
// block as it was or as another.
func wantSound(t testing.TB, d *files.Directory) {
	t.Helper()
	wantWhole(t, d, 1)
	for n := 2; n <= 3; n++ {
		name, _ := Content(n)
		if _, err := d.Read(t.Context(), name); errors.Is(err, snapshot.ErrMissingSegment) {
			wantMissing(t, d, name)
		} else {
			wantWhole(t, d, n)
		}
		wantBlock(t, d, n, nil, blockContent(n))
	}
	wantBlock(t, d, 1, blockContent(1), blockContent(1+other))
}

// eachCallFails: whichever call of the file system fails, the error says so and nothing of what is stored, a segment is
// there completely or not at all, and the same succeeds when the fault is over.
func eachCallFails(t *testing.T, p Place) {
	for _, op := range operations() {
		failed := true
		for n := 0; failed; n++ {
			faulty := &Faulty{System: p.System}
			place := Place{faulty, path.Join(p.Path, fmt.Sprint(op.name, n))}
			d := place.prepared(t)
			faulty.Forget()
			faulty.Before = func(c Call) error {
				if c.Number == n {
					return syscall.EIO
				}
				return nil
			}
			err := op.run(t, place, d)
			calls := faulty.Called()
			failed, faulty.Before = len(calls) > n, nil
			if !failed {
				must(t, err)
			} else if wantUnknown(t, err); !errors.Is(err, syscall.EIO) {
				t.Fatalf("%s of %s failed, %s says %v", calls[n].Op, calls[n].Path, op.name, err)
			}
			if op.name != "open" {
				wantSound(t, d)
				must(t, op.run(t, place, d))
				op.done(t, d)
			}
			must(t, d.Close())
			d = place.open(t)
			wantSound(t, d)
			must(t, op.run(t, place, d))
			must(t, d.Close())
		}
	}
}

// readsThatLie: a read that is short is an error; a bit that is flipped is found where all is read; and neither is taken
// for what was written.
func readsThatLie(t *testing.T, p Place) {
	faulty := &Faulty{System: p.System}
	p.System = faulty
	d := p.open(t)
	put(t, d, 1)
	one, _ := Content(1)
	two, data := Content(2)
	faulty.Bend = func(_ Call, read []byte) int { return len(read) / 2 }
	_, err := d.Read(t.Context(), one)
	wantUnknown(t, err)
	_, err = d.ReadPage(one, 3, nil)
	wantUnknown(t, err)
	wantUnknown(t, d.Put(t.Context(), two, data))
	faulty.Bend = func(_ Call, read []byte) int { read[0] ^= 4; return len(read) }
	_, err = d.Read(t.Context(), one)
	wantCorrupt(t, err)
	if page, err := d.ReadPage(one, 0, nil); err != nil || snapshot.SegmentName(page) == one {
		t.Errorf("the page is not as it was read, %v", err)
	}
	wantUnknown(t, d.Put(t.Context(), two, data))
	must(t, d.Close())
	if _, err := files.OpenIn(p.System, p.Path, Owner()); err == nil {
		t.Error("it was opened with an owner that cannot be read")
	}
	faulty.Bend = nil
	d = p.open(t)
	wantWhole(t, d, 1)
	wantMissing(t, d, two)
}
