package index

import (
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
)

// TestOddBits compares the number of differing bits, counted from folds and halves, with that of the outlines
// themselves: for the portable code, and for the kernels that this processor has.
func TestOddBits(t *testing.T) {
	const places = 64
	random := rand.New(rand.NewPCG(8, 5))
	all, o := make([]outline, places), outlines{}
	o.make(places)
	for i := range all {
		for k := range all[i].bits {
			all[i].bits[k] = random.Uint64() >> (i % 3 * random.IntN(64)) // some are nearly empty
		}
		o.folds[i], o.halves[i] = all[i].fold(), all[i].half()
	}
	r := Replica{own: all[7], verify: &overlap{least: Similarity{Num: 4, Den: 5}}}
	bound := r.bound()
	count := func(name string, odd func(x *block, n int), want func(o *outline) int) {
		for n := range siftBlock + 1 {
			x := block{}
			for i := range n {
				x.places[i] = random.Uint32N(places)
			}
			odd(&x, n)
			for i := range n {
				if got, want := int(x.odd[i]), want(&all[x.places[i]]); got != want {
					t.Fatalf("%s, %d of %d: %d bits differ, want %d", name, i, n, got, want)
				}
			}
		}
	}
	folds := func(o *outline) (odd int) {
		for k, word := range o.fold() {
			odd += bits.OnesCount64(word ^ r.own.fold()[k])
		}
		return odd
	}
	wholes := func(o *outline) (odd int) {
		for k, word := range o.bits {
			odd += bits.OnesCount64(word ^ r.own.bits[k])
		}
		return odd
	}
	count("each fold", func(x *block, n int) { x.eachFold(&o, &bound, n) }, folds)
	count("folds", func(x *block, n int) { x.oddFolds(&o, &bound, n) }, folds)
	count("each whole", func(x *block, n int) { x.eachWhole(&o, &bound, n) }, wholes)
	count("wholes", func(x *block, n int) { x.oddWholes(&o, &bound, n) }, wholes)
}

// TestKernelsAreSwitchedOff: GODEBUG switches the kernels of AVX-512 off by the name of that, as by those of its parts.
func TestKernelsAreSwitchedOff(t *testing.T) {
	const off = "UNECHO_TEST_KERNELS_OFF"
	if os.Getenv(off) != "" {
		if hasOddBlocks() {
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
