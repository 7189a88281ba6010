package block

// order is a posting as a number: postings are in the order of these.
func (p Posting) order() uint64 { return uint64(p.Key)<<32 | uint64(p.At) }

// sorted sorts postings by key and place (a radix sort by bytes, the last one first). It returns them in one of both
// slices, and the other one to use again.
func sorted(postings, other []Posting) (result, rest []Posting) {
	if cap(other) < len(postings) {
		other = make([]Posting, len(postings))
	}
	other = other[:len(postings)]
	var counts [8][256]int
	ascending := true // places mostly come in ascending order, and the sort is stable
	for i, p := range postings {
		for order, digit := p.order(), 0; digit < len(counts); digit, order = digit+1, order>>8 {
			counts[digit][byte(order)]++
		}
		ascending = ascending && (i == 0 || postings[i-1].At <= p.At)
	}
	for digit := range counts {
		ends, shift := &counts[digit], 8*digit
		if ascending && digit < 4 || len(postings) == 0 || ends[byte(postings[0].order()>>shift)] == len(postings) {
			continue
		}
		begin := 0
		for value, n := range ends {
			ends[value] = begin
			begin += n
		}
		for _, p := range postings {
			value := byte(p.order() >> shift)
			other[ends[value]] = p
			ends[value]++
		}
		postings, other = other, postings
	}
	return postings, other
}
