package sketch_test

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/unecho/unecho/index/sketch"
)

// shingles returns the hashes of all runs of three words. Any hash will do that is spread evenly, or is after Mix.
func shingles(s string) []uint64 {
	var out []uint64
	words := strings.Fields(strings.ToLower(s))
	for i := range len(words) - 2 {
		h := fnv.New64a()
		h.Write([]byte(strings.Join(words[i:i+3], " ")))
		out = append(out, sketch.Mix(h.Sum64()))
	}
	return out
}

const (
	original  = "the quick brown fox jumps over the lazy dog and runs far away from here"
	nearCopy  = "the quick brown fox jumps over the lazy dog and runs far away from home"
	unrelated = "how razorback jumping frogs can level six piqued gymnasts in an old gym"
)

// Documents that share a key of any band are candidates; codes tell how similar they are.
func ExampleNewMinHashSketch() {
	plan, err := sketch.Plan(0.8, 128, 0.98)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := sketch.NewMinHashSketch(sketch.MinHashParams{Slots: 128, Banding: plan})
	if err != nil {
		fmt.Println(err)
		return
	}
	sign := func(text string) (keys, codes []byte) {
		s.Sign(shingles(text))
		return s.AppendKeys(nil, 0, 4), s.AppendCodes(nil)
	}
	keys, codes := sign(original)
	for _, text := range []string{nearCopy, unrelated} {
		otherKeys, otherCodes := sign(text)
		shared := 0
		for band := range s.Bands() {
			if slices.Equal(keys[band*4:][:4], otherKeys[band*4:][:4]) {
				shared++
			}
		}
		num, den := s.Similarity(codes, otherCodes)
		fmt.Printf("%d of %d keys are shared, similarity about %.2f\n", shared, s.Bands(), float64(num)/float64(den))
	}
	fmt.Println(s.Algorithm(), "keeps", s.Size(), "bytes")
	// Output:
	// 9 of 18 keys are shared, similarity about 0.90
	// 0 of 18 keys are shared, similarity about 0.00
	// minhash/2 keeps 64 bytes
}

func ExampleNewSimHashSketch() {
	s, err := sketch.NewSimHashSketch(sketch.SimHashParams{Bits: 64, Distance: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	codes := func(text string) []byte {
		s.Sign(shingles(text))
		return s.AppendCodes(nil)
	}
	fmt.Println(s.Bands(), "bands,", s.Size(), "bytes")
	fmt.Println(s.Similarity(codes(original), codes(nearCopy)))
	fmt.Println(s.Similarity(codes(original), codes(unrelated)))

	_, err = sketch.NewSimHashSketch(sketch.SimHashParams{Bits: 64, Distance: 7})
	fmt.Println(err)
	// Output:
	// 4 bands, 8 bytes
	// 58 64
	// 30 64
	// make simhash sketch: a distance of 7 of 64 bits is impossible by keys; possible is 0 to 6
}

func ExamplePlan() {
	plan, err := sketch.Plan(0.8, 128, 0.98)
	fmt.Println(plan, err)
	fmt.Printf("%.4f at 0.8, %.4f at 0.5\n", plan.Probability(0.8), plan.Probability(0.5))

	_, err = sketch.Plan(0.05, 16, 0.98)
	fmt.Println(err)
	// Output:
	// 18 bands of 7 rows <nil>
	// 0.9855 at 0.8, 0.1317 at 0.5
	// with 16 slots at most 0.5598 of the pairs at threshold 0.05 are found, not 0.98; possible is a threshold of at least 0.2170, or at least 78 slots
}

func ExamplePlanByArea() {
	plan, err := sketch.PlanByArea(0.8, 128)
	fmt.Println(plan, err)
	fmt.Printf("%.4f at 0.8\n", plan.Probability(0.8))
	// Output:
	// 9 bands of 13 rows <nil>
	// 0.3988 at 0.8
}

// Consecutive numbers are not usable as hashes; Mix makes them so.
func ExampleMix() {
	fmt.Printf("%016x\n%016x\n", sketch.Mix(1), sketch.Mix(2))
	// Output:
	// 5692161d100b05e5
	// dbd238973a2b148a
}
