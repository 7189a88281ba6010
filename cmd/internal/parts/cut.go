package parts

import "github.com/unecho/unecho/cmd/internal/corpus"

// part is one that is long enough to be removed.
type part struct {
	key        key
	text       uint32 // which of the document's texts it is in
	start, end uint32
	// where the part before it ends, and the one behind it begins; start and end where there is none
	before, behind uint32
	first, last    bool
}

// ranges appends what is cut from a text if these parts are, which are all of it and ascend. Between two parts that stay
// is the widest of the gaps that were there. What is before the first and behind the last part of a text stays.
func ranges(dst []corpus.Range, text []byte, removed []part) []corpus.Range {
	for len(removed) > 0 {
		n := 1
		for n < len(removed) && removed[n].before == removed[n-1].end {
			n++
		}
		dst = appendRun(dst, text, removed[:n])
		removed = removed[n:]
	}
	return dst
}

// appendRun cuts parts that follow each other.
func appendRun(dst []corpus.Range, text []byte, run []part) []corpus.Range {
	head, tail := &run[0], &run[len(run)-1]
	switch {
	case head.first:
		return append(dst, corpus.Range{Start: int(head.start), End: int(tail.behind)})
	case tail.last:
		return append(dst, corpus.Range{Start: int(head.before), End: int(tail.end)})
	}
	widest, breaks := corpus.Range{Start: int(head.before), End: int(head.start)}, -1
	for i := range run {
		p := &run[i]
		gaps := []corpus.Range{{Start: int(p.before), End: int(p.start)}, {Start: int(p.end), End: int(p.behind)}}
		for _, gap := range gaps {
			if n := lineBreaks(text[gap.Start:gap.End]); n > breaks {
				widest, breaks = gap, n
			}
		}
	}
	return append(dst, corpus.Range{Start: int(head.before), End: widest.Start},
		corpus.Range{Start: widest.End, End: int(tail.behind)})
}

// lineBreaks counts them in the white space between two parts.
func lineBreaks(gap []byte) (n int) {
	for len(gap) > 0 {
		length, next := lineEnd(gap)
		if next > length {
			n++
		}
		gap = gap[next:]
	}
	return n
}
