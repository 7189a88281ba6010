package text

import (
	"bytes"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hostile returns texts that are made to cost time or memory, of about this many bytes.
func hostile(size int) map[string][]byte {
	of := func(units ...string) []byte {
		unit := strings.Join(units, "")
		return bytes.Repeat([]byte(unit), size/len(unit))
	}
	framed := func(begin string, middle []byte, end string) []byte {
		return append(append([]byte(begin), middle...), end...)
	}
	return map[string][]byte{
		"a": of("a"), "space": of(" "), "digit": of("7"), "zero": of("0"), "NUL": of("\x00"), "bad bytes": of("\xff"),
		"comma": of(","), "at": of("@"),
		"é": of("é"), "ideograph": of("日"), "emoji": of("👍"), "rare ideograph": of("\U00020000"),
		"acutes": of("\u0301"), "marks out of order": of("\u0301\u0323"), "Thai tones": of("\u0e49"),
		"one letter, many marks": framed("e", of("\u0345\u0327"), "x"),
		"longest expansion":      of("\ufdfa"), "jamos": of("\u1100\u1161\u11a8"), "decomposed": of("e\u0301"),
		"cut off": of("\xe2\x82"),
		"numbers": of("999,"), "long decimal": framed("1.", of("3"), ""), "points": of("1.2."), "three digits": of("999 "),
		"schemes": of("a://"), "half addresses": of("a@@"), "one address": of("a@"), "www": of("www."), "wwww": of("w"),
		"mailbox":   framed("", of("a.b-"), "@"),
		"open tags": of("<b>"), "deep": framed("", append(of("<div>"), of("</div>")...), "x"), "brackets": of("<"),
		"no end": framed("<a ", of("b=\""), ""), "attributes": framed("<a ", of("b "), ">x"),
		"unended comments": of("<!--"), "comments": of("<!---->"), "scripts": of("<script>"), "styles": of("<style><"),
		"titles": of("<title>x</title "), "CDATA": of("<![CDATA["),
		"empty elements": of("<iframe/><style/>"), "scripts in comments": of("<script><!--<script></script>"), "open quotes": of("<a x=\">\""),
		"comments in comments": framed("", of("<!-- a "), "-->"), "half comments": of("<!-- a --"),
		"scripts behind scripts": framed("", of("\n<script>"), "</script>"), "scripts that write": framed("", of("\n<script>a\n<script><\\"), "</script>"),
		"scripts and comments": framed("", of("\n<script><!-- a -->\n<script>"), "</script>"),
		"scripts in a line":    framed("<script>", of("a<script>"), "\n<script>\n<script></script>"),
		"scripts in values":    framed("", of("a<script><a x=\"\n<script>\"><!-- "), "-->\n<script></script>"),
		"quotes without end":   of("<a x=\"y> "), "both quotes": of("<a x=\"y> <b z='>"), "quotes behind one": framed("<a x=\"", of("<b y='>"), "\">"),
		"spaces before scripts": framed("<script>", of(" "), "<script>"),
		"Braille":               of("⠓⠑"), "boxes": of("─"), "crossed boxes": of("a╨╥ "), "private": of("\ue000"), "private words": of("plain words of some length, and \ue000 "),
		"pairs": of("aa:"), "short pairs": of("aa:b "), "hex tails": framed("x", of("a1"), ""), "Korean addresses": of("가a@b가"),
		"bangs": of("<!-- a --><!--"), "open CDATA": of("<![CDATA[]]>"),
		"references": of("&amp;"), "ampersands": of("&"), "one reference": framed("&", of("a"), ";"),
		"number references": of("&#x110000;"), "other references": of("&#1;&#2;&#3"),
	}
}

func TestHostileTexts(t *testing.T)     { tryHostileTexts(t, 1<<15) }
func TestHostileTextsLong(t *testing.T) { tryHostileTexts(t, 1<<18) }

func tryHostileTexts(t *testing.T, size int) {
	for _, settings := range []string{
		"", "html=strip", "accents=strip digits=mask urls=mask",
		"html=strip digits=mask urls=drop punctuation=keep space=drop", "ids=mask digits=mask",
	} {
		for name, in := range hostile(size) {
			checkHostile(t, settings, name, in, func() []byte { return hostile(size / fewer)[name] })
		}
	}
	for _, r := range []string{"a", "日", "\u0301"} {
		checkHostile(t, "", "forty times as much of "+r, bytes.Repeat([]byte(r), 40*size/len(r)), func() []byte {
			return bytes.Repeat([]byte(r), 40*size/fewer/len(r))
		})
	}
}

// fewer is how many times shorter the text is that a text's time is compared with.
const fewer = 8

// checkHostile bounds what a text costs, its time by that of a shorter one of its kind: where time is not linear, it is
// the square of fewer times as long. It is processor time, so that others who work meanwhile do not count, and an
// emulator makes both longer.
func checkHostile(t *testing.T, settings, name string, in []byte, short func() []byte) {
	t.Helper()
	n := with(t, strings.Fields(settings)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out, took := normalized(t, n, in)
	runtime.ReadMemStats(&after)
	if most := 10 * time.Second; took > most { // a thousand times what the long form takes
		t.Errorf("%s: %s: %d bytes took %v, want %v at most", settings, name, len(in), took, most)
	}
	if took > 100*time.Millisecond { // less says little
		if _, few := normalized(t, n, short()); took > 4*fewer*few {
			t.Errorf("%s: %s: %d bytes took %v, and an %dth of them %v; want %d times as long at most", settings, name, len(in),
				took, fewer, few, 4*fewer)
		}
	}
	// Two buffers, each of up to 16 times the input, and as much again for what they grew from.
	const tables = 2 << 20
	if most := uint64(tables + 64*len(in)); after.TotalAlloc-before.TotalAlloc > most {
		t.Errorf("%s: %s: %d bytes allocated for %d", settings, name, after.TotalAlloc-before.TotalAlloc, len(in))
	}
	if len(out) > 16*len(in) {
		t.Errorf("%s: %s: %d bytes became %d", settings, name, len(in), len(out))
	}
}

// normalized returns the normal form and the processor time that it took.
func normalized(t *testing.T, n *Normalizer, in []byte) (out []byte, took time.Duration) {
	t.Helper()
	began := processTime(t)
	out = n.Append(nil, in)
	return out, processTime(t) - began
}

// processTime returns the processor time that the process has used.
func processTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
