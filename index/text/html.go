package text

import (
	"bytes"

	"golang.org/x/net/html"
)

// page extracts the text of HTML, of XHTML, and of what feeds hold. Tags separate words, except for those that are part of
// a line (isInline). Comments, declarations, and the content of scripts, styles and elements that browsers do not show
// are dropped; what is in CDATA is HTML again. Nesting is not tracked, so depth costs nothing.
//
// Where all that begins also ends, markup means what it means to HTML 5. What has no end hides nothing: of a comment, a
// script or a quote that is not closed only the beginning is dropped. An element without content, <iframe/>, is what
// it is in XHTML, unless it has an end. The end of another one is not taken for it:
//
//	a comment    has no end where another comment begins before it
//	a quote      has none where, behind a >, the next quote begins another value or a word, or stands behind tags (valueEnd)
//	a script     has none where another begins in a line or behind a tag, and no <\ shows that it writes that one
//	a style,     and all else without tags in it: has none where another of its kind begins
//
// The tokenizer of x/net/html is the reference of the tests. It drops what such beginnings hide, allocates for each
// attribute (142 times for a page of 2 kB, page nothing), and takes 5.6 times as long.
type page struct {
	out        []byte
	missing    missing
	references map[string]string // character references seen, resolved
}

// missing notes what was looked for up to the end of a text and is not there, so that it is looked for once.
type missing struct {
	tagEnd   bool // the end of a tag, where > in quotes ends none
	bracket  bool // >
	cdata    bool // ]]>
	script   bool // the end of a script, where what is in its comments ends none
	unended  stretch
	elements [len(contents)]bool
}

// A stretch is what was seen of a script that does not end, by what is left of the text: where the next one begins, and up
// to where it was read. A script within has no end either, but the next one is read by itself; so all scripts together
// take a time that is linear.
type stretch struct{ next, end int }

// has says whether a script that begins where so much is left is in a stretch.
func (s stretch) has(left int) bool { return s.end > 0 && left > s.end && left != s.next }

// A Page takes the text out of HTML as a Normalizer with html: strip does, for text of which only a part is HTML. The
// zero Page is ready. It is not safe for concurrent use.
type Page struct{ page page }

// Append appends the text of src to dst and returns the extended slice. src and the spare room of dst must not overlap.
// Time and memory are linear in the length of src, whatever is in it. Most pages cause no allocation.
func (p *Page) Append(dst, src []byte) []byte {
	p.page.append(dst, src)
	out := p.page.out
	p.page.out = nil // it belongs to the caller
	return out
}

const (
	maxReferences = 256 // entries kept in references
	maxReference  = 32  // bytes of a reference that is kept
)

// text returns the text of src. The result may be src itself; otherwise it is valid until the next call.
func (p *page) text(src []byte) []byte {
	if bytes.IndexByte(src, '<') < 0 && bytes.IndexByte(src, '&') < 0 {
		return src
	}
	p.append(p.out[:0], src)
	return p.out
}

// append appends the text of src to dst, and leaves that in p.out.
func (p *page) append(dst, src []byte) {
	p.out = dst
	p.fragment(src)
}

// fragment appends the text of src, which begins outside of any tag.
func (p *page) fragment(src []byte) {
	p.missing = missing{}
	for len(src) > 0 {
		plain := bytes.IndexByte(src, '<')
		if plain < 0 {
			plain = len(src)
		}
		p.appendText(src[:plain])
		if src = src[plain:]; len(src) == 0 {
			break
		}
		read := p.markup(src)
		if read == 0 {
			p.out = append(p.out, '<')
			read = 1
		}
		src = src[read:]
	}
}

// markup reads the tag, comment or declaration at the beginning of src, and the content of an element that has no tags
// in it. It returns how many bytes it read, or 0 if nothing of the kind begins there.
func (p *page) markup(src []byte) int {
	if len(src) < 2 {
		return 0
	}
	switch c := src[1]; {
	case isLetter(c):
		return p.startTag(src)
	case c == '/' && len(src) > 2 && isLetter(src[2]):
		end, name := p.tag(src, 2)
		if end > 0 {
			p.separate(name)
		}
		return end
	case bytes.HasPrefix(src, []byte("<!--")):
		return p.comment(src)
	case bytes.HasPrefix(src, []byte("<![CDATA[")):
		return p.cdata(src)
	case c == '/' || c == '!' || c == '?':
		return after(src, 2, ">", &p.missing.bracket)
	}
	return 0
}

// tag returns the place behind the tag at the beginning of src, and its name, which begins at i; or 0 if it has no end.
func (p *page) tag(src []byte, i int) (end int, name []byte) {
	if p.missing.bracket {
		return 0, nil
	}
	name = tagName(src[i:])
	if !p.missing.tagEnd {
		if end = tagEnd(src, i+len(name)); end > 0 {
			return end, name
		}
		p.missing.tagEnd = true
	}
	return after(src, i+len(name), ">", &p.missing.bracket), name
}

// startTag reads a start tag, and for elements that hold only text also their content.
func (p *page) startTag(src []byte) int {
	end, name := p.tag(src, 1)
	if end == 0 {
		return 0
	}
	p.separate(name)
	kind := contentOf(name)
	if kind < 0 {
		return end
	}
	length := p.contentLen(src, end, kind)
	if length < 0 {
		return end
	}
	switch content := src[end : end+length]; {
	case contents[kind].hidden:
	case contents[kind].plain:
		p.out = append(p.out, content...)
	default:
		p.appendText(content)
	}
	return end + length
}

// contentLen returns the length of the content of an element that holds only text, from its tag, the first bytes of src,
// up to its end tag, or -1 if it has none. Where another such element begins before, the first one has no content; but
// scripts write scripts.
func (p *page) contentLen(src []byte, tag, kind int) int {
	if p.missing.elements[kind] {
		return -1
	}
	name, code, left := contents[kind].name, kind == script && src[tag-2] != '/', len(src)
	src = src[tag:]
	if code && !p.missing.script {
		if p.missing.unended.has(left) {
			return -1
		}
		n, next := scriptLen(src)
		if next < 0 && n >= 0 {
			return n
		}
		if p.missing.script = n < 0; !p.missing.script {
			p.missing.unended = stretch{len(src) - next, len(src) - n}
			return -1
		}
	}
	for at := 0; ; at++ {
		i := bytes.IndexByte(src[at:], '<')
		if i < 0 {
			p.missing.elements[kind] = true
			return -1
		}
		at += i
		switch rest := src[at+1:]; {
		case len(rest) > 0 && rest[0] == '/' && isTag(rest[1:], name):
			return at
		case !code && isTag(rest, name):
			return -1
		}
	}
}

// comment returns the length of the comment at the beginning of src, or of what begins it if it has no end. It looks no
// further than where the next one begins, so that all comments together take a time that is linear.
func (p *page) comment(src []byte) int {
	const begin = len("<!--")
	switch rest := src[begin:]; {
	case bytes.HasPrefix(rest, []byte(">")):
		return begin + 1
	case bytes.HasPrefix(rest, []byte("->")):
		return begin + 2
	}
	for at := begin; ; at++ {
		i := bytes.Index(src[at:], []byte("--"))
		if i < 0 {
			return begin
		}
		at += i
		switch rest := src[at+len("--"):]; {
		case bytes.HasPrefix(rest, []byte(">")):
			return at + len("-->")
		case bytes.HasPrefix(rest, []byte("!>")):
			return at + len("--!>")
		case bytes.HasSuffix(src[begin:at], []byte("<!")): // another one begins
			return begin
		}
	}
}

// cdata reads what is marked as CDATA at the beginning of src. If it has no end, the mark alone is read.
func (p *page) cdata(src []byte) int {
	const begin = len("<![CDATA[")
	end := after(src, begin, "]]>", &p.missing.cdata)
	if end == 0 {
		return begin
	}
	around := p.missing
	p.fragment(src[begin : end-len("]]>")]) // no other one ends in it, so this goes no deeper
	p.missing = around
	return end
}

// separate ends a word if a tag of that name does.
func (p *page) separate(name []byte) {
	if !isInline(name) {
		p.out = append(p.out, ' ')
	}
}

// appendText appends text with its character references resolved.
func (p *page) appendText(src []byte) {
	for {
		plain := bytes.IndexByte(src, '&')
		if plain < 0 {
			p.out = append(p.out, src...)
			return
		}
		p.out = append(p.out, src[:plain]...)
		src = src[plain:]
		end := referenceLen(src)
		p.out = append(p.out, p.resolve(src[:end])...)
		src = src[end:]
	}
}

// resolve returns the text of a character reference: & and everything that may belong to it.
func (p *page) resolve(reference []byte) string {
	if known, ok := p.references[string(reference)]; ok {
		return known
	}
	text := html.UnescapeString(string(reference))
	if len(reference) <= maxReference && len(p.references) < maxReferences {
		if p.references == nil {
			p.references = make(map[string]string)
		}
		p.references[string(reference)] = text
	}
	return text
}
