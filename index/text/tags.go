package text

import "bytes"

// This file finds the ends of tags and of what is between them.

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

// valueEnd returns the place behind the value of the attribute that begins at i. Where a quote is not closed, that is the
// first > behind it.
func valueEnd(src []byte, i int) int {
	if i == len(src) || src[i] != '"' && src[i] != '\'' {
		for i < len(src) && src[i] != '>' && !isBlank(src[i]) {
			i++
		}
		return i
	}
	end := bytes.IndexByte(src[i+1:], src[i])
	if end >= 0 && closes(src[i+1:], end) {
		return i + 1 + end + 1
	}
	if bracket := bytes.IndexByte(src[i:], '>'); bracket >= 0 {
		return i + bracket
	}
	return len(src)
}

// closes says whether the quote at end closes the value at the beginning of src. It does if there is no > in the value,
// which would end the tag. Otherwise no value may begin there, nor a word; and no tags may stand between, as they do
// behind the > of <a href="x>, while HTML in a value begins with a tag, and scripts in it have > in => and ->.
func closes(src []byte, end int) bool {
	value, rest := src[:end], src[end+1:]
	bracket := bytes.IndexByte(value, '>')
	if bracket < 0 {
		return true
	}
	if len(rest) > 0 && rest[0] != '>' && rest[0] != '/' && !isBlank(rest[0]) || endsWithName(value) {
		return false
	}
	tag := bytes.IndexByte(value, '<')
	arrow := bracket > 0 && (value[bracket-1] == '=' || value[bracket-1] == '-')
	return tag < bracket || arrow || !bytes.Contains(value[bracket:], []byte("</"))
}

// endsWithName says whether value ends with the name of an attribute and =, behind the beginning of a tag.
func endsWithName(value []byte) bool {
	name, ok := bytes.CutSuffix(bytes.TrimRight(value, " \t\r\n\f"), []byte("="))
	return ok && bytes.LastIndexByte(name, '<') > bytes.LastIndexByte(name, '>')
}

func skipBlank(src []byte, i int) int {
	for i < len(src) && isBlank(src[i]) {
		i++
	}
	return i
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' }

func isLetter(c byte) bool { return (c|0x20)-'a' < 26 }

// after returns the end of the first occurrence of what in src[from:], or 0. It notes in missing that there is none.
func after(src []byte, from int, what string, missing *bool) int {
	if *missing {
		return 0
	}
	if i := bytes.Index(src[from:], []byte(what)); i >= 0 {
		return from + i + len(what)
	}
	*missing = true
	return 0
}

// isTag says whether src begins with the name of a tag, and not with a longer one.
func isTag(src []byte, name string) bool {
	if len(src) <= len(name) || !bytes.EqualFold(src[:len(name)], []byte(name)) {
		return false
	}
	c := src[len(name)]
	return isBlank(c) || c == '/' || c == '>'
}

// scriptLen returns the length n of a script up to its end tag, or -1 if no end tag follows. In what looks like a comment, a
// script may hold another (HTML, "script data double escaped state"). Otherwise the script does not end where another
// begins, in a line or behind a tag, unless a <\ shows that it writes it. Then next is where that is, and n where it was
// seen that the script does not end; else next is -1.
func scriptLen(src []byte) (n, next int) {
	const name = "script"
	comment, inner, writes := false, false, false
	next = -1
	for at := 0; at < len(src); at++ {
		if !comment {
			i := bytes.IndexByte(src[at:], '<')
			if i < 0 {
				break
			}
			at += i
		}
		switch rest := src[at:]; {
		case bytes.HasPrefix(rest, []byte("</")) && isTag(rest[2:], name):
			if !inner {
				return at, next
			}
			inner = false
		case comment && bytes.HasPrefix(rest, []byte("-->")):
			comment, inner = false, false
		case comment && rest[0] == '<' && isTag(rest[1:], name):
			inner = true
		case !comment && bytes.HasPrefix(rest, []byte("<!--")):
			comment = true
			at++ // its dashes may be those of -->
		case !comment && bytes.HasPrefix(rest, []byte("<\\")):
			writes, next = true, -1
		case !comment && !writes && isTag(rest[1:], name) && beginsTag(src[:at]):
			if next >= 0 { // no further, as the next one is read again
				return at, next
			}
			next = at
		}
	}
	return -1, -1
}

// beginsTag says whether a tag behind before is in markup: at the beginning of a line, or behind another tag.
func beginsTag(before []byte) bool {
	text := bytes.TrimRight(before, " \t")
	return len(text) > 0 && (text[len(text)-1] == '\n' || text[len(text)-1] == '>')
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

// contents are the elements that hold only text, without tags in it.
//
//nolint:gochecknoglobals // a table
var contents = [...]struct {
	name          string
	hidden, plain bool // plain: without character references
}{
	script: {name: "script", hidden: true},
	{name: "style", hidden: true},
	{name: "iframe", hidden: true},
	{name: "noembed", hidden: true},
	{name: "noframes", hidden: true},
	{name: "noscript", hidden: true},
	{name: "title"},
	{name: "textarea"},
	{name: "xmp", plain: true},
}

const script = 0

// contentOf returns the number of an element in contents, or -1.
func contentOf(tag []byte) int {
	if len(tag) > maxTag {
		return -1
	}
	for i := range contents {
		if len(contents[i].name) == len(tag) && bytes.EqualFold(tag, []byte(contents[i].name)) {
			return i
		}
	}
	return -1
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
