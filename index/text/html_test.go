package text

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// checkPage compares the reading of tags with the tokenizer, as far as it shows in a normal form with punctuation.
func checkPage(t *testing.T, n *Normalizer, in []byte) {
	t.Helper()
	var fast, slow page
	slow.tokenize(in)
	got := n.last.append(nil, 0, fast.text(in))
	if want := n.last.append(nil, 0, slow.out); !bytes.Equal(trim(got, 0), trim(want, 0)) {
		t.Fatalf("%q: got %q, by the tokenizer %q", in, got, want)
	}
}

func TestTagsAgreeWithTheTokenizer(t *testing.T)     { tryTags(t, 6000) }
func TestTagsAgreeWithTheTokenizerLong(t *testing.T) { tryTags(t, 600_000) }

func tryTags(t *testing.T, pages int) {
	n := with(t, "html=strip", "punctuation=keep")
	random := rand.New(rand.NewPCG(5, 5))
	pieces := strings.Split("a|b c|<|>|/|=|'|\"|!|--|-->|--!>|<!--|<!---->|<!-->|<!--->|<!doctype x>|<!|<?x>|</|</>|</ "+
		"x>|<p>|</p>|<P CLASS=x>|<br/>|<br / >|<a href=\"x>y\">|"+
		"<a href='q\"'b=c/ d = \"e\"f>|</a x=\">\">|<a =x>|<a\n/b/c=>|<title>|</title>|</TITLE >|</titlex>|<style>|</style>|<script>|</script>|</script/>|<script/>|<textarea>|</textarea>|<xmp>|</xmp>|"+
		"<noscript>|</noscript>|<iframe>|</iframe>|<plaintext>|<![CDATA[|]]>|&amp;|&amp|&#38;|&#x26|&#0;|&nbsp;|&notit;|&unknown;|&|;|&lt;b&gt;|\x00|\r\n|\xff|é|<é>|<bé>|<verylongtagname>", "|")
	var in []byte
	for range pages {
		in = in[:0]
		for range 1 + random.IntN(10) {
			in = append(in, pieces[random.IntN(len(pieces))]...)
		}
		checkPage(t, n, in)
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

// Most pages do not need the tokenizer.
func TestPagesAreReadWithoutTheTokenizer(t *testing.T) {
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
