package window

import (
	"github.com/unecho/unecho/index/block"
	"github.com/unecho/unecho/index/entry"
)

// Sizing is what a full window takes whose old documents lie in files, by what its documents have on average. Bytes are
// those at most. Fine keys, which documents with boilerplate have, are not counted.
type Sizing struct {
	Tail   int64   `json:"tail_documents"` // found by tables, at most
	Blocks float64 `json:"blocks"`         // that find the others, on average

	// in memory
	Filters int64 `json:"filters"` // what blocks keep
	Places  int64 `json:"places"`  // where records begin, counts of copies, checksums of pages
	Newest  int64 `json:"newest"`  // the tail with its tables, and the segments whose records are in memory
	Making  int64 `json:"making"`  // while a block is made: what that takes, and the filters of the largest one

	// on the disk
	Segments int64 `json:"segments"`
	Postings int64 `json:"postings"` // files of blocks
	Merging  int64 `json:"merging"`  // free, for a merge
	Written  int64 `json:"written"`  // for each document, with what merges write

	// pages that a lookup reads, on average
	New  float64 `json:"reads_new"`  // of a document that is no copy
	Copy float64 `json:"reads_copy"` // as many more of a copy of one old document, of which all keys are equal

	Ready float64 `json:"ready_seconds"` // until a new member has fetched the segments and made the blocks
}

const (
	// CopiedShare is the share of copies that Reads reckons with.
	CopiedShare = 0.3
	// restoreBytes are fetched and written in a second: what a store of PostgreSQL, or a directory, takes or gives.
	restoreBytes = 200e6
	// postingSeconds is what a posting of a new block takes one core.
	postingSeconds = 250e-9
)

// Reads are the pages that a document reads, on average.
func (s *Sizing) Reads() float64 { return s.New + CopiedShare*s.Copy }

// Carried is how many documents a second a disk carries that gives so many pages a second, and takes so many bytes.
func (s *Sizing) Carried(pages, bytes float64) float64 {
	return min(pages/s.Reads(), bytes/float64(s.Written))
}

// Memory is all that the window takes in memory at most.
func (s *Sizing) Memory() int64 { return s.Filters + s.Places + s.Newest + s.Making }

// Disk is all that it takes on the disk at most.
func (s *Sizing) Disk() int64 { return s.Segments + s.Postings + s.Merging }

// wholeSegments is how many segments are in memory with their records: the open one, the oldest one, and the memory of
// one that has left.
const wholeSegments = 3

// SizingOf returns what so many documents take whose records have so many bytes each. A document shares a key with met
// others that are no copies of it.
func SizingOf(p Params, documents, record int64, met float64) Sizing {
	sizes, shape, lists := usualSizes(), newShape(&p), int64(p.Bands+1)
	own := int64(p.Bands*entry.KeyBytes + entry.DigestBytes)
	each := max(1, min(int64(shape.documents), int64(shape.bytes)/(record+own+atBytes)))
	s := Sizing{Tail: min(documents, each*int64(sizes.Tail+sizes.Run+1)), Segments: documents * (record + own)}
	s.Newest = s.Tail*(own+atBytes) + lists*tableBytes(s.Tail) + min(documents, wholeSegments*each)*(record+own+atBytes)
	s.Written, s.Places = record+own, documents*copiesBytes+s.Segments/PageBytes*sumBytes
	old := documents - s.Tail
	s.Ready, s.Copy = float64(s.Segments)/restoreBytes+float64(lists*old)*postingSeconds, pagesOf(record)
	if old == 0 {
		return s
	}
	blocks, largest, merges := sizes.blocks(int((documents + each - 1) / each))
	most := min(old, each*int64(largest))
	largestBytes, largestFile := lists*block.MemoryOf(most), lists*block.SizeOf(most)
	asMany := float64(old+most) / float64(most) // the first block is there until its last document leaves
	s.Blocks, s.Filters, s.Postings = blocks, int64(asMany*float64(largestBytes)), int64(asMany*float64(largestFile))
	s.Places += old * atBytes
	making := min(old, each*int64(sizes.Run)) * block.MakingBytes
	if merges > 0 {
		making, s.Merging = max(making, block.MergingBytes), mergeRoom*largestFile
	}
	s.Making = making + largestBytes // what it is made of is still there
	s.Written += int64(merges+1) * largestFile / most
	met = met*float64(old)/float64(documents) + float64(p.Bands)*float64(old)/(1<<(8*entry.KeyBytes)) // by chance
	digest := pagesOf(entry.DigestBytes)
	s.New = float64(lists)*blocks/block.FalseOnes + met*(1+digest)
	s.Copy += float64(lists) + digest + pagesOf(own-entry.DigestBytes)
	return s
}

// blocks returns how many blocks find the old documents of so many segments on average, how many segments the largest ones
// have, and how often documents were merged until they are in one of these.
func (s Sizes) blocks(segments int) (n float64, largest, merges int) {
	covered := float64(segments-s.Tail) - float64(s.Run)/2
	for largest = s.Run; largest*s.Merge*s.Parts <= segments; largest *= s.Merge {
		wait := float64(s.Merge-1) / 2 // for others, to become one
		n, covered, merges = n+wait, covered-wait*float64(largest), merges+1
	}
	return n + max(0, covered)/float64(largest) + 0.5, largest, merges // of the first one a part has left
}

// pagesOf is how many pages have some of so many bytes, on average.
func pagesOf(bytes int64) float64 { return 1 + float64(bytes-1)/PageBytes }
