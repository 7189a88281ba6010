package text

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// TestKernels compares each kernel that this processor has with the portable code, byte for byte and hash for hash. A
// processor without a kernel runs the portable code instead, which the other tests cover.
func TestKernels(t *testing.T) {
	for _, k := range []struct {
		name string
		has  bool
		test func(*testing.T)
	}{
		{"foldBlocks is foldLanes", hasAVX512(), foldBlocksIsFoldLanes},
		{"foldHalves is foldLanes", hasAVX2(), foldHalvesIsFoldLanes},
		{"wordBlocks is hashBlock", hasAVX2(), wordBlocksIsHashBlock},
		{"combineBlocks is combineEach", hasAVX512(), func(t *testing.T) { isCombineEach(t, combineBlocks, lane) }},
		{"combineFours is combineEach", hasAVX2(), func(t *testing.T) { isCombineEach(t, combineFours, 4) }},
		{"charBlocks is hashEach", hasAVX512(), charBlocksIsHashEach},
		{"blocksBelow", hasAVX512(), func(t *testing.T) { belowTheBound(t, blocksBelow) }},
		{"pairsBelow", hasAVX2(), func(t *testing.T) { belowTheBound(t, pairsBelow) }},
	} {
		if k.has {
			t.Run(k.name, k.test)
		}
	}
}

// TestWithoutKernels runs the tests of this package again in processes that take the processor for an older one: one
// without AVX-512, and one without AVX2 too. If this process has no kernels there is nothing to do: all its tests
// already ran the portable code. The processes are built without the race detector, which costs four times the rest and
// finds nothing where there is no goroutine, but with its checks of pointers.
func TestWithoutKernels(t *testing.T)     { tryWithoutKernels(t, "-test.skip=Long$") }
func TestWithoutKernelsLong(t *testing.T) { tryWithoutKernels(t, "-test.run=Long$") }

// withoutKernels names the variable that says what such a process is without.
const withoutKernels = "UNECHO_TEST_WITHOUT_KERNELS"

func tryWithoutKernels(t *testing.T, which string) {
	switch os.Getenv(withoutKernels) {
	case "avx512":
		if hasAVX512() || !hasAVX2() {
			t.Fatal("GODEBUG has not left the kernels of AVX2 alone")
		}
		return
	case "avx2":
		if hasAVX2() {
			t.Fatal("GODEBUG has not switched the kernels off")
		}
		return
	}
	if !hasAVX2() {
		return
	}
	program := filepath.Join(t.TempDir(), "text.test")
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-race=false", "-gcflags=-d=checkptr", "-o",
		program, ".").CombinedOutput(); err != nil {
		t.Fatalf("building the tests: %v\n%s", err, out)
	}
	for _, older := range []struct {
		without, godebug string
		has              bool
	}{
		{"avx512", "cpu.avx512bw=off", hasAVX512()},
		{"avx2", "cpu.avx2=off,cpu.avx512bw=off", true},
	} {
		if !older.has {
			continue
		}
		t.Run("without "+older.without, func(t *testing.T) {
			t.Parallel()
			again := exec.CommandContext(t.Context(), program, which)
			again.Env = append(os.Environ(), withoutKernels+"="+older.without, "GODEBUG="+older.godebug)
			if out, err := again.CombinedOutput(); err != nil {
				t.Fatalf("%s without %s ends with %v; want no error; it prints\n%s", which, older.without, err, out)
			}
		})
	}
}

// TestKernelsAreSwitchedOff: GODEBUG switches the kernels of AVX-512 off by the name of that, as by those of its parts.
func TestKernelsAreSwitchedOff(t *testing.T) {
	const off = "UNECHO_TEST_KERNELS_OFF"
	if os.Getenv(off) != "" {
		if hasAVX512() {
			t.Fatal("the kernels are on")
		}
		return
	}
	for _, feature := range []string{"avx512", "avx512f", "avx512bw", "all"} {
		again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKernelsAreSwitchedOff$")
		again.Env = append(os.Environ(), off+"=1", "GODEBUG=cpu."+feature+"=off")
		if out, err := again.CombinedOutput(); err != nil {
			t.Errorf("with %s off, the test ends with %v; want the kernels off and no error; it prints\n%s", feature, err, out)
		}
	}
}

// randomText draws from few letters, so that runs of separators, long words and single letters are all frequent.
func randomText(random *rand.Rand, alphabet string, n int) []byte {
	text := make([]byte, n)
	for i := range text {
		text[i] = alphabet[random.IntN(len(alphabet))]
	}
	return text
}

const separatorsOften, separatorsSeldom = "aZ9 .,-\n@[`{/:09azAZ\x00\x7f",
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ."

func foldBlocksIsFoldLanes(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	for n := range 5 * block {
		for _, alphabet := range []string{separatorsOften, separatorsSeldom, " ", "a"} {
			src, gap := randomText(random, alphabet, n+1), uint64(n%2)
			want := foldLanes([]byte("x"), src, gap)
			got := bytes.Repeat([]byte{'#'}, 1+len(src)+block)
			if wrote := foldBlocks(&got[1], &src[0], len(src), gap); !bytes.Equal(got[1:1+wrote], want[1:]) {
				t.Fatalf("%q, gap %d: got %q, want %q", src, gap, got[1:1+wrote], want[1:])
			}
		}
	}
	for b := range 128 { // each byte alone, and in all places
		for _, src := range [][]byte{
			{byte(b)},
			bytes.Repeat([]byte{byte(b)}, 70),
			append(bytes.Repeat([]byte("A"), 69), byte(b)),
		} {
			got := make([]byte, len(src)+block)
			got = got[:foldBlocks(&got[0], &src[0], len(src), 0)]
			if want := foldLanes(nil, src, 0); !bytes.Equal(got, want) {
				t.Errorf("%q: got %q, want %q", src, got, want)
			}
		}
	}
}

func foldHalvesIsFoldLanes(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 5))
	for halves := 1; halves < 9; halves++ {
		for i := range 100 {
			for _, alphabet := range []string{separatorsOften, separatorsSeldom, "a ", " ", "a"} {
				compareHalves(t, randomText(random, alphabet, halves*wide), uint64(i%2))
			}
		}
	}
	for b := range 128 {
		compareHalves(t, bytes.Repeat([]byte{byte(b)}, wide), 0)
	}
	for keep := range 1 << lane { // each choice of eight bytes, at each of the four places
		for at := 0; at < wide; at += lane {
			src := bytes.Repeat([]byte("a"), wide)
			for place := range lane {
				if keep>>place&1 == 0 {
					src[at+place] = '-'
				}
			}
			compareHalves(t, src, uint64(keep&1))
		}
	}
}

func compareHalves(t *testing.T, src []byte, gap uint64) {
	t.Helper()
	want := foldLanes(nil, src, gap)
	got := bytes.Repeat([]byte{'#'}, len(src)+1)
	wrote := foldHalves(&got[0], &src[0], len(src)/wide, gap)
	if !bytes.Equal(got[:wrote], want) || got[len(src)] != '#' {
		t.Fatalf("%q, gap %d: got %q, want %q", src, gap, got[:wrote], want)
	}
}

func wordBlocksIsHashBlock(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 2))
	for n := block + piece; n < 6*block; n++ {
		for _, alphabet := range []string{"ab ", "abcdefghi ", separatorsSeldom, "a", " "} {
			text := randomText(random, alphabet, n)
			for room := block; room <= 3*block; room += 19 {
				compareWords(t, text, room)
			}
		}
	}
}

// compareWords compares wordBlocks with hashBlock for a text of a block and a piece or more.
func compareWords(t *testing.T, text []byte, room int) {
	t.Helper()
	got, n := make([]uint64, room+1), len(text)
	words, at, start := wordBlocks(&got[0], room, &text[0], n, 0, 0)
	want, wantStart := []uint64(nil), 0
	for blockAt := 0; blockAt < at; blockAt += block {
		if len(want)+block > room {
			t.Fatalf("%q, room for %d: went on after %d", text, room, len(want))
		}
		hashes := make([]uint64, block)
		count, next := hashBlock(hashes, text, blockAt, wantStart)
		want, wantStart = append(want, hashes[:count]...), next
	}
	if !slices.Equal(got[:words], want) || start != wantStart || got[room] != 0 {
		t.Fatalf("%q, room for %d: got %x and %d, want %x and %d", text, room, got[:words], start, want, wantStart)
	}
	if full := room-words < block; !full && at+block+piece <= n || at == 0 {
		t.Fatalf("%d bytes, room for %d, %d words: stopped at %d", n, room, words, at)
	}
}

// FuzzKernels compares each kernel that this processor has with the portable code, for any text.
func FuzzKernels(f *testing.F) {
	f.Add([]byte("Call me Ishmael. Some years ago--never mind how long precisely--having little or no money"), true, 64, 3)
	f.Add(bytes.Repeat([]byte("a, "), 100), false, 100, 16)
	f.Fuzz(func(t *testing.T, text []byte, gap bool, room, size int) {
		if hasAVX2() && len(text) >= block+piece && room >= block && room < 1<<16 {
			compareWords(t, text, room)
		}
		if size < 1 || size > MaxWords {
			return
		}
		items := make([]uint64, 0, len(text))
		for i := range text {
			items = append(items, hash(text, i, len(text)))
		}
		compareCombined(t, hasAVX2(), combineFours, items, 4, size)
		compareCombined(t, hasAVX512(), combineBlocks, items, lane, size)
		for i := range text {
			text[i] &= 0x7f
		}
		compareFolded(t, text, map[bool]uint64{true: 1}[gap])
	})
}

// compareFolded compares the kernels that fold with foldLanes.
func compareFolded(t *testing.T, src []byte, gap uint64) {
	t.Helper()
	if hasAVX2() && len(src) >= wide {
		compareHalves(t, src[:len(src)/wide*wide], gap)
	}
	if hasAVX512() && len(src) > 0 {
		want, got := foldLanes(nil, src, gap), make([]byte, len(src)+block)
		if wrote := foldBlocks(&got[0], &src[0], len(src), gap); !bytes.Equal(got[:wrote], want) {
			t.Fatalf("%q, gap %d: got %q, want %q", src, gap, got[:wrote], want)
		}
	}
}

func compareCombined(t *testing.T, has bool, kernel func(*uint64, int, int), items []uint64, each, size int) {
	t.Helper()
	blocks := (len(items) - size + 1) / each
	if !has || blocks < 1 {
		return
	}
	got := slices.Clone(items[:blocks*each+size-1])
	want := slices.Clone(got)
	kernel(&got[0], blocks, size)
	combineEach(want, size)
	if !slices.Equal(got, want) {
		t.Fatalf("%d blocks of size %d: got %x, want %x", blocks, size, got, want)
	}
}

func isCombineEach(t *testing.T, kernel func(*uint64, int, int), each int) {
	t.Helper()
	random := rand.New(rand.NewPCG(4, 3))
	for size := 1; size <= MaxWords; size++ {
		for blocks := 1; blocks < 9; blocks++ {
			items := make([]uint64, blocks*each+size-1)
			for i := range items {
				items[i] = random.Uint64()
			}
			compareCombined(t, true, kernel, items, each, size)
		}
	}
}

func charBlocksIsHashEach(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for size := 1; size <= piece; size++ {
		for blocks := 1; blocks < 9; blocks++ {
			text := make([]byte, blocks*lane+piece)
			for i := range text {
				text[i] = byte(random.Uint32()) // all byte values, to cause all carries
			}
			got, want := make([]uint64, blocks*lane), make([]uint64, blocks*lane)
			charBlocks(&got[0], &text[0], blocks, masks[size][0], masks[size][1])
			hashEach(want, text, &masks[size])
			if !slices.Equal(got, want) {
				t.Fatalf("%d blocks of size %d: got %x, want %x", blocks, size, got, want)
			}
		}
	}
}

func belowTheBound(t *testing.T, kernel func(*byte, int, uint64) int) {
	t.Helper()
	for _, bound := range []int{0x80, 0xe0} {
		text := bytes.Repeat([]byte{byte(bound - 1)}, 4*block)
		for at := range text {
			for _, b := range []int{bound, 0xff} {
				text[at] = byte(b)
				if got := kernel(&text[0], 4, uint64(bound)); got != at/block {
					t.Fatalf("bound %#x, %#x at %d: got %d", bound, b, at, got)
				}
				text[at] = byte(bound - 1)
			}
		}
		if got := kernel(&text[0], 4, uint64(bound)); got != 4 {
			t.Errorf("bound %#x: got %d", bound, got)
		}
	}
}

func TestLenBelow(t *testing.T) {
	for n := range 3 * block {
		for at := range n {
			text := bytes.Repeat([]byte("a"), n)
			text[at] = 0xe0
			for _, bound := range []uint64{0x80, 0xe0} {
				if got := lenBelow(text, bound); got > at {
					t.Fatalf("%d bytes, another at %d: got %d", n, at, got)
				}
			}
			if got := asciiLen(text); got != at {
				t.Fatalf("%d bytes, another at %d: got %d ASCII bytes", n, at, got)
			}
		}
	}
}
