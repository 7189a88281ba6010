package block_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/unecho/unecho/index/block"
	"github.com/unecho/unecho/index/wire"
)

const footerBytes = 24

// seal makes the checksums of a file right, so that what they cover is read. It returns false if the file is too short.
func seal(file []byte) bool {
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	at := len(file) - footerBytes
	if at < 0 {
		return false
	}
	foot := file[at:]
	if length := binary.LittleEndian.Uint64(foot[8:]); length <= uint64(at) {
		binary.LittleEndian.PutUint32(foot[16:], crc32.Checksum(file[at-int(length):at], castagnoli))
	}
	copy(foot, "\x1eunb")
	binary.LittleEndian.PutUint32(foot[20:], crc32.Checksum(foot[:20], castagnoli))
	return true
}

func small(t testing.TB) (lists [][]block.Posting, file []byte) {
	lists = [][]block.Posting{dealt(rand.New(rand.NewPCG(1, 5)), 30), nil, dealt(rand.New(rand.NewPCG(2, 5)), 520)}
	_, file = write(t, "about", lists)
	return lists, file
}

// TestDamaged: a file with one bit changed does not open, or its page is not sound. It never answers otherwise.
func TestDamaged(t *testing.T) {
	lists, file := small(t)
	rng := rand.New(rand.NewPCG(3, 5))
	opened := 0
	for at := range file {
		damaged := bytes.Clone(file)
		damaged[at] ^= 1 << rng.IntN(8)
		b, err := block.Open(bytes.NewReader(damaged), int64(len(damaged)))
		if err != nil {
			if !errors.Is(err, wire.ErrCorrupt) {
				t.Fatalf("byte %d: %v", at, err)
			}
			continue
		}
		opened++
		page := at / block.PageBytes
		for i := range len(file) / block.PageBytes {
			if sound := b.Sound(i, damaged[i*block.PageBytes:][:block.PageBytes]); sound != (i != page) {
				t.Fatalf("byte %d: page %d is sound: %v", at, i, sound)
			}
		}
		for i, list := range lists {
			from, to := b.Pages(i, 0)
			for _, p := range list {
				first, last := b.Pages(i, p.Key)
				from, to = min(from, first), max(to, last)
			}
			got, err := postings(b, bytes.NewReader(damaged), i)
			if hit := from <= page && page < to; hit && !errors.Is(err, wire.ErrCorrupt) {
				t.Fatalf("byte %d: list %d has no error of a damaged page: %v", at, i, err)
			} else if !hit && (err != nil || !slices.Equal(got, inOrder(list))) {
				t.Fatalf("byte %d: list %d is another one, error %v", at, i, err)
			}
		}
	}
	if want := 3 * block.PageBytes; opened != want {
		t.Errorf("%d damaged files open, not the %d whose pages are damaged", opened, want)
	}
}

// TestCutShort: no part of a file opens, also if its size is said to be the whole one.
func TestCutShort(t *testing.T) {
	_, file := small(t)
	for n := range file {
		for _, size := range []int{n, len(file)} {
			if _, err := block.Open(bytes.NewReader(file[:n]), int64(size)); !errors.Is(err, wire.ErrCorrupt) {
				t.Fatalf("%d bytes, said to be %d: error %v", n, size, err)
			}
		}
		if n >= len(file)-block.PageBytes && seal(slices.Clone(file[n:])) {
			part := slices.Clone(file[n:])
			if _, err := block.Open(bytes.NewReader(part), int64(len(part))); !errors.Is(err, wire.ErrCorrupt) {
				t.Fatalf("without the first %d bytes: error %v", n, err)
			}
		}
	}
}

// TestOtherVersion: a block of another version says so.
func TestOtherVersion(t *testing.T) {
	_, file := small(t)
	for _, version := range []byte{0, 2, 255} {
		other := bytes.Clone(file)
		other[len(other)-footerBytes+4] = version
		seal(other)
		if _, err := block.Open(bytes.NewReader(other), int64(len(other))); !errors.Is(err, wire.ErrVersion) {
			t.Errorf("version %d: error %v", version, err)
		}
	}
}

// TestReadFails: an error of the disk is not damage.
func TestReadFails(t *testing.T) {
	_, file := small(t)
	b := open(t, file)
	for _, last := range []int64{0, footerBytes} {
		_, err := block.Open(failing{file, last}, int64(len(file)))
		if !errors.Is(err, errDisk) || errors.Is(err, wire.ErrCorrupt) {
			t.Errorf("open: %v", err)
		}
	}
	if _, err := postings(b, failing{file, 0}, 0); !errors.Is(err, errDisk) || errors.Is(err, wire.ErrCorrupt) {
		t.Errorf("postings: %v", err)
	}
}

var errDisk = errors.New("planned error of the disk")

// failing reads what stands in the last bytes, and nothing else.
type failing struct {
	file []byte
	last int64
}

func (f failing) ReadAt(data []byte, at int64) (int, error) {
	if at < int64(len(f.file))-f.last {
		return 0, errDisk
	}
	return bytes.NewReader(f.file).ReadAt(data, at)
}

// exact returns io.EOF with the last bytes, as a reader may.
type exact struct{ file []byte }

func (e exact) ReadAt(data []byte, at int64) (int, error) {
	n := copy(data, e.file[at:])
	if at+int64(n) == int64(len(e.file)) {
		return n, io.EOF
	}
	return n, nil
}

// fileOf makes a file of so many empty pages and a trailer.
func fileOf(pages int, trailer []byte) []byte {
	file := append(make([]byte, pages*block.PageBytes), trailer...)
	foot := make([]byte, footerBytes)
	foot[4] = 1
	binary.LittleEndian.PutUint64(foot[8:], uint64(len(trailer)))
	file = append(file, foot...)
	seal(file)
	return file
}

// TestFalseTrailers: a trailer that claims what cannot be is refused, and nothing is allocated for it.
func TestFalseTrailers(t *testing.T) {
	list := func(count, length, segments uint64, rest int) []byte {
		trailer := binary.AppendUvarint([]byte{0, 1}, count)
		trailer = binary.AppendUvarint(append(trailer, make([]byte, 8)...), length)
		return append(binary.AppendUvarint(trailer, segments), make([]byte, rest)...)
	}
	const most = math.MaxUint64
	for name, c := range map[string]struct {
		pages   int
		trailer []byte
		opens   bool
	}{
		"no list":              {0, []byte{0, 0}, true},
		"a list":               {2, list(513, 4, 1, 8+12+8), true},
		"an empty list":        {0, list(0, 0, 0, 0), true},
		"nothing":              {0, nil, false},
		"a byte more":          {0, []byte{0, 0, 0}, false},
		"a page more":          {1, []byte{0, 0}, false},
		"a long about":         {0, append(binary.AppendUvarint(nil, most), 0), false},
		"many lists":           {0, append(binary.AppendUvarint([]byte{0}, 1<<20), make([]byte, 1<<20)...), false},
		"many postings":        {2, list(most, 4, 1, 8+12+8), false},
		"a page of no posting": {2, list(512, 4, 1, 8+12+8), false},
		"segments of 3":        {2, list(513, 3, 1, 8+9+8), false},
		"large segments":       {2, list(513, 1<<40, 1, 8+12+8), false},
		"large segments of 1":  {2, list(513, 1<<63, most, 8+12+8), false},
		"segments too large":   {2, list(513, 1<<63, 0, 8+8), false}, // their sum is 0 in 64 bits
		"two segments":         {2, list(513, 4, 0, 8+8+8), false},   // Contains reads three
		"many segments":        {2, list(513, 4, most-1, 8+12+8), false},
		"a filter cut short":   {2, list(513, 4, 1, 8+11), false},
		"checksums cut short":  {2, list(513, 4, 1, 8+12+7), false},
	} {
		file := fileOf(c.pages, c.trailer)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		b, err := block.Open(exact{file}, int64(len(file)))
		runtime.ReadMemStats(&after)
		if c.opens != (err == nil) || err != nil && !errors.Is(err, wire.ErrCorrupt) {
			t.Errorf("%s: error %v", name, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > uint64(20*len(file)+1<<16) {
			t.Errorf("%s: %d bytes are allocated for a file of %d", name, took, len(file))
		}
		if err == nil {
			ask(t, b, file, 0)
		}
	}
}

// TestFormat: what this version writes does not change unless its number does.
func TestFormat(t *testing.T) {
	_, file := small(t)
	if sum := crc32.ChecksumIEEE(file); len(file) != 12_521 || sum != 0x38b6c92 {
		t.Errorf("%d bytes of checksum %#x", len(file), sum)
	}
}

// FuzzOpen: no file makes Open panic, or take much more memory than the file has bytes; nor what is asked of it then.
// It is tried as it is, and as the trailer of some pages.
func FuzzOpen(f *testing.F) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 6))
		lists := make([][]block.Posting, seed)
		for i := range lists {
			lists[i] = dealt(rng, rng.IntN(30))
		}
		b, file := write(f, "about", lists)
		pages := int(b.Size()) / block.PageBytes
		f.Add(file[pages*block.PageBytes:len(file)-footerBytes], uint8(pages), uint32(7))
		if seed < 2 {
			f.Add(file, uint8(pages), uint32(7))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, pages uint8, key uint32) {
		for _, file := range [][]byte{data, fileOf(int(pages%8), data)} {
			b, err := block.Open(exact{file}, int64(len(file)))
			if err != nil {
				if !errors.Is(err, wire.ErrCorrupt) && !errors.Is(err, wire.ErrVersion) {
					t.Fatal(err)
				}
				continue
			}
			if b.Memory() > 1000+12*int64(len(file)) {
				t.Fatalf("%d bytes of memory for a file of %d", b.Memory(), len(file))
			}
			ask(t, b, file, key)
		}
	})
}

// ask asks a block of everything.
func ask(t *testing.T, b *block.Block, file []byte, key uint32) {
	t.Helper()
	for list := range b.Lists() {
		b.May(list, key)
		from, to := b.Pages(list, key)
		for page := from; page < to; page++ {
			data := file[page*block.PageBytes:][:block.PageBytes]
			b.Sound(page, data)
			b.Find(nil, page, data, key)
		}
		if _, err := postings(b, exact{file}, list); err != nil && !errors.Is(err, wire.ErrCorrupt) {
			t.Fatal(err)
		}
	}
	whole := make([]byte, block.PageBytes)
	for _, page := range []int{-1, int(b.Size()) / block.PageBytes, 1 << 40} {
		if b.Sound(page, whole) || b.Find(nil, page, whole, key) != nil {
			t.Fatalf("page %d, which is none, is sound or has postings", page)
		}
	}
	if b.Sound(0, whole[1:]) || b.Find(nil, 0, nil, key) != nil {
		t.Fatal("a part of a page is sound or has postings")
	}
}
