package text

import (
	"bytes"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

// checkShown checks that what stands behind a page is in its text.
func checkShown(t *testing.T, in []byte) (text []byte) {
	t.Helper()
	page := append(append([]byte{}, in...), "<p>endend</p>"...)
	if text = AppendPage(nil, page); !bytes.Contains(text, []byte("endend")) {
		t.Fatalf("%q becomes %q", page, text)
	}
	return text
}

// The text of the pages in tryPages, as a hash. Where an upgrade of golang.org/x/net changes it, members of both builds
// would sign pages otherwise: raise Version, and then this number.
const (
	pagesHash    = 0xac796bd8b4c802d8
	pagesVersion = 4
)

// Whatever a page holds, nothing of it hides what stands behind it.
func TestNothingHidesTheRest(t *testing.T) {
	if got := tryPages(t, 12000); got != pagesHash || Version != pagesVersion {
		t.Errorf("text version %d reads pages as %#x", Version, got)
	}
}

func TestNothingHidesTheRestLong(t *testing.T) { tryPages(t, 600_000) }

func tryPages(t *testing.T, pages int) uint64 {
	random := rand.New(rand.NewPCG(5, 5))
	pieces := strings.Split("a|b c|<|>|/|=|'|\"|!|--|-->|--!>|<!--|<!---->|<!-->|<!--->|<!-- a -->|<!-- a --!>|<!doctype x>|<!|<?x>|</|</>|</ "+
		"x>|<p>|</p>|<P CLASS=x>|<br/>|<br / >|<a href=\"x>y\">|"+
		"<a href='q\"'b=c/ d = \"e\"f>|</a x=\">\">|<a =x>|<a\n/b/c=>|<title>|</title>|<title>t &amp; <b></title>|</TITLE >|</titlex>|<style>|</style>|<style>s<b></style>|"+
		"<script>|</script>|<script>x<y</script>|<script>a<!--<script>b</script>c--></script>|</script/>|<textarea>|</textarea>|<xmp>|</xmp>|<xmp>&amp;<b></xmp>|"+
		"<noscript>|</noscript>|<iframe>|</iframe>|<IFRAME src='x'>i</iframe >|&amp;|&amp|&#38;|&#x26|&#0;|&nbsp;|&notit;|&unknown;|&|;|&lt;b&gt;|\x00|\r\n|\xff|é|<é>|<bé>|<verylongtagname>", "|")
	sum := fnv.New64a()
	for range pages {
		var in []byte
		for range 1 + random.IntN(10) {
			in = append(in, pieces[random.IntN(len(pieces))]...)
		}
		_, _ = sum.Write(append(checkShown(t, in), '\n'))
	}
	return sum.Sum64()
}

// What has no end before the text has hides nothing, an empty element is none that hides, and CDATA is HTML.
func TestWhatHidesInPages(t *testing.T) {
	n, plain := with(t, "html=strip"), with(t)
	for _, c := range []struct{ in, want string }{
		{"<p>one</p><iframe src='v'/><p>two</p>", "one two"},
		{"<p>one</p><script src='v'/><style/><p>two</p><noscript/><title/>three", "one two three"},
		{"<iframe/>one<iframe></iframe>two<IFRAME />three", "one two three"},
		{"<iframe src='v'/>hidden</iframe>shown", "hidden shown"},
		{"<script src='v'/>code()</script>shown", "code shown"},
		{"<script/>one<script>code()</script>two", "one two"},
		{"one<script>two", "one two"},
		{"one<style>two <b>three</b>", "one two three"},
		{"one<iframe src='v'>two<iframe src='w'></iframe>three", "one three"},
		{"one<title>two <b>three</b>", "one two three"},
		{"one<xmp>two &amp; <b>three</b>", "one two three"},
		{"one<plaintext>two <b>three</b>", "one two three"},
		{"<script>document.write('<script>x<\\/script>')</script>shown", "shown"},
		{"<script><!-- code()</script>shown", "shown"},
		{"<script><!--<script></script>one", "one"},
		{"one<!-- two <b>three</b>", "one two three"},
		{"one<!-- two --!> three<!-- four --> five", "one three five"},
		{"one<!> two<!--> three<!---> four", "one two three four"},
		{"<script>one <!-- two <b title='three'> four", "one two four"},
		{"<style>one <!-- two <b title='three> four", "one two b title three four"},
		{"<style><style><style>one <b>two <i title='three'> four", "one b two i title three four"},
		{"one <a href=\"x>two</a> three", "one a href x two three"},
		{"one <a href=\"x>two</a> three <a href=\"y\">four</a> five", "one four five"},
		{"one <a title=\"<b>no</b> no\" href='?a=b&c='>two</a>", "one two"},
		{"one <a data-a='<a href=\"x\">no</a>' data-b=\"() => '<b>no</b>'\" data-c=\"5 > 3\">two</a>", "one two"},
		{"one <!-- two <b>three</b> <!-- four --> five", "one five"},
		{"one <!--[if !IE]><!--> two <!--<![endif]--> three", "one two three"},
		{"one <script src='v'> two\n<script>code()</script> three", "one three"},
		{"one <script/> two <script>code()</script> three <script src='v'/> four <script> code()</script>", "one two three four"},
		{"one <script>\ndocument.write('\n<script>x<\\/script>')</script> two", "one two"},
		{"one <script>s.replace('<script>', '')</script> two", "one two"},
		{"one <script><!--\n<script>x</script>\n--></script> two", "one two"},
		{"one <b two", "one b two"},
		{"one </b two <!three <?four", "one b two three four"},
		{"1 < 2 and 3 <4", "1 2 and 3 4"},
		{"<![CDATA[<p>one</p><b>tw</b>o &amp; three]]> four", "one two three four"},
		{"<![CDATA[one <b>two", "one two"},
		{"<![CDATA[one <![CDATA[two]]> three]]>", "one two three"},
		{"&amp;lt;p&amp;gt;one&amp;lt;/p&amp;gt;", "lt p gt one lt p gt"},
	} {
		if got := string(n.Append(nil, []byte(c.in))); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.in, got, c.want)
		}
		if got := string(plain.Append(nil, AppendPage(nil, []byte(c.in)))); got != c.want {
			t.Errorf("%q becomes %q in a part of a text, want %q", c.in, got, c.want)
		}
	}
}

// Of a tag or comment that is too long the beginning is left out, and the rest is text.
func TestLongTokens(t *testing.T) {
	long := strings.Repeat("x", maxToken)
	for _, c := range []struct{ in, want string }{
		{"one " + long + " two", "one " + long + " two"},
		{"one <img src='data:" + long + "'>two", "one xxxxxxxxxxxxxxx'>two"},
		{"one <!--" + long + "-->two", "one xxxx-->two"},
		{"one <title>" + long + "</title>two", "one  " + long + " two"},
		{"one <script>" + long + " </script>two", "one   two"},
	} {
		if got := string(AppendPage(nil, []byte(c.in))); got != c.want {
			t.Errorf("%.20q of %d bytes becomes %.40q of %d, want %d", c.in, len(c.in), got, len(got), len(c.want))
		}
	}
}

// A tag of many attributes makes the tags behind it no slower: by one tokenizer alone, this takes two minutes.
func TestManyAttributes(t *testing.T)     { tryManyAttributes(t, 1<<18) }
func TestManyAttributesLong(t *testing.T) { tryManyAttributes(t, 8<<20) }

func tryManyAttributes(t *testing.T, size int) {
	for _, begin := range []string{"<a ", "<script ", "<title "} {
		in := []byte(begin)
		for i := int64(0); len(in) < size; i++ {
			if in = append(strconv.AppendInt(in, i, 36), ' '); len(in)%maxToken < 100 {
				in = append(in, ">x"+begin...)
			}
		}
		in = append(append(in, "></script></title>"...), bytes.Repeat([]byte("<a b>x"), size/6)...)
		began := processTime(t)
		got := AppendPage(nil, in)
		if took := processTime(t) - began; took > time.Minute || !bytes.HasSuffix(got, []byte("xxx")) {
			t.Errorf("%q: %d bytes became %.40q of %d in %v", begin, len(in), got, len(got), took)
		}
	}
}

// The text of a page is appended, and is what the normal form of HTML begins with.
func TestPageIsAppended(t *testing.T) {
	n, html := with(t), with(t, "html=strip")
	for _, in := range [][]byte{[]byte("<p>a &amp; b</p>"), []byte("plain"), nil, samples(t)["html2kB"], []byte("<![CDATA[x]]><b>y")} {
		dst := append(make([]byte, 0, 64), "before:"...)
		got, found := strings.CutPrefix(string(AppendPage(dst, in)), "before:")
		if want := string(html.Append(nil, in)); !found || string(n.Append(nil, []byte(got))) != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
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
	f.Fuzz(func(t *testing.T, in []byte) { checkShown(t, in) })
}
