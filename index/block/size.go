package block

import "math"

const (
	// FalseOnes is of how many absent keys a filter lets one pass: it compares 8 bits.
	FalseOnes = 1 << 8
	// MakingBytes is what Write takes in memory for a posting of a list, beside the block.
	MakingBytes = 50
	// MergingBytes is what Merge takes, beside the block: for a filter that is built, and to read parts, of which it is measured
	// with eight.
	MergingBytes = 38 << 20
)

// MemoryOf returns about how many bytes a list of so many postings takes in memory, if no two have the same key. The filter
// has 1.125 bytes for each of a million keys or more, and more for each of fewer (Graf and Lemire 2022), rounded up.
func MemoryOf(postings int64) int64 {
	filter := float64(postings) * max(1.125, 0.875+0.25*math.Log(1e6)/math.Log(float64(max(postings, 2))))
	return int64(1.02*filter) + pagesOf(postings)*2*numberBytes
}

// SizeOf returns about how many bytes such a list takes in the file: its pages, and what memory keeps of it.
func SizeOf(postings int64) int64 { return pagesOf(postings)*PageBytes + MemoryOf(postings) }

func pagesOf(postings int64) int64 { return (postings + pagePostings - 1) / pagePostings }
