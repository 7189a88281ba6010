package text

import "bytes"

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
