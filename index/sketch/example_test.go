package sketch_test

import (
	"fmt"

	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

func shingles(s string) []uint64 {
	three, err := text.ParseShingling("word:3")
	if err != nil {
		panic(err)
	}
	return text.Set(three.AppendHashes(nil, text.NewNormalizer().Append(nil, []byte(s))))
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
	// plan bands: with 16 slots at most 0.5598 of the pairs at threshold 0.05 are found, not 0.98; possible is a threshold of at least 0.2170, or at least 78 slots
}

func ExampleJaccard() {
	a := shingles("The quick brown fox jumps over the lazy dog.")
	b := shingles("The quick brown fox jumps over the sleepy dog!")
	shared, union := sketch.Jaccard(a, b)
	fmt.Println(shared, "of", union)
	fmt.Println(sketch.AtLeast(uint32(shared), uint32(union), 5000), sketch.AtLeast(uint32(shared), uint32(union), 8000))
	// Output:
	// 5 of 9
	// true false
}

func ExampleMinHash_Sign() {
	minhash, err := sketch.NewMinHash(1024)
	if err != nil {
		fmt.Println(err)
		return
	}
	codes := func(s string) []byte {
		values := make([]uint64, minhash.Slots())
		minhash.Sign(values, shingles(s))
		return sketch.AppendCodes(nil, values, 8)
	}
	a := codes("The quick brown fox jumps over the lazy dog.")
	b := codes("The quick brown fox jumps over the sleepy dog!")
	num, den := sketch.Estimate(sketch.Matches(a, b, 8), minhash.Slots(), 8)
	fmt.Printf("about %.2f\n", float64(num)/float64(den))
	// Output: about 0.55
}
