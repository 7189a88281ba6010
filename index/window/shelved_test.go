package window

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/unecho/unecho/index/entry"
)

// shelved is a window whose segments lie in files and are found by blocks, and one of the same documents in memory.
type shelved struct {
	t       *testing.T
	r       *rand.Rand
	w, all  *Window
	files   map[string][]byte
	keys    uint32 // number of different keys
	written int
	rounds  int
	given   int
}

const shelvedBands = 2

func newShelved(t *testing.T, seed uint64, segment int, keys uint32, count uint64) *shelved {
	t.Helper()
	p := Params{Bands: shelvedBands, Share: 100, Count: count}
	s := &shelved{t: t, r: rand.New(rand.NewPCG(seed, 1)), w: New(p), all: New(p), files: map[string][]byte{}, keys: keys}
	for _, w := range []*Window{s.w, s.all} {
		w.SealAt(segment, segmentBytes)
	}
	s.w.Files().BlocksOf(Sizes{Run: 2, Merge: 2, Parts: 2})
	return s
}

func (s *shelved) randomKeys() (keys []byte) {
	for range shelvedBands {
		keys = binary.LittleEndian.AppendUint32(keys, s.r.Uint32N(s.keys))
	}
	return keys
}

// fineTag returns the tag of a fine key: one of a few, so that documents meet under them, or that of a band key.
func (s *shelved) fineTag() uint32 {
	if s.r.IntN(3) == 0 {
		return TagOf(uint64(s.r.Uint32N(s.keys)))
	}
	return s.r.Uint32N(5)*(Tags/5) + 1
}

// links are those of a document of these keys.
func (s *shelved) links(keys []byte) (l Links) {
	if s.r.IntN(3) > 0 {
		return l
	}
	for b := range shelvedBands + 1 {
		if s.r.IntN(2) == 0 {
			l.Leave(b, shelvedBands+1)
		}
	}
	for range s.r.IntN(3) {
		tag := s.fineTag()
		if b := s.all.buckets.fineTable(tag); b == shelvedBands || BandTag(keys[b*entry.KeyBytes:]) != tag {
			l.Add(tag)
		}
	}
	return l
}

// insert adds documents to both windows, whose oldest ones leave.
func (s *shelved) insert(n int) {
	for range n {
		at, keys := entry.Position{Offset: int64(s.all.End())}, s.randomKeys()
		d := Document{Position: at, Judged: at, First: s.all.End(), Root: s.all.End(), Links: s.links(keys), Entry: entry.Entry{
			Offset: at.Offset, Kind: entry.Text, Content: uint64(at.Offset) + 1, Evidence: []byte(fmt.Sprint("text ", at.Offset)),
			Keys: keys, Digest: bytes.Repeat([]byte{byte(at.Offset) | 1}, entry.DigestBytes), ID: []byte("id"),
		}}
		for _, w := range []*Window{s.w, s.all} {
			w.Insert(&d)
		}
		s.until(func() { s.w.Expire(0) })
		s.w.Files().Done()
		s.all.Expire(0)
	}
}

// leave has the oldest document leave.
func (s *shelved) leave() {
	for _, w := range []*Window{s.w, s.all} {
		_, _, size := w.Front()
		w.Leave(size)
	}
	s.until(func() {})
	s.w.Files().Done()
}

// read reads a page of a file, or all of it.
func (s *shelved) read(w Want) ([]byte, error) {
	data := s.files[w.File]
	if w.Page != Whole {
		data = data[w.Page*PageBytes : min(len(data), (w.Page+1)*PageBytes)]
	}
	return data, nil
}

// until makes a call until it wants nothing.
func (s *shelved) until(call func()) {
	s.t.Helper()
	h := s.w.Files()
	h.Again()
	for call(); h.Wants(); call() {
		for _, want := range h.Wanted() {
			data, _ := s.read(want)
			if err := h.Give(want, data); err != nil {
				s.t.Fatalf("give %v: error %v", want, err)
			}
			s.given++
		}
		s.rounds++
		h.Again()
	}
}

// file has all sealed segments lie in files.
func (s *shelved) file() {
	for _, v := range s.w.Files().Unfiled() {
		s.written++
		name, data := fmt.Sprint(v.Number, " ", s.written), v.Append(nil)
		if s.files[name] = data; !s.w.Files().File(v.Filed(name, data)) {
			s.t.Fatalf("segment %d is of no use", v.Number)
		}
	}
}

// write writes the block of a run.
func (s *shelved) write(run *Run) *Block {
	s.t.Helper()
	for _, name := range run.Linked() {
		if err := run.Read(name, s.files[name]); err != nil {
			s.t.Fatal(err)
		}
	}
	var file bytes.Buffer
	parts := make([]io.ReaderAt, len(run.Parts))
	for k, part := range run.Parts {
		parts[k] = bytes.NewReader(s.files[part.File()])
	}
	postings, err := run.Write(&file, parts)
	if err != nil {
		s.t.Fatal(err)
	}
	b, err := NewBlock(run.File(), postings)
	if err != nil {
		s.t.Fatal(err)
	}
	s.files[run.File()] = file.Bytes()
	return b
}

// cover has as many documents as possible be found by blocks.
func (s *shelved) cover() {
	s.t.Helper()
	for s.file(); ; {
		run := s.w.Files().Due(true)
		if run == nil {
			return
		}
		if !s.w.Files().Adopt(s.write(run)) {
			s.t.Fatalf("block %s is of no use", run.File())
		}
	}
}

// met is what a lookup meets: numbers, and the first byte of digests.
func met(x *Buckets) (all [][2]uint64) {
	for _, m := range x.Met() {
		all = append(all, [2]uint64{uint64(m.Number()), uint64(m.Digest()[0])})
	}
	return all
}

// same compares lookups in both windows.
func (s *shelved) same() {
	s.t.Helper()
	for range 6 {
		keys, most, fine := s.randomKeys(), 1+s.r.IntN(9), s.fineTag()
		if s.r.IntN(4) == 0 {
			most = 5000
		}
		look := func(w *Window) (counts []int) {
			w.buckets.Probe(keys)
			counts = append(counts, w.buckets.Meet(shelvedBands, most), w.buckets.MeetFine(fine, most))
			for b := range shelvedBands {
				counts = append(counts, w.buckets.Meet(b, most))
			}
			return counts
		}
		var counts []int
		s.until(func() { counts = look(s.w) })
		want, got := look(s.all), met(&s.w.buckets)
		if all := met(&s.all.buckets); !slices.Equal(counts, want) || !slices.Equal(got, all) {
			s.t.Fatalf("keys %x, fine key %x, up to %d, from %d to %d: met %d, in memory %d:\n%v\n%v", keys, fine, most, s.w.oldest,
				s.w.end, counts, want, got, all)
		}
		s.w.Files().Done()
	}
}
