package text

import "bytes"

// appendWindows appends the hash of each shingle of a text that is not empty. It is the general way, item by item, for
// shingles whose number of items varies, and for hashes of a shingle's text.
func appendWindows(dst []uint64, text []byte, s Shingling) []uint64 {
	w := newWindows(dst, text, s, nil)
	return w.run(s)
}

const (
	most       = 64 // items of a shingle: MaxChars, and more than MaxWords * wordWeight
	wordWeight = 2  // a word weighs as much as two characters of a script that doesn't separate words
)

// Each calls visit with where each shingle of a normalised text begins and ends, in the order of AppendHashes, whether it
// counts or not. It is slow, and meant for tools that show shingles.
func (s Shingling) Each(normalized []byte, visit func(start, end int)) {
	if s.unit == 0 || len(normalized) == 0 {
		return
	}
	if isWordless(normalized) {
		visit(0, len(normalized))
		return
	}
	w := newWindows(nil, normalized, s, visit)
	w.run(s)
}

// OfWords says whether shingles are runs of words, or tokens, and nothing else.
func (s Shingling) OfWords() bool { return s.unit == words || s.unit == auto }

// AppendTokenHashes appends the hashes of a document that the caller has already cut into tokens, with better knowledge
// of its language or kind. A run of N tokens is a shingle, for word:N and auto:N alike. Tokens that are the words of a
// normalised text have the hashes of that text. char:K has no shingles of tokens.
func (s Shingling) AppendTokenHashes(dst []uint64, tokens [][]byte) []uint64 {
	if !s.OfWords() || len(tokens) == 0 {
		return dst
	}
	if s.hash == XXHash {
		start := len(dst)
		for _, token := range tokens {
			dst = append(dst, hash(token, 0, len(token)))
		}
		return dst[:start+combine(dst[start:], s.size)]
	}
	size := min(s.size, len(tokens))
	for i := range len(tokens) - size + 1 {
		dst = append(dst, s.hash.published(bytes.Join(tokens[i:i+size], []byte{' '})))
	}
	return dst
}

// windows holds the items of the next shingle: the shortest run that weighs at least full.
type windows struct {
	dst  []uint64
	text []byte
	hash Hash
	full int // least weight of a shingle

	items       [most]item // a ring
	first, next uint       // numbers of the first item and the next one to come, counted from the beginning of the text
	weight      int        // weight of the items from first to next
	sum         uint64     // polynomial of their hashes
	powers      [most + 1]uint64
	shingles    int
	visit       func(start, end int) // nil, or called with the place of each shingle instead
}

type item struct {
	start, weight int
	hash          uint64
}

func newWindows(dst []uint64, text []byte, s Shingling, visit func(start, end int)) windows {
	w := windows{dst: dst, text: text, hash: s.hash, full: s.size, visit: visit}
	w.powers[0] = 1
	for i := range min(s.size*wordWeight, most) {
		w.powers[i+1] = w.powers[i] * base
	}
	return w
}

func (w *windows) run(s Shingling) []uint64 {
	if s.unit == chars {
		w.addChars()
	} else {
		w.full *= wordWeight
		w.addWords(s.unspaced)
	}
	return w.finish()
}

// add adds the next item of the text, and appends the shingles that end with it.
func (w *windows) add(start, end, weight int) {
	in := item{start: start, weight: weight}
	if w.hash == XXHash {
		in.hash = hash(w.text, start, end)
	}
	w.items[w.next%most] = in
	w.next++
	w.weight += weight
	w.sum = w.sum*base + in.hash
	for w.weight >= w.full {
		w.emit(end)
		out := &w.items[w.first%most]
		w.first++
		w.weight -= out.weight
		w.sum -= out.hash * w.powers[w.next-w.first]
	}
}

func (w *windows) emit(end int) {
	w.shingles++
	if w.visit != nil {
		w.visit(w.items[w.first%most].start, end)
		return
	}
	if w.hash != XXHash {
		w.dst = append(w.dst, w.hash.published(w.text[w.items[w.first%most].start:end]))
		return
	}
	w.dst = append(w.dst, mix(w.sum))
}

// finish appends one shingle for a text that is shorter than a shingle.
func (w *windows) finish() []uint64 {
	if w.shingles == 0 {
		w.emit(len(w.text))
	}
	return w.dst
}

func (w *windows) addChars() {
	for start := 0; start < len(w.text); {
		end := behind(w.text, start)
		w.add(start, end, 1)
		start = end
	}
}

// addWords adds each word, or the segments of it.
func (w *windows) addWords(u *unspaced) {
	for start := 0; start <= len(w.text); {
		end := start + wordLen(w.text[start:])
		switch word := w.text[start:end]; {
		case u == nil || !u.in(word):
			w.add(start, end, wordWeight)
		case bytes.ContainsFunc(word, isByteLetter) && !bytes.ContainsFunc(word, isOfUnspaced):
			w.addBytes(start, end)
		default:
			w.addSegments(start, end, u)
		}
		start = end + 1
	}
}

func wordLen(text []byte) int {
	if n := bytes.IndexByte(text, ' '); n >= 0 {
		return n
	}
	return len(text)
}
