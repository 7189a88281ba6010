package text

import (
	"bytes"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// tokenized returns the text of HTML by the tokenizer of x/net/html, and whether all that begins in it also ends.
func tokenized(in []byte) (text []byte, whole bool) {
	const end = " end<b>end</b>"
	tokens := html.NewTokenizer(io.MultiReader(bytes.NewReader(in), strings.NewReader(end)))
	hidden := false
	for {
		token := tokens.Next()
		switch token {
		case html.ErrorToken: // the end
			return bytes.TrimSuffix(text, []byte(" endend")), bytes.HasSuffix(text, []byte(" endend")) && !hidden
		case html.TextToken:
			if !hidden {
				text = append(text, tokens.Text()...)
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := tokens.TagName()
			if !isInline(name) {
				text = append(text, ' ')
			}
			kind := contentOf(name)
			hidden = token != html.EndTagToken && kind >= 0 && contents[kind].hidden
			continue
		case html.CommentToken, html.DoctypeToken:
		}
		hidden = false
	}
}

// checkPage compares a page with what the tokenizer makes of it, as far as it shows in a normal form with punctuation, if
// HTML 5 and other kinds of it mean the same.
func checkPage(t *testing.T, n *Normalizer, in []byte) (compared bool) {
	t.Helper()
	var p page
	got := n.last.append(nil, 0, p.text(in))
	want, whole := tokenized(in)
	if !whole || ownRules(in) {
		return false
	}
	if want := n.last.append(nil, 0, want); !bytes.Equal(trim(got, 0), trim(want, 0)) {
		t.Fatalf("%q: got %q, by the tokenizer %q", in, got, want)
	}
	return true
}

// ownRules says whether in may hold what is read otherwise than HTML 5 does.
func ownRules(in []byte) bool {
	for rest := in; ; {
		_, behind, found := bytes.Cut(rest, []byte("<!--"))
		if !found {
			break
		}
		if _, next, found := bytes.Cut(behind, []byte("<!--")); found && !bytes.HasPrefix(next, []byte(">")) &&
			!bytes.Contains(behind[:len(behind)-len(next)], []byte("-->")) {
			return true // a comment in a comment
		}
		rest = behind
	}
	quoted := bytes.ReplaceAll(in, []byte(`<a href="x>y">`), nil)
	return regexp.MustCompile(`(?s)=\s*("[^"]*>|'[^']*>)|(?i)<script[\s/>].*[>\n][ \t]*<script[\s/>]`).Match(quoted) ||
		regexp.MustCompile(`(?is)<!\[cdata|<plaintext|<(script|style|iframe|noembed|noframes|noscript|title|textarea|xmp)[^>]*/>|`+
			`<(?:style|iframe|noembed|noframes|noscript|title|textarea|xmp)[\s/>].*<(?:style|iframe|noembed|noframes|noscript|title|textarea|xmp)[\s/>]`).Match(in)
}

func TestPagesAgreeWithTheTokenizer(t *testing.T)     { tryPages(t, 12000) }
func TestPagesAgreeWithTheTokenizerLong(t *testing.T) { tryPages(t, 600_000) }

func tryPages(t *testing.T, pages int) {
	n := with(t, "html=strip", "punctuation=keep")
	random := rand.New(rand.NewPCG(5, 5))
	pieces := strings.Split("a|b c|<|>|/|=|'|\"|!|--|-->|--!>|<!--|<!---->|<!-->|<!--->|<!-- a -->|<!-- a --!>|<!doctype x>|<!|<?x>|</|</>|</ "+
		"x>|<p>|</p>|<P CLASS=x>|<br/>|<br / >|<a href=\"x>y\">|"+
		"<a href='q\"'b=c/ d = \"e\"f>|</a x=\">\">|<a =x>|<a\n/b/c=>|<title>|</title>|<title>t &amp; <b></title>|</TITLE >|</titlex>|<style>|</style>|<style>s<b></style>|"+
		"<script>|</script>|<script>x<y</script>|<script>a<!--<script>b</script>c--></script>|</script/>|<textarea>|</textarea>|<xmp>|</xmp>|<xmp>&amp;<b></xmp>|"+
		"<noscript>|</noscript>|<iframe>|</iframe>|<IFRAME src='x'>i</iframe >|&amp;|&amp|&#38;|&#x26|&#0;|&nbsp;|&notit;|&unknown;|&|;|&lt;b&gt;|\x00|\r\n|\xff|é|<é>|<bé>|<verylongtagname>", "|")
	var in []byte
	compared := 0
	for range pages {
		in = in[:0]
		for range 1 + random.IntN(10) {
			in = append(in, pieces[random.IntN(len(pieces))]...)
		}
		if checkPage(t, n, in) {
			compared++
		}
	}
	if compared < pages/3 {
		t.Errorf("%d of %d pages were compared, want a third at least", compared, pages)
	}
}

// What has no end hides nothing, an empty element is none that hides, and CDATA is HTML.
func TestWhatHidesInPages(t *testing.T) {
	n := with(t, "html=strip")
	for _, c := range []struct{ in, want string }{
		{"<p>one</p><iframe src='v'/><p>two</p>", "one two"},
		{"<p>one</p><script src='v'/><style/><p>two</p><noscript/><title/>three", "one two three"},
		{"<iframe/>one<iframe></iframe>two<IFRAME />three", "one two three"},
		{"<iframe src='v'/>hidden</iframe>shown", "shown"},
		{"<script src='v'/>code()</script>shown", "shown"},
		{"<script/>one<script>code()</script>two", "one two"},
		{"one<script>two", "one two"},
		{"one<style>two <b>three</b>", "one two three"},
		{"one<iframe src='v'>two<iframe src='w'></iframe>three", "one two three"},
		{"one<title>two <b>three</b>", "one two three"},
		{"one<xmp>two &amp; <b>three</b>", "one two three"},
		{"one<plaintext>two <b>three</b>", "one two three"},
		{"<script>document.write('<script>x<\\/script>')</script>shown", "shown"},
		{"<script><!-- code()</script>shown", "shown"},
		{"<script><!--<script></script>one", "one"},
		{"one<!-- two <b>three</b>", "one two three"},
		{"one<!-- two --!> three<!-- four --> five", "one three five"},
		{"one<!> two<!--> three<!---> four", "one two three four"},
		{"one <a href=\"x>two</a> three", "one two three"},
		{"one <a href='x>two</a> three <b title=\"y>z\">four</b>", "one two three four"},
		{"one <a href=\"x>two</a> three <a href=\"y\">four</a> five", "one two three four five"},
		{"one <a href=\"x>two</a> three <a href=\"\">four</a> five", "one two three four five"},
		{"one <a href=\"x>two</a> three <a href=\" y\">four</a> five", "one two three four five"},
		{"one <a href=\"x>two</a> \"three\" four <b>five</b>", "one two three four five"},
		{"one <a href=\"x>two</a> it is 3\" long <b>four</b>", "one two it is 3 long four"},
		{"one <a href='x>two</a> don't <b class='y'>three</b>", "one two don t three"},
		{"one <img alt='x>two<p title=\"y\">three <i class='z'>four</i>", "one two three four"},
		{"one <a title=\"<b>no</b> no\" href='?a=b&c='>two</a>", "one two"},
		{"one <a data-a='<a href=\"x\">no</a>' data-b=\"() => '<b>no</b>'\" data-c=\"5 > 3\">two</a>", "one two"},
		{"one <!-- two <b>three</b> <!-- four --> five", "one two three five"},
		{"one <!-- two <!-- three --!> four <!----> five", "one two four five"},
		{"one <!--[if !IE]><!--> two <!--<![endif]--> three", "one two three"},
		{"one <script src='v'> two\n<script>code()</script> three", "one two three"},
		{"one <script> two <p>three</p> <script>code()</script> four", "one two three four"},
		{"one <script/> two <script>code()</script> three <script src='v'/> four <script> code()</script>", "one two three four"},
		{"one <script>\ndocument.write('\n<script>x<\\/script>')</script> two", "one two"},
		{"one <script>s.replace('<script>', '')</script> two", "one two"},
		{"one <script><!--\n<script>x</script>\n--></script> two", "one two"},
		{"one <b two", "one b two"},
		{"one </b two <!three <?four", "one b two three four"},
		{"1 < 2 and 3 <4", "1 2 and 3 4"},
		{"<![CDATA[<p>one</p><b>tw</b>o &amp; three]]> four", "one two three four"},
		{"<![CDATA[<script>no()</script>one<!-- two]]> three-->four", "one two three four"},
		{"<![CDATA[one <b>two", "one two"},
		{"<![CDATA[one <![CDATA[two]]> three]]>", "one two three"},
		{"&amp;lt;p&amp;gt;one&amp;lt;/p&amp;gt;", "lt p gt one lt p gt"},
	} {
		if got := string(n.Append(nil, []byte(c.in))); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.in, got, c.want)
		}
		var p Page
		if got := string(n.Append(nil, p.Append(nil, []byte(c.in)))); !strings.Contains(c.in, "&") && got != c.want {
			t.Errorf("%q becomes %q in a part of a text, want %q", c.in, got, c.want)
		}
	}
}

// A Page appends what the normal form of HTML begins with, and keeps what stood before it, also where it was used for
// another page.
func TestPageAppends(t *testing.T) {
	var p Page
	for _, in := range [][]byte{[]byte("<p>a &amp; b</p>"), []byte("plain"), nil, samples(t)["html2kB"], []byte("<![CDATA[x]]><b>y")} {
		var whole page
		dst := append(make([]byte, 0, 64), "before:"...)
		if got, want := p.Append(dst, in), "before:"+string(whole.text(in)); string(got) != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestPagesAreReadWithoutMemory(t *testing.T) {
	n := with(t, "html=strip")
	src := samples(t)["html2kB"]
	dst := n.Append(nil, src)
	checkPage(t, n, src)
	if allocs := testing.AllocsPerRun(20, func() { dst = n.Append(dst[:0], src) }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func FuzzHTML(f *testing.F) {
	for _, s := range []string{
		"<p>a<b>c</b></p>", "<script>a<!--<script>b</script>--></script>c", "<title>&amp;</title>", "<!-- a --!> b -->",
		"<a b='>'>c",
		"<![CDATA[a]]>b", "</p x=\">\">a", "<style>a</style >b", "&#x41;&notit;", "<", "<a", "</", "<!", "<x/y/>",
	} {
		f.Add([]byte(s))
	}
	n := with(f, "html=strip", "punctuation=keep")
	f.Fuzz(func(t *testing.T, in []byte) { checkPage(t, n, in) })
}
