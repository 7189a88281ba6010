package text

import (
	"bytes"

	"golang.org/x/net/html"
)

// page extracts the text of HTML. Tags separate words, except for those that are part of a line (inline, below).
// Comments, declarations, and the content of scripts, styles and elements that browsers do not show are dropped. Broken
// markup means what it means to the tokenizer of x/net/html. Nesting is not tracked, so depth costs nothing.
//
// page itself reads what most pages contain, without allocating. At the first thing beyond that, the tokenizer takes
// over.
type page struct {
	out        []byte
	reader     bytes.Reader
	references map[string]string // character references seen, resolved
}

// A Page takes the text out of HTML as a Normalizer with html: strip does, for text of which only a part is HTML. The
// zero Page is ready. It is not safe for concurrent use.
type Page struct{ page page }

// Append appends the text of src to dst and returns the extended slice. src and the spare room of dst must not overlap.
// Time and memory are linear in the length of src, whatever is in it. Most pages cause no allocation.
func (p *Page) Append(dst, src []byte) []byte {
	p.page.append(dst, src)
	out := p.page.out
	p.page.out = nil // it belongs to the caller
	p.page.reader.Reset(nil)
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
			p.tokenize(src)
			break
		}
		src = src[read:]
	}
}

// tokenize appends the text of src, which begins outside of any tag. It defines the result; markup must agree with it.
func (p *page) tokenize(src []byte) {
	p.reader.Reset(src)
	tokens := html.NewTokenizer(&p.reader)
	tokens.AllowCDATA(true)
	hidden := false
	for {
		token := tokens.Next()
		switch token {
		case html.ErrorToken: // the end: reading from memory has no other error
			return
		case html.TextToken:
			if !hidden {
				p.out = append(p.out, tokens.Text()...)
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := tokens.TagName()
			p.separate(name)
			hidden = token != html.EndTagToken && isHidden(name)
			continue
		case html.CommentToken, html.DoctypeToken:
		}
		hidden = false
	}
}

// markup reads the tag, comment or declaration at the beginning of src, and the content of an element that has no tags
// in it. It returns how many bytes it read, or 0 for what it leaves to the tokenizer.
func (p *page) markup(src []byte) int {
	if len(src) < 2 {
		return 0
	}
	switch c := src[1]; {
	case isLetter(c):
		return p.startTag(src)
	case c == '/' && len(src) > 2 && isLetter(src[2]):
		name := tagName(src[2:])
		end := tagEnd(src, 2+len(name))
		if end > 0 {
			p.separate(name)
		}
		return end
	case bytes.HasPrefix(src, []byte("<!--")):
		return commentEnd(src)
	case c == '!' && len(src) > 2 && src[2] == '[': // CDATA, perhaps
		return 0
	case c == '/' || c == '!' || c == '?':
		return after(src, 2, ">")
	}
	p.out = append(p.out, '<')
	return 1
}

// startTag reads a start tag, and for elements that hold only text also their content.
func (p *page) startTag(src []byte) int {
	name := tagName(src[1:])
	end := tagEnd(src, 1+len(name))
	if end == 0 {
		return 0
	}
	content := 0
	if kind := textOnly(name); kind != "" {
		content = contentLen(src[end:], kind)
	}
	if content < 0 {
		return 0
	}
	p.separate(name)
	if !isHidden(name) {
		p.appendText(src[end : end+content])
	}
	return end + content
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
