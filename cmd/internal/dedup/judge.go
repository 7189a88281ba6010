package dedup

// Judge decides about documents in their order: an *Index at once, *Rotations at the end.
type Judge interface {
	// Begin makes what was judged so far the index that the following documents are compared with.
	Begin()
	// First is the number of the first document since Begin: those with lower numbers belong to the index.
	First() int64
	// Next is the number of the next document.
	Next() int64

	// atOnce is how many entries apply takes at the most: their matches are in memory together, and a run that is stopped
	// waits for them.
	atOnce() int
	// apply takes entries whose offsets, the numbers of the documents, ascend from call to call, and returns their matches as
	// far as they are known now. Those are valid until the next call.
	apply(s *signed) (*matches, error)
	// reach says that all documents below that number have been given, but for the rejected.
	reach(number int64)
}
