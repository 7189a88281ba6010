package sim

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/files/filestest"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/window"
)

// drawer is the directory in which a process has its old documents. The next one of its name finds what it left there.
type drawer struct {
	*files.Directory
	disk   *filestest.Memory
	harmed map[string]bool // files that were damaged or removed
	name   string          // of the file that was written last, until the replica is told; empty: there is none
	filed  window.Filed
	run    *window.Run   // whose block is to be written; nil: none
	block  *window.Block // that was written last, until the replica is told
}

const (
	folder = "/files"
	// segmentDocuments are how many a segment has at most.
	segmentDocuments = 2
	// mostUnfiled and mostUncovered are how many segments may wait in memory until they are written, or found by a block.
	mostUnfiled, mostUncovered = 4, 10
	// mostWaits bounds the steps in which they have to become fewer.
	mostWaits = 1000
)

// sizes are of small blocks, so that there are many. When they are merged differs.
func sizes(w *World) window.Sizes {
	return window.Sizes{Run: 1, Merge: 2, Parts: 1 + w.n(4), Tail: w.n(2)}
}

// openDrawer opens the directory of a machine: of another one if that was lost, or if a process that hangs has it.
func openDrawer(w *World, number int) *drawer {
	if !w.params.Files || number%2 != 0 {
		return nil // some have none
	}
	last, d := w.disks[number], &drawer{disk: filestest.NewMemory(), harmed: map[string]bool{}}
	hangs := func(m *member) bool { return m.files != nil && m.files.disk == last.disk }
	if last == nil || w.chance(1, 4) || slices.ContainsFunc(w.processes, hangs) {
		w.act("another machine")
	} else {
		d.disk, d.harmed = last.disk, last.harmed
	}
	w.disks[number] = d
	var err error
	d.Directory, err = files.OpenIn(d.disk, folder, files.Owner{})
	succeeds(w, err)
	return d
}

func succeeds(w *World, err error) {
	if err != nil {
		w.bad("files: %v", err)
	}
}

// stepFiles has a member keep its files, or damages one.
func (w *World) stepFiles() bool {
	m := w.process()
	if m == nil || m.files == nil {
		return false
	}
	if w.mishap(8) {
		harm(w, m)
		return true
	}
	for n := 1 + w.n(8); n > 0 && m.alive; n-- {
		if w.chance(1, 2) {
			w.keepFiles(m)
		} else {
			keepBlocks(w, m)
		}
	}
	return true
}

// harm damages or removes a file.
func harm(w *World, m *member) {
	names := slices.Sorted(maps.Keys(m.replica.Files().Names()))
	if len(names) == 0 {
		return
	}
	name := names[w.n(len(names))]
	m.files.harmed[name] = true
	if w.chance(1, 2) {
		m.files.disk.Damage(folder+"/"+name, w.n(1<<12))
		if files.ValidBlockName(name) { // it has keys in both pages
			m.files.disk.Damage(folder+"/"+name, w.n(1<<6))
			m.files.disk.Damage(folder+"/"+name, 8*window.PageBytes+w.n(1<<6))
		}
	} else {
		_ = m.files.disk.Remove(folder + "/" + name) // it may be gone already
	}
}

// keepFiles writes a segment, tells the replica later, and now and then removes what is not needed.
func (w *World) keepFiles(m *member) {
	d := m.files
	if views := m.replica.Files().Unfiled(); d.name == "" && len(views) > 0 {
		v := &views[w.n(len(views))]
		data := v.Append(nil)
		d.name = snapshot.SegmentName(data)
		d.filed = v.Filed(d.name, data)
		succeeds(w, d.Put(context.Background(), d.name, data))
		return
	}
	late := d.name != "" && !m.replica.Files().File(d.filed)
	d.name = ""
	if late {
		w.act("filed too late")
	}
	if late || w.chance(1, 4) {
		tidy(w, m)
	}
}

// keepBlocks goes on with a block: it is due, is written, and the replica is told, with time between.
func keepBlocks(w *World, m *member) {
	d, of := m.files, m.replica.Files()
	switch {
	case d.block != nil:
		if of.Adopt(d.block) {
			w.act("found by a block")
		} else {
			w.act("block too late")
		}
		d.block = nil
	case d.run != nil:
		d.block = writeBlock(w, m, d.run)
		d.run = nil
	default:
		d.run = of.Due(true)
	}
}

// waitForFiles has a member write files until few enough segments wait for that: judging waits meanwhile. What it has in
// memory is bounded then.
func waitForFiles(w *World, m *member) {
	of := m.replica.Files()
	for n := 0; len(of.Unfiled()) > mostUnfiled || of.Uncovered() > mostUncovered; n++ {
		if n == 0 {
			w.act("judging waits for files")
		}
		if w.chance(1, 2) {
			w.keepFiles(m)
		} else {
			keepBlocks(w, m)
		}
		if n == mostWaits {
			w.bad("member %d waits for its files for ever: %d segments lie in none, no block finds %d", m.number, len(of.Unfiled()),
				of.Uncovered())
		}
		if !m.alive || w.failure != "" {
			return
		}
	}
	now := m.replica.Stats()
	if n := now.Documents - now.Filed; n > segmentDocuments*(mostUnfiled+2) { // the oldest segment, and the newest one
		w.bad("member %d has the records of %d documents in memory", m.number, n)
	}
	if n := now.Documents - now.Blocks.Documents; n > segmentDocuments*(mostUncovered+1) {
		w.bad("member %d has the keys of %d documents in memory", m.number, n)
	}
}

// writeBlock returns nil if a file that it needs is not there any more, or is lost.
func writeBlock(w *World, m *member, run *window.Run) *window.Block {
	needs := func(name string, err error) bool {
		if err != nil {
			heal(w, m, name, err)
		}
		return err == nil
	}
	for _, name := range run.Linked() {
		data, err := m.files.Read(context.Background(), name)
		if err == nil {
			err = run.Read(name, data)
		}
		if !needs(name, err) {
			return nil
		}
	}
	for _, part := range run.Parts {
		if !needs(part.File(), files.Check(context.Background(), m.files.Directory, part)) {
			return nil
		}
	}
	b, err := m.files.Block(context.Background(), run)
	succeeds(w, err)
	return b
}

// tidy removes the files that are needed no more.
func tidy(w *World, m *member) {
	succeeds(w, m.files.Keep(func() map[string]bool {
		needed := m.replica.Files().Names()
		needed[m.files.name] = true
		if b := m.files.block; b != nil {
			needed[b.File()] = true
		}
		return needed
	}))
}

// tidyErased does so at once when something was erased: it is in no file then.
func tidyErased(w *World, m *member) {
	tidy(w, m)
	var all [][]byte
	for name := range m.replica.Files().Names() {
		if data, err := m.files.Read(context.Background(), name); err == nil {
			all = append(all, data)
		}
	}
	w.checkErasedBytes(m.replica.Next(), "a file", all)
}

// readAhead reads some of what a record will probably want, while files are written.
func readAhead(w *World, m *member, rec index.Record) {
	of := m.replica.Files()
	by := m.replica.Ahead(rec, 0, 1+w.n(4))
	for _, want := range inOrder(of.Wanted()) {
		data, err := m.files.read(want)
		if w.chance(1, 8) {
			w.keepFiles(m)
		}
		if err == nil && w.chance(3, 4) {
			_ = of.Give(want, data) // what is damaged is wanted again
		}
	}
	by.Run(1, func(_ int, do func(int)) { do(0) }, func(wanted []window.Want) [][]byte {
		read := make([][]byte, len(wanted))
		for i, want := range wanted {
			read[i], _ = m.files.read(want) // what cannot be read is wanted again
		}
		return read
	})
	if w.chance(1, 4) {
		keepBlocks(w, m)
	}
	of.Know(&by)
}

func inOrder(wanted []window.Want) []window.Want {
	slices.SortFunc(wanted, func(a, b window.Want) int { return cmp.Or(cmp.Compare(a.File, b.File), a.Page-b.Page) })
	return wanted
}

// give reads what the replica wants for a record, and goes on with it.
func give(w *World, m *member) {
	for i, want := range inOrder(m.wanted) {
		if i > 0 && w.chance(1, 4) {
			continue // it is wanted again
		}
		data, err := m.files.read(want)
		if err == nil {
			err = m.replica.Files().Give(want, data)
		}
		if err != nil && !heal(w, m, want.File, err) {
			return
		}
	}
	w.applied(m, m.replica.Resume())
}

func (d *drawer) read(want window.Want) ([]byte, error) {
	if want.Page == window.Whole {
		return d.Read(context.Background(), want.File)
	}
	return d.ReadPage(want.File, want.Page, nil)
}

// heal takes from the store what cannot be read, if it is needed still. It returns false if the store is away, or has it
// neither: then the process ends, to be restored.
func heal(w *World, m *member, name string, why error) bool {
	switch data, err := w.shelf.Segment(context.Background(), name); {
	case !m.replica.Files().Names()[name]:
		w.act("no need of it any more")
		return true
	case !m.files.harmed[name]:
		w.bad("member %d wants %s: %v", m.number, name, why)
	case files.ValidBlockName(name): // it is in no store
		w.act("block lost")
		_ = m.files.disk.Remove(folder + "/" + name) // it may be gone already
		w.kill(m)
	case w.mishap(2):
		w.act("store away")
	case err != nil:
		w.act("file lost")
		w.note("member %d has lost segment %s", m.number, name)
		w.kill(m)
	default:
		w.act("file healed")
		succeeds(w, m.files.Put(context.Background(), name, data))
		return true
	}
	return false
}
