package text

import (
	"bytes"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"
	"unsafe"
)

// pageEnd returns this many bytes of memory that end at an inaccessible page: an access beyond them faults.
func pageEnd(t *testing.T, most int) []byte {
	t.Helper()
	page := os.Getpagesize()
	size := (most + page - 1) / page * page
	memory, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(memory); err != nil {
			t.Error(err)
		}
	})
	if err := syscall.Mprotect(memory[size:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	return memory[size-most : size : size]
}

// faults says whether do touches inaccessible memory.
func faults(do func()) (fault any) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { fault = recover() }()
	do()
	return nil
}

func TestNothingIsReadBehindTheText(t *testing.T) {
	const most = 5 * block
	memory := pageEnd(t, most)
	if faults(func() { bytes.IndexByte(unsafe.Slice(&memory[1], most), 0xff) }) == nil {
		t.Fatal("the page behind can be read")
	}
	random := rand.New(rand.NewPCG(4, 6))
	normalizer := with(t)
	shinglings := []Shingling{
		shingling(t, "word:1"), shingling(t, "word:5"), shingling(t, "char:1"), shingling(t, "char:5"),
		shingling(t, "char:16"),
		shingling(t, "char:17"), shingling(t, "auto:3"), shingling(t, "word:3").Hashed(Murmur3), shingling(t, "char:5").
			Hashed(Murmur3),
	}
	for n := range most {
		for _, alphabet := range []string{separatorsOften, separatorsSeldom, "abc ", "a", "ab\u00e9 \u65e5"} {
			text := memory[most-n:]
			copy(text, randomText(random, alphabet, n))
			var normal []byte
			var hashes []uint64
			if fault := faults(func() { normal = normalizer.Append(nil, text) }); fault != nil {
				t.Fatalf("normalise %q: %v", text, fault)
			}
			if want := normalizer.Append(nil, slices.Clone(text)); !bytes.Equal(normal, want) {
				t.Fatalf("%q: got %q, want %q", text, normal, want)
			}
			for _, s := range shinglings {
				if fault := faults(func() { hashes = s.AppendHashes(hashes[:0], text) }); fault != nil {
					t.Fatalf("%v %v of %q: %v", s, s.hash, text, fault)
				}
			}
		}
	}
}

// The kernels also write no more than they say.
func TestKernelsKeepToTheirRoom(t *testing.T) {
	if !hasAVX512() {
		return // there are no kernels, and Go checks the bounds of the portable code
	}
	random := rand.New(rand.NewPCG(4, 7))
	src, dst := pageEnd(t, 6*block), pageEnd(t, 6*block*8)
	words := func(n int) *uint64 { return (*uint64)(unsafe.Pointer(&dst[len(dst)-8*n])) }
	for n := 1; n < 5*block; n++ {
		for _, alphabet := range []string{separatorsOften, separatorsSeldom, "ab ", "a", " "} {
			text := src[len(src)-n:]
			copy(text, randomText(random, alphabet, n))
			if fault := faults(func() { foldBlocks(&dst[len(dst)-n-block], &text[0], n, 1) }); fault != nil {
				t.Fatalf("foldBlocks of %q: %v", text, fault)
			}
			if fault := faults(func() { wordBlocks(words(2*block), 2*block, &text[0], n, 0, 0) }); fault != nil {
				t.Fatalf("wordBlocks of %q: %v", text, fault)
			}
			if blocks := n / block; blocks > 0 {
				text := text[n%block:]
				if fault := faults(func() { blocksBelow(&text[0], blocks, 0xff) }); fault != nil {
					t.Fatalf("blocksBelow of %d blocks: %v", blocks, fault)
				}
			}
			if blocks := (n - piece) / lane; blocks > 0 {
				text := src[len(src)-blocks*lane-piece:]
				if fault := faults(func() { charBlocks(words(blocks*lane), &text[0], blocks, masks[5][0], masks[5][1]) }); fault != nil {
					t.Fatalf("charBlocks of %d blocks: %v", blocks, fault)
				}
			}
		}
	}
	for size := 1; size <= MaxWords; size++ {
		for blocks := 1; blocks < 9; blocks++ {
			if fault := faults(func() { combineBlocks(words(blocks*lane+size-1), blocks, size) }); fault != nil {
				t.Fatalf("combineBlocks of %d blocks of size %d: %v", blocks, size, fault)
			}
		}
	}
}
