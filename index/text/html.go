package text

import (
	"bytes"

	"golang.org/x/net/html"
)

const (
	// maxToken is the most bytes of a tag or a comment that are read as one. The tokenizer keeps the attributes of a tag,
	// which take up to thirty times their bytes.
	maxToken = 1 << 20
	// largeToken is the size of a tag behind which another tokenizer goes on. Their table of attributes never shrinks, and
	// each tag clears all of it.
	largeToken = 64 << 10
	// maxUnended is how often the text is read again behind what has no end, so that time stays linear.
	maxUnended = 2

	cdataBegin, cdataEnd = "<![CDATA[", "]]>"
)

// AppendPage appends the text of HTML, of XHTML, and of what feeds hold, as a Normalizer with html: strip has it. src and
// the spare room of dst must not overlap. Time and memory are linear in the length of src, whatever is in it.
//
// Markup is what the tokenizer of golang.org/x/net/html takes for it, which is the one of HTML 5. Tags separate words,
// except for those that are part of a line (isInline). Comments, declarations, and the content of scripts, styles and
// elements that browsers do not show are dropped. No tree is built, so depth costs nothing. Three things are other than
// in HTML 5:
//
//	CDATA         its marks are left out, and what is in it is HTML again
//	<iframe/>     an element without content is what it is in XHTML
//	<!-- a        what does not end before the text does hides nothing: its beginning is text, and what follows is read
//	              again; after maxUnended times the rest is text
//
// Of a tag or a comment that is longer than maxToken, the rest is read as text and tags.
func AppendPage(dst, src []byte) []byte {
	if bytes.Contains(src, []byte(cdataBegin)) {
		src = bytes.ReplaceAll(bytes.ReplaceAll(src, []byte(cdataBegin), nil), []byte(cdataEnd), nil)
	}
	for unended := 0; len(src) > 0 && unended <= maxUnended; {
		out, read, ended := appendTokens(dst, src)
		if dst, src = out, src[read:]; !ended {
			unended++
		}
	}
	return append(dst, html.UnescapeString(string(src))...)
}

// appendTokens appends the text of src up to the end of a large token, or up to the beginning of one that has no end. It
// returns how much of src it has read, with that beginning.
func appendTokens(dst, src []byte) (out []byte, read int, ended bool) {
	tokens := html.NewTokenizer(bytes.NewReader(src))
	within, hidden := false, false // an element that has no tags in it
	for large := false; read < len(src) && (!large || within); {
		tokens.SetMaxBuf(maxToken)
		if within {
			tokens.SetMaxBuf(0)
		}
		token := tokens.Next()
		raw := src[read : read+len(tokens.Raw())]
		if read+len(raw) == len(src) {
			if begin, ended := beginning(token, raw, within); !ended {
				return append(dst, raw[:begin]...), read + begin, false
			}
		}
		read += len(raw)
		large = large || len(raw) > largeToken
		switch token {
		case html.TextToken:
			if !hidden {
				dst = append(dst, tokens.Text()...)
			}
			within, hidden = false, false
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := tokens.TagName()
			if !isInline(name) {
				dst = append(dst, ' ')
			}
			within, hidden = content(name)
			if within = within && token == html.StartTagToken; !within {
				tokens.NextIsNotRawText()
			}
			hidden = hidden && within
		case html.ErrorToken, html.CommentToken, html.DoctypeToken:
		}
	}
	return dst, read, true
}

// beginning says whether the last token of a text has an end, and else how many bytes begin it.
func beginning(token html.TokenType, raw []byte, within bool) (begin int, ended bool) {
	const comment = "<!--"
	switch token {
	case html.ErrorToken: // a tag
		return 1, false
	case html.TextToken:
		return 0, !within
	case html.CommentToken, html.DoctypeToken:
		if bytes.HasPrefix(raw, []byte(comment)) {
			return len(comment), bytes.HasSuffix(raw, []byte("-->")) || bytes.HasSuffix(raw, []byte("--!>"))
		}
		return len("<!"), raw[len(raw)-1] == '>'
	case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
	}
	return 0, true
}

// content says of an element whether it holds only text, without tags in it, and whether that is hidden.
func content(name []byte) (within, hidden bool) {
	switch string(name) {
	case "script", "style", "iframe", "noembed", "noframes", "noscript":
		return true, true
	case "title", "textarea", "xmp":
		return true, false
	}
	return false, false
}

// isInline says whether a tag is part of a line, so that a word may continue behind it.
func isInline(name []byte) bool {
	switch string(name) {
	case "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd",
		"mark", "nobr", "q", "rb", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u",
		"var", "wbr":
		return true
	}
	return false
}
