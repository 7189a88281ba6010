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
	random := rand.New(rand.NewPCG(4, 7))
	src, dst := pageEnd(t, 6*block), pageEnd(t, 6*block*8)
	for _, k := range []struct {
		name string
		has  bool // otherwise Go checks the bounds of the portable code
		call func(dst, text []byte)
	}{
		{"foldBlocks", hasAVX512(), func(dst, text []byte) {
			foldBlocks(&dst[len(dst)-len(text)-block], &text[0], len(text), 1)
		}},
		{"foldHalves", hasAVX2(), func(dst, text []byte) {
			if halves := len(text) / wide; halves > 0 {
				text = text[len(text)%wide:]
				foldHalves(&dst[len(dst)-len(text)], &text[0], halves, 1)
			}
		}},
		{"wordBlocks", hasAVX2(), func(dst, text []byte) {
			wordBlocks(lastWords(dst, 2*block), 2*block, &text[0], len(text), 0, 0)
		}},
		{"blocksBelow", hasAVX512(), func(_, text []byte) {
			if blocks := len(text) / block; blocks > 0 {
				blocksBelow(&text[len(text)%block], blocks, 0xff)
			}
		}},
		{"pairsBelow", hasAVX2(), func(_, text []byte) {
			if blocks := len(text) / block; blocks > 0 {
				pairsBelow(&text[len(text)%block], blocks, 0xff)
			}
		}},
		{"charBlocks", hasAVX512(), func(dst, text []byte) {
			if blocks := (len(text) - piece) / lane; blocks > 0 {
				text = text[len(text)-blocks*lane-piece:]
				charBlocks(lastWords(dst, blocks*lane), &text[0], blocks, masks[5][0], masks[5][1])
			}
		}},
		{"combineBlocks", hasAVX512(), func(dst, text []byte) {
			blocks, size := 1+len(text)%8, 1+len(text)%MaxWords
			combineBlocks(lastWords(dst, blocks*lane+size-1), blocks, size)
		}},
		{"combineFours", hasAVX2(), func(dst, text []byte) {
			fours, size := 1+len(text)%8, 1+len(text)%MaxWords
			combineFours(lastWords(dst, fours*4+size-1), fours, size)
		}},
	} {
		for n := 1; n < 5*block && k.has; n++ {
			for _, alphabet := range []string{separatorsOften, separatorsSeldom, "ab ", "a", " "} {
				text := src[len(src)-n:]
				copy(text, randomText(random, alphabet, n))
				if fault := faults(func() { k.call(dst, text) }); fault != nil {
					t.Fatalf("%s of %q: %v", k.name, text, fault)
				}
			}
		}
	}
}

// lastWords returns the address of the last n uint64 of memory.
func lastWords(memory []byte, n int) *uint64 {
	return (*uint64)(unsafe.Pointer(&memory[len(memory)-8*n]))
}
