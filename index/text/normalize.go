package text

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// Version is the version of this package's results: the normal form and the shingle hashes. It changes when they
	// do.
	Version = 4
	// Unicode is the version of the Unicode tables in use.
	Unicode = norm.Version
)

// A Normalizer brings documents into the normal form of the package comment. It reuses its buffers and tables, so it is
// not safe for concurrent use: each signing goroutine has its own. It takes half a megabyte, or a megabyte where links
// or numbers are replaced; most of that is never touched.
type Normalizer struct {
	params Params
	last   *mapper // makes the normal form
	// makes the canonical form with punctuation, in which links and numbers are found; nil if none are looked for
	first     *mapper
	page      []byte // the text of HTML
	links     linkFinder
	canonical []byte
	letters   []byte // a text with letters for what is unread
	byBytes   bool
}

// NewNormalizer builds a Normalizer for valid Params.
func NewNormalizer(p Params) *Normalizer {
	punctuation := map[string]outcome{"keep": kept, "drop": dropped, "space": separated}[p.Punctuation]
	space := map[string]outcome{"collapse": separated, "drop": dropped}[p.Space]
	n := &Normalizer{params: p, last: newMapper(p.Accents == "strip", p.HTML == "strip", punctuation, space)}
	if p.URLs != "keep" || p.IDs != "keep" || p.Digits != "keep" {
		n.first = newMapper(p.Accents == "strip", false, kept, separated)
	}
	return n
}

// byteOrderMark at the beginning of a text is no part of it.
const byteOrderMark = "\ufeff"

// Append appends the normal form of src to dst and returns the extended slice. It does not change what dst held before.
// src and the spare room of dst must not overlap. The normal form may be longer than src: up to 11 times, for a text
// made of U+FDFA. Once dst and the tables have grown enough, text causes no allocation, and HTML several for each tag.
func (n *Normalizer) Append(dst, src []byte) []byte {
	src = bytes.TrimPrefix(src, []byte(byteOrderMark))
	start, text := len(dst), src
	if n.params.HTML == "strip" && bytes.ContainsAny(src, "<&") {
		n.page = AppendPage(n.page[:0], src)
		text = n.page
	}
	if dst = n.appendRead(dst, text); len(dst) == start {
		dst = n.appendWordless(dst, text, src)
	}
	return dst
}

// appendRead appends the words of src, in which what is unread is letters, or those that its bytes make where too much of
// it is unread.
func (n *Normalizer) appendRead(dst, src []byte) []byte {
	start := len(dst)
	n.last.found, n.byBytes = false, false
	if n.first != nil {
		n.first.found = false
	}
	dst = n.appendWords(dst, src)
	if n.last.found || n.first != nil && n.first.found {
		dst = n.appendLetters(dst, start, src)
	}
	return n.cut(dst, start)
}

// appendLetters replaces the words of src behind start, which lack what was found in it, where they have to have it.
func (n *Normalizer) appendLetters(dst []byte, start int, src []byte) []byte {
	unread, read := n.last.unread(src), n.last.read(dst[start:])
	n.byBytes = (unreadShare-1)*unread > read
	signs := n.last.signs(src) > read+unread
	switch {
	case n.byBytes:
		n.letters = appendByteLetters(n.letters[:0], src)
	case unread > 0 || signs:
		n.letters = n.last.appendLetters(n.letters[:0], src, signs)
	default:
		return dst
	}
	return n.appendWords(dst[:start], n.letters)
}

func (n *Normalizer) appendWords(dst, src []byte) []byte {
	start := len(dst)
	if n.first == nil {
		dst = n.last.append(dst, start, src)
	} else {
		n.canonical = n.first.append(n.canonical[:0], 0, src)
		dst = n.replace(dst, start, trim(n.canonical, 0))
	}
	return n.joinNeighbours(trim(dst, start), start)
}

// cut shortens what is behind start to the bytes that are compared.
func (n *Normalizer) cut(dst []byte, start int) []byte {
	if n.params.MaxBytes == 0 || int64(len(dst)-start) <= int64(n.params.MaxBytes) {
		return dst
	}
	end := start + int(n.params.MaxBytes)
	for end > start && !utf8.RuneStart(dst[end]) {
		end--
	}
	dst = trim(dst[:end], start)
	dst = trim(dst[:start+n.withoutCutID(dst[start:])], start)
	if r, size := utf8.DecodeLastRune(dst[start:]); r == joiner {
		return dst[:len(dst)-size] // what it joined to was cut off
	}
	return dst
}

// wordlessMark begins a text that is compared as a whole. No normal form with words begins with it.
const wordlessMark = ' '

// isWordless says whether a normal form is one shingle whatever its length.
func isWordless(normalized []byte) bool { return normalized[0] == wordlessMark }

// appendWordless appends what is compared of a document without words: its bytes, without the white space around them.
// text is the document, src the document before HTML was removed, which counts where nothing else is left. A blank
// document appends nothing.
//
// Where links are dropped, src counts in any case: what stays of a link without its markup would be another text.
func (n *Normalizer) appendWordless(dst, text, src []byte) []byte {
	if src = bytes.TrimSpace(src); len(src) == 0 {
		return dst
	}
	dst = append(dst, wordlessMark)
	start := len(dst)
	if n.params.HTML == "strip" && n.params.URLs != "drop" {
		dst = appendUnmarked(dst, bytes.TrimSpace(text))
	}
	if len(dst) == start {
		dst = append(dst, src...)
	}
	return dst
}

// appendUnmarked appends text without the characters that would be markup the next time.
func appendUnmarked(dst, text []byte) []byte {
	start := len(dst)
	for _, c := range text {
		if c == '<' || c == '&' {
			c = ' '
		}
		dst = append(dst, c)
	}
	return append(dst[:start], bytes.TrimSpace(dst[start:])...)
}

// GiveBack releases the memory that grew with the documents: a text may take up to a hundred times its own bytes. The
// tables stay.
func (n *Normalizer) GiveBack() {
	n.canonical, n.letters, n.page, n.links.text = nil, nil, nil, nil
	n.last.giveBack()
	if n.first != nil {
		n.first.giveBack()
	}
}

func (m *mapper) giveBack() {
	for _, c := range []*canon{m.single, m.whole} {
		c.valid, c.seen, c.folded, c.composed, c.bare = nil, nil, nil, nil, nil
	}
}
