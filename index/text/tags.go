package text

import "bytes"

// This file reads HTML as the tokenizer of x/net/html does, without its allocations. A function that returns 0, or -1
// for a content, leaves the decision to the tokenizer.

// tagName returns the name of the tag at the beginning of src, behind < or </.
func tagName(src []byte) []byte {
	for i, c := range src {
		if isBlank(c) || c == '/' || c == '>' {
			return src[:i]
		}
	}
	return src
}

// tagEnd returns the place behind the > of the tag whose attributes begin at i, or 0 if the tag does not end.
func tagEnd(src []byte, i int) int {
	for {
		if i = skipBlank(src, i); i == len(src) {
			return 0
		}
		switch src[i] {
		case '>':
			return i + 1
		case '/':
			i++
			continue
		}
		i++ // before an attribute's name, = is part of the name
		for i < len(src) && src[i] != '=' && src[i] != '/' && src[i] != '>' && !isBlank(src[i]) {
			i++
		}
		if i = skipBlank(src, i); i < len(src) && src[i] == '=' {
			i = valueEnd(src, skipBlank(src, i+1))
		}
	}
}

// valueEnd returns the place behind the value of the attribute that begins at i.
func valueEnd(src []byte, i int) int {
	if i < len(src) && (src[i] == '"' || src[i] == '\'') {
		if end := bytes.IndexByte(src[i+1:], src[i]); end >= 0 {
			return i + 1 + end + 1
		}
		return len(src)
	}
	for i < len(src) && src[i] != '>' && !isBlank(src[i]) {
		i++
	}
	return i
}

func skipBlank(src []byte, i int) int {
	for i < len(src) && isBlank(src[i]) {
		i++
	}
	return i
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' }

func isLetter(c byte) bool { return (c|0x20)-'a' < 26 }

// after returns the end of the first occurrence of what in src[from:], or 0.
func after(src []byte, from int, what string) int {
	if i := bytes.Index(src[from:], []byte(what)); i >= 0 {
		return from + i + len(what)
	}
	return 0
}

// commentEnd returns the place behind a comment that ends as comments should.
func commentEnd(src []byte) int {
	const begin = len("<!--")
	end := after(src, begin, "-->")
	if bytes.HasPrefix(src[begin:], []byte(">")) || bytes.HasPrefix(src[begin:], []byte("->")) ||
		end > 0 && bytes.Contains(src[begin:end], []byte("--!")) {
		return 0
	}
	return end
}

// contentLen returns the length of the content of an element with that name, up to its end tag, or -1.
func contentLen(src []byte, name string) int {
	if name == "xmp" || name == "plaintext" {
		return -1 // shown, but without references
	}
	for at := 0; ; at++ {
		i := bytes.IndexByte(src[at:], '<')
		if i < 0 {
			return -1
		}
		at += i
		if rest := src[at:]; len(rest) > 2+len(name) && rest[1] == '/' && bytes.EqualFold(rest[2:2+len(name)], []byte(name)) {
			if c := rest[2+len(name)]; isBlank(c) || c == '/' || c == '>' {
				return at
			}
		} else if name == "script" && bytes.HasPrefix(rest, []byte("<!--")) {
			return -1 // other rules hold in what looks like a comment
		}
	}
}

// referenceLen returns how many bytes of src, which begins with &, may belong to a character reference.
func referenceLen(src []byte) int {
	i := 1
	for i < len(src) && (isLetter(src[i]) || src[i]-'0' <= 9 || src[i] == '#') {
		i++
	}
	if i < len(src) && src[i] == ';' {
		i++
	}
	return i
}

// maxTag is the length of the longest name that lower returns.
const maxTag = 9

// lower returns a short tag name in small letters, and "" for a longer one.
func lower(dst *[maxTag]byte, name []byte) []byte {
	if len(name) > maxTag {
		return nil
	}
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		dst[i] = c
	}
	return dst[:len(name)]
}

// textOnly returns the name of an element that holds only text, or "".
func textOnly(tag []byte) string {
	var buf [maxTag]byte
	switch string(lower(&buf, tag)) {
	case "script":
		return "script"
	case "style":
		return "style"
	case "title":
		return "title"
	case "textarea":
		return "textarea"
	case "iframe":
		return "iframe"
	case "noembed":
		return "noembed"
	case "noframes":
		return "noframes"
	case "noscript":
		return "noscript"
	case "plaintext":
		return "plaintext" // it has no end
	case "xmp":
		return "xmp"
	}
	return ""
}

// isHidden says whether the content of an element that holds only text is hidden.
func isHidden(tag []byte) bool {
	var buf [maxTag]byte
	switch string(lower(&buf, tag)) {
	case "script", "style", "iframe", "noembed", "noframes", "noscript":
		return true
	}
	return false
}

// isInline says whether a tag is part of a line, so that a word may continue behind it.
func isInline(tag []byte) bool {
	var buf [maxTag]byte
	switch string(lower(&buf, tag)) {
	case "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd",
		"mark", "nobr", "q", "rb", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u",
		"var", "wbr":
		return true
	}
	return false
}
