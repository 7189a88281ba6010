package block_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/block"
)

// write writes a block of lists, and returns it and its file.
func write(t testing.TB, about string, lists [][]block.Posting) (*block.Block, []byte) {
	t.Helper()
	var file bytes.Buffer
	b, err := block.Write(&file, []byte(about), len(lists), func(i int, into []block.Posting) ([]block.Posting, error) {
		return append(into, lists[i]...), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b, file.Bytes()
}

func open(t testing.TB, file []byte) *block.Block {
	t.Helper()
	b, err := block.Open(exact{file}, int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// find returns the places under a key, and how many pages it has read. It fails where a page is not sound.
func find(b *block.Block, file []byte, list int, key uint32) (places []uint32, pages int, err error) {
	if !b.May(list, key) {
		return nil, 0, nil
	}
	from, to := b.Pages(list, key)
	for page := from; page < to; page++ {
		data := file[page*block.PageBytes:][:block.PageBytes]
		if !b.Sound(page, data) {
			return nil, 0, fmt.Errorf("page %d is not sound", page)
		}
		places = b.Find(places, page, data, key)
	}
	return places, to - from, nil
}

// postings reads all postings of a list.
func postings(b *block.Block, file io.ReaderAt, list int) (all []block.Posting, err error) {
	for some, err := range b.Postings(file, list) {
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// naive is the places under each key of a list, in ascending order.
func naive(list []block.Posting) map[uint32][]uint32 {
	all := map[uint32][]uint32{}
	for _, p := range list {
		all[p.Key] = append(all[p.Key], p.At)
	}
	for _, places := range all {
		slices.Sort(places)
	}
	return all
}

func inOrder(list []block.Posting) []block.Posting {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b block.Posting) int {
		if a.Key != b.Key {
			return int(int64(a.Key) - int64(b.Key))
		}
		return int(int64(a.At) - int64(b.At))
	})
	return list
}

// dealt returns a list of n postings of few or many keys. Places ascend, or not.
func dealt(rng *rand.Rand, n int) []block.Posting {
	space, bits := 1+rng.Uint64N(1<<rng.IntN(33)), rng.IntN(33)
	ascend, list := rng.IntN(2) == 0, make([]block.Posting, n)
	for i := range list {
		list[i] = block.Posting{Key: uint32(rng.Uint64N(space)), At: uint32(i)}
		if !ascend {
			list[i].At = rng.Uint32() >> bits
		}
	}
	if n > 0 && rng.IntN(4) == 0 {
		list[rng.IntN(n)].Key = math.MaxUint32
	}
	return list
}

// TestFinds: a block finds what a map does, also when it was read from its file, and also without filters. A key costs no
// more than the pages that have it and one more.
func TestFinds(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		lists := make([][]block.Posting, rng.IntN(6))
		for i := range lists {
			lists[i] = dealt(rng, rng.IntN([]int{2, 5, 600, 4000}[rng.IntN(4)]))
		}
		written, file := write(t, "about", lists)
		doubtful := open(t, file)
		doubtful.Answer(true)
		for name, b := range map[string]*block.Block{"written": written, "read": open(t, file), "doubtful": doubtful} {
			if b.Lists() != len(lists) || string(b.About()) != "about" || b.Size() != int64(len(file)) {
				t.Fatalf("seed %d, %s: %d lists, %d bytes, %q", seed, name, b.Lists(), b.Size(), b.About())
			}
			for i, list := range lists {
				if key := rng.Uint32(); name == "doubtful" && !b.May(i, key) {
					t.Fatalf("seed %d: list %d has no doubt of key %d", seed, i, key)
				}
				all := naive(list)
				for _, p := range list {
					for _, key := range []uint32{p.Key, p.Key - 1, p.Key + 1} {
						places, pages, err := find(b, file, i, key)
						if err != nil || !slices.Equal(places, all[key]) {
							t.Fatalf("seed %d, %s, list %d, key %d: places %d, not %d; error %v", seed, name, i, key, places, all[key], err)
						}
						if most := 2 + (len(places)+510)/512; pages > most {
							t.Fatalf("seed %d, %s, list %d, key %d: %d pages for %d places", seed, name, i, key, pages, len(places))
						}
					}
				}
				if got, err := postings(b, bytes.NewReader(file), i); err != nil || !slices.Equal(got, inOrder(list)) {
					t.Fatalf("seed %d, %s, list %d: postings differ, error %v", seed, name, i, err)
				}
			}
		}
		if again := open(t, file); again.Memory() != written.Memory() {
			t.Errorf("seed %d: %d bytes of memory, %d when read", seed, written.Memory(), again.Memory())
		}
	}
}

// TestSameBytes: the order of postings does not matter, nor whether a block was written at once or of two others.
func TestSameBytes(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var lists, shuffled, older, newer [][]block.Posting
		const border = 1000
		for range 3 {
			list := dealt(rng, 3000)
			var parts [2][]block.Posting
			for _, p := range list {
				if p.At < border {
					parts[0] = append(parts[0], p)
				} else {
					parts[1] = append(parts[1], block.Posting{Key: p.Key, At: p.At - border})
				}
			}
			mixed := slices.Clone(list)
			rng.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
			lists, shuffled = append(lists, list), append(shuffled, mixed)
			older, newer = append(older, parts[0]), append(newer, parts[1])
		}
		_, want := write(t, "", lists)
		if _, got := write(t, "", shuffled); !bytes.Equal(got, want) {
			t.Errorf("seed %d: another order makes other bytes", seed)
		}
		a, first := write(t, "a", older)
		b, second := write(t, "b", newer)
		var merged bytes.Buffer
		of, err := block.Merge(&merged, nil, []block.Part{
			{Block: a, File: bytes.NewReader(first)}, {Block: b, File: bytes.NewReader(second), Shift: border},
		})
		if err == nil && of.Memory() != open(t, want).Memory() {
			t.Errorf("seed %d: a merged block takes %d bytes of memory", seed, of.Memory())
		}
		if err != nil || !bytes.Equal(merged.Bytes(), want) {
			t.Errorf("seed %d: merged blocks make other bytes, error %v", seed, err)
		}
	}
}

// TestFewKeys: sets that are small for the library are found all the same, and an empty list has nothing.
func TestFewKeys(t *testing.T) {
	for n := range 40 {
		for _, copies := range []int{1, 700} {
			var list []block.Posting
			for i := range n * copies {
				list = append(list, block.Posting{Key: uint32(i%n) * 77, At: uint32(i)})
			}
			written, file := write(t, "", [][]block.Posting{nil, list, nil})
			b := open(t, file)
			for key := range n {
				if places, _, err := find(b, file, 1, uint32(key)*77); err != nil || len(places) != copies {
					t.Fatalf("of %d keys, key %d is under %d places, error %v", n, key, len(places), err)
				}
			}
			for key := range uint32(2000) {
				for _, empty := range []int{0, 2} {
					if from, to := b.Pages(empty, key); b.May(empty, key) || written.May(empty, key) || from != to {
						t.Fatalf("an empty list may have key %d, in pages %d to %d", key, from, to)
					}
				}
			}
		}
	}
}

// TestFalsePositives: of the keys that no document has, one of 256 may be there; keys that follow each other as well.
func TestFalsePositives(t *testing.T) {
	const keys, asked = 200_000, 1 << 20
	rng := rand.New(rand.NewPCG(3, 3))
	random, run := make([]block.Posting, keys), make([]block.Posting, keys)
	for i := range run {
		random[i], run[i] = block.Posting{Key: rng.Uint32() | 1}, block.Posting{Key: uint32(2*i + 1)}
	}
	b, _ := write(t, "", [][]block.Posting{random, run})
	for list := range 2 {
		yes := 0
		for i := range uint32(asked) {
			if b.May(list, 2*i) {
				yes++
			}
		}
		if want := asked / 256; yes < want*9/10 || yes > want*11/10 { // the standard deviation is 64, of 4,096
			t.Errorf("list %d may have %d keys of %d that it has not, not %d", list, yes, asked, want)
		}
	}
	if bits := 8 * float64(b.Memory()) / (2 * keys); bits > 9.6 {
		t.Errorf("%.2f bits a key", bits)
	}
}

// TestWriteEnds: an error of a list is returned as it is, and one of the file at any byte is returned.
func TestWriteEnds(t *testing.T) {
	planned := errors.New("planned")
	for at := range 3 {
		calls := 0
		_, err := block.Write(&bytes.Buffer{}, nil, 3, func(i int, into []block.Posting) ([]block.Posting, error) {
			if calls++; i == at {
				return nil, planned
			}
			return into, nil
		})
		if err != planned || calls != at+1 { //nolint:errorlint // as it is
			t.Errorf("list %d: error %v after %d calls", at, err, calls)
		}
	}
	list := dealt(rand.New(rand.NewPCG(4, 4)), 20_000)
	_, file := write(t, "about", [][]block.Posting{list, list})
	for _, full := range []int{0, 1, 4096, 100_000, 200_000, len(file) - 1, len(file)} {
		_, err := block.Write(&disk{left: full}, []byte("about"), 2, func(_ int, into []block.Posting) ([]block.Posting, error) {
			return append(into, list...), nil
		})
		if failed := full < len(file); errors.Is(err, errFull) != failed {
			t.Errorf("a disk of %d bytes, a block of %d: error %v", full, len(file), err)
		}
	}
}

// TestMergeEnds: an error of a part is returned, and names it, and so are parts of other lists.
func TestMergeEnds(t *testing.T) {
	list := dealt(rand.New(rand.NewPCG(5, 4)), 20_000)
	b, file := write(t, "", [][]block.Posting{list, list})
	other, _ := write(t, "", [][]block.Posting{list})
	whole := block.Part{Block: b, Name: "whole", File: bytes.NewReader(file)}
	damaged := bytes.Clone(file)
	damaged[len(file)/2] ^= 1
	for want, part := range map[string]block.Part{
		"block damaged: ": {Block: b, Name: "damaged", File: bytes.NewReader(damaged)},
		"block gone: ":    {Block: b, Name: "gone", File: failing{file, 0}},
		"block whole has 2 lists, and other has 1": {Block: other, Name: "other", File: bytes.NewReader(file)},
	} {
		if _, err := block.Merge(io.Discard, nil, []block.Part{whole, part}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := block.Merge(&disk{left: len(file)}, nil, []block.Part{whole, whole}); !errors.Is(err, errFull) {
		t.Errorf("a full disk: %v", err)
	}
}

var errFull = errors.New("it is full")

// disk takes so many bytes.
type disk struct{ left int }

func (d *disk) Write(data []byte) (int, error) {
	n := min(d.left, len(data))
	d.left -= n
	if n < len(data) {
		return n, errFull
	}
	return n, nil
}
