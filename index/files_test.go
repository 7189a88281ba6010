package index_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/block"
	"github.com/unecho/unecho/index/naive"
	"github.com/unecho/unecho/index/window"
)

// shelf keeps segments for a replica, and reads them for it in any order: in part, twice, and wrong.
type shelf struct {
	t     *testing.T
	r     *rand.Rand
	files map[string][]byte
	late  []window.Filed // written, and not yet said to the replica
	made  int
	ahead int
	reads int

	blocks []*window.Block // made, and not yet said to the replica
	found  int             // blocks that were adopted
	yes    bool            // filters say yes to each key, and blocks find all but the newest segment, of one document
}

// mostRounds bounds how often a record may want something: a search among all files wants one after another.
const mostRounds = 2000

func newShelf(t *testing.T, seed uint64) *shelf {
	return &shelf{t: t, r: rand.New(rand.NewPCG(seed, 2)), files: map[string][]byte{}}
}

// apply applies a record to a replica whose records lie here.
func (s *shelf) apply(to *index.Replica, at index.Stamp, rec index.Record) index.Effect {
	if s.r.IntN(2) == 0 {
		to.Ahead(rec, s.r.IntN(3), 1+s.r.IntN(300))
		if wanted := to.Files().Wanted(); len(wanted) > 0 {
			s.give(to, wanted)
			s.ahead++
		}
	}
	s.search(to, rec, 0)
	effect := to.Apply(at, rec)
	for rounds := 0; len(effect.Wanted) > 0; rounds++ {
		if s.r.IntN(8) == 0 {
			s.search(to, rec, effect.Entry)
			effect.Wanted = to.Files().Wanted()
		}
		if rounds == mostRounds {
			s.t.Fatalf("%T at %+v wants %v again and again", rec, at, effect.Wanted)
		}
		s.give(to, effect.Wanted)
		effect = to.Resume()
	}
	if n := to.Read(); n > 0 {
		s.t.Fatalf("%d of what was read is kept behind the record", n)
	}
	return effect
}

// search looks entries up beside the replica. Some reads fail, some pages are damaged, and some files are replaced
// meanwhile.
func (s *shelf) search(to *index.Replica, rec index.Record, from int) {
	if s.r.IntN(2) == 0 {
		return
	}
	by := to.Ahead(rec, from, 1+s.r.IntN(20))
	if s.r.IntN(4) == 0 {
		s.file(to)
	}
	by.Run(1+s.r.IntN(3), func(n int, do func(int)) {
		for _, k := range s.r.Perm(n) {
			do(k)
		}
	}, func(wanted []window.Want) [][]byte {
		read := make([][]byte, len(wanted))
		for i, w := range wanted {
			if s.files[w.File] == nil || s.r.IntN(16) == 0 {
				continue // it cannot be read
			}
			if read[i] = s.read(w); s.r.IntN(16) == 0 {
				read[i][s.r.IntN(len(read[i]))] ^= 1 << s.r.IntN(8)
			}
		}
		return read
	})
	if s.r.IntN(4) == 0 {
		s.file(to)
	}
	s.found += len(by.Pages)
	to.Files().Know(&by)
}

// give gives at least one of the things that are wanted.
func (s *shelf) give(to *index.Replica, wanted []window.Want) {
	if s.r.IntN(6) == 0 { // a member writes files at any time
		s.file(to)
		to.Stats()
	}
	s.r.Shuffle(len(wanted), func(i, k int) { wanted[i], wanted[k] = wanted[k], wanted[i] })
	for i, w := range wanted {
		if i > 0 && s.r.IntN(4) == 0 {
			continue
		}
		if !to.Files().Names()[w.File] {
			continue // its segment lies in another file by now
		}
		data := s.read(w)
		if s.r.IntN(8) == 0 {
			wrong := slices.Clone(data)
			wrong[s.r.IntN(min(len(wrong), window.PageBytes))] ^= 1 << s.r.IntN(8)
			s.refused(to, w, wrong)
			s.refused(to, w, data[:len(data)-1])
		}
		for range 1 + s.r.IntN(2) {
			if err := to.Files().Give(w, data); err != nil {
				s.t.Fatalf("give %v: error %v", w, err)
			}
		}
	}
}

func (s *shelf) refused(by *index.Replica, w window.Want, data []byte) {
	s.t.Helper()
	if err := by.Files().Give(w, data); !errors.Is(err, window.ErrDamaged) {
		s.t.Fatalf("what is damaged of %v gives error %v", w, err)
	}
}

func (s *shelf) read(w window.Want) []byte {
	s.reads++
	data, ok := s.files[w.File]
	switch {
	case !ok:
		s.t.Fatalf("%v is wanted, and is no file", w)
	case w.Page != window.Whole:
		data = data[w.Page*window.PageBytes : min(len(data), (w.Page+1)*window.PageBytes)]
	}
	return slices.Clone(data)
}

// file has some of the segments lie in files.
func (s *shelf) file(of *index.Replica) {
	for _, v := range of.Files().Unfiled() {
		if s.r.IntN(3) == 0 {
			continue
		}
		data := v.Append(nil)
		name := fmt.Sprint(s.made, "-", v.Number)
		s.files[name] = data
		s.late, s.made = append(s.late, v.Filed(name, data)), s.made+1
	}
	for len(s.late) > 0 && s.r.IntN(3) > 0 {
		of.Files().File(s.late[0])
		s.late = s.late[1:]
	}
	s.block(of.Files())
	needed := of.Files().Names()
	for name := range s.files {
		if !needed[name] && len(s.late)+len(s.blocks) == 0 {
			delete(s.files, name)
		}
	}
}

// block makes blocks, and has some of them find their documents.
func (s *shelf) block(of *window.Files) {
	if run := of.Due(true); run != nil && len(s.blocks) == 0 && s.r.IntN(3) > 0 {
		s.blocks = append(s.blocks, s.build(run))
	}
	for len(s.blocks) > 0 && s.r.IntN(3) > 0 {
		if of.Adopt(s.blocks[0]) {
			s.found++
		}
		s.blocks = s.blocks[1:]
	}
}

func (s *shelf) build(run *window.Run) *window.Block {
	for _, name := range run.Linked() {
		if err := run.Read(name, s.files[name]); err != nil {
			s.t.Fatalf("block %s: segment %s: %v", run.File(), name, err)
		}
	}
	var file bytes.Buffer
	parts := make([]io.ReaderAt, len(run.Parts))
	for k, part := range run.Parts {
		parts[k] = bytes.NewReader(s.files[part.File()])
	}
	written, err := run.Write(&file, parts)
	if err != nil {
		s.t.Fatalf("block %s: %v", run.File(), err)
	}
	if s.r.IntN(2) == 0 {
		if written, err = block.Open(bytes.NewReader(file.Bytes()), int64(file.Len())); err != nil {
			s.t.Fatalf("open block %s: %v", run.File(), err)
		}
	}
	if s.yes || s.r.IntN(4) == 0 {
		written.Answer(true)
	}
	s.files[run.File()] = file.Bytes()
	b, err := window.NewBlock(run.File(), written)
	if err != nil {
		s.t.Fatalf("block %s: %v", run.File(), err)
	}
	return b
}

// restored restores a replica whose segments lie in files, or in memory, or partly, and are found by the blocks there are, or
// by some of them.
func (s *shelf) restored(p index.Params, r *index.Replica) *index.Replica {
	s.late, s.blocks = nil, nil
	c := r.Capture()
	restore, err := index.NewRestore(p, index.Fingerprint(settings), c.State())
	if err != nil {
		s.t.Fatal(err)
	}
	s.sized(restore.Files())
	names := make([]string, len(c.Segments))
	for i := range c.Segments {
		names[i] = c.Segments[i].File()
	}
	found := window.Cover(r.Files().Blocks(), names)
	found = found[:s.r.IntN(len(found)+1)]
	restore.Found(found)
	inBlocks := 0
	for _, b := range found {
		inBlocks += len(b.Names())
	}
	if len(found) > 0 {
		inBlocks -= slices.Index(found[0].Names(), names[0])
	}
	for i := range c.Segments {
		v := &c.Segments[i]
		data, name := s.files[v.File()], v.File()
		if name == "" {
			data = v.Append(nil)
		}
		d, err := restore.Decode(data)
		if err == nil && v.Sealed && (i < inBlocks || s.r.IntN(3) > 0) {
			if i >= inBlocks {
				name = fmt.Sprint(s.made, "-", v.Number)
				s.files[name], s.made = data, s.made+1
			}
			d.Lies(name, data)
		}
		if err == nil {
			err = restore.Add(d)
		}
		if err != nil {
			s.t.Fatalf("segment %d: %v", v.Number, err)
		}
		if s.r.IntN(3) == 0 {
			s.block(restore.Files())
		}
	}
	s.blocks = nil
	again, err := restore.Replica(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return again
}

// sized has small blocks be made.
func (s *shelf) sized(of *window.Files) {
	sizes := window.Sizes{Run: 1 + s.r.IntN(3), Merge: 2, Parts: 1 + s.r.IntN(2), Tail: s.r.IntN(3)}
	if s.yes {
		sizes.Run, sizes.Tail = 1, 0
	}
	of.BlocksOf(sizes)
}

// reshaped has segments of few documents, and small blocks.
func (s *shelf) reshaped(of *index.Replica) {
	documents := 1 + s.r.IntN(8)
	if s.yes {
		documents = 1
	}
	of.Reshape(documents, 1<<14)
	s.sized(of.Files())
}

// settle has blocks find all but the newest segment.
func (s *shelf) settle(of *index.Replica) {
	s.t.Helper()
	h := of.Files()
	for len(h.Unfiled())+len(s.late)+len(s.blocks) > 0 || h.Due(true) != nil {
		s.file(of)
	}
	if n := h.Uncovered(); n > 0 {
		s.t.Fatalf("blocks do not find %d segments", n)
	}
}

// TestFilesChangeNothing lets segments of a few documents lie in files, at random times. Verdicts, hashes, lookups and
// states must be those of a replica that has all in memory, after each record.
func TestFilesChangeNothing(t *testing.T)     { tryFiles(t, 18, false) }
func TestFilesChangeNothingLong(t *testing.T) { tryFiles(t, 600, false) }

// TestFiltersThatSayYes does the same where no filter rules anything out, and blocks find all but the newest segment. Segments
// have one document, but for what enters again by a change of bounds.
func TestFiltersThatSayYes(t *testing.T)     { tryFiles(t, 6, true) }
func TestFiltersThatSayYesLong(t *testing.T) { tryFiles(t, 40, true) }

func tryFiles(t *testing.T, seeds uint64, yes bool) {
	t.Helper()
	reads, found := 0, 0
	eachSeed(t, 1, seeds, 1, func(t *testing.T, seed uint64) {
		t.Helper()
		p, steps := history(t, seed, 400)
		s := newShelf(t, seed)
		s.yes = yes
		plain, filed, twin := newReplica(t, p), newReplica(t, p), naive.New(p, settings, index.Fingerprint(settings))
		for i, step := range steps {
			s.reshaped(filed)
			plain.Reshape(3+s.r.IntN(6), 1<<14)
			want, got := plain.Apply(step.At, step.Record), s.apply(filed, step.At, step.Record)
			if !reflect.DeepEqual(got, want) || plain.Hash() != filed.Hash() {
				t.Fatalf("step %d, %T: got\n%+v\nin memory\n%+v", i, step.Record, got, want)
			}
			if verdicts := twin.Apply(step.At, step.Record); !slices.Equal(got.Judged, verdicts) {
				t.Fatalf("step %d, %T: got\n%+v\nthe twin says\n%+v", i, step.Record, got.Judged, verdicts)
			}
			s.sameStats(filed, plain)
			if run, ok := step.Record.(*index.Run); ok && i%3 == 0 && len(run.Entries) > 0 {
				s.sameInquiry(filed, plain, run, i)
			}
			if s.file(filed); yes {
				s.settle(filed)
			}
			if i%40 == int(seed%40) {
				plain, filed = restored(t, p, plain, i%80 < 40), s.restored(p, filed)
				s.sameContents(filed, plain)
			}
		}
		reads, found = reads+s.reads, found+s.found
	})
	if reads == 0 || found == 0 {
		t.Errorf("%d reads, and %d blocks found documents", reads, found)
	}
}

// TestAheadOfAnything: a record that will be refused wants nothing, and does no harm.
func TestAheadOfAnything(t *testing.T) {
	p, steps := history(t, 1, 400)
	s, r, plain := newShelf(t, 1), newReplica(t, p), newReplica(t, p)
	r.Reshape(4, 1<<14)
	for _, step := range steps {
		s.apply(r, step.At, step.Record)
		if plain.Apply(step.At, step.Record); plain.Hash() != r.Hash() {
			t.Fatalf("at %+v the hash is another one", step.At)
		}
		s.file(r)
		run, ok := step.Record.(*index.Run)
		if !ok || len(run.Entries) == 0 {
			continue
		}
		wrong := *run
		wrong.Entries = slices.Clone(run.Entries)
		for i := range wrong.Entries {
			wrong.Entries[i].Keys = make([]byte, s.r.IntN(2*len(run.Entries[i].Keys)+8))
		}
		r.Ahead(&wrong, 0, 300)
		if r.Ahead(nil, 0, 300); len(r.Files().Wanted()) > 0 {
			t.Fatalf("of no record %v is wanted", r.Files().Wanted())
		}
	}
}
