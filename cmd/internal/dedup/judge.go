package dedup

// Judge decides about documents in their order: an *Index at once, *EachPair at the end.
type Judge interface {
	// Begin makes the documents judged so far the index that the following documents are compared with.
	Begin()
	// First is the number of the first document since Begin: those with lower numbers belong to the index.
	First() int64
	// Next is the number of the next document.
	Next() int64

	// atOnce returns the most entries that apply accepts: their matches are in memory together, and a run that is
	// stopped waits for them.
	atOnce() int
	// apply judges entries whose offsets, the numbers of the documents, ascend from call to call, and returns their
	// matches as far as they are known. These are valid until the next call.
	apply(s *signed) (*matches, error)
	// reach tells the judge that all documents below that number have been given, except for the rejected ones.
	reach(number int64)
}
