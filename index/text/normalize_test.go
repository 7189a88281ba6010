package text

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

func normal(s string) string { return string(NewNormalizer(DefaultParams()).Append(nil, []byte(s))) }

// plain follows the definition literally: no ASCII path, no stretches, no bitmap.
func plain(s string) string {
	s = strings.TrimPrefix(s, "\ufeff")
	words := plainWords(s)
	unread, read := unreadOf(s), len(strings.ReplaceAll(words, " ", ""))
	signs := signsOf(s) > unread+read
	switch {
	case 20*unread > unread+read:
		words = plainWords(bytesAsLetters(s))
	case unread > 0 || signs:
		words = plainWords(unreadAsLetters(s, signs))
	}
	if words != "" || strings.TrimSpace(s) == "" {
		return words
	}
	return " " + strings.TrimSpace(s)
}

func plainWords(s string) string {
	valid := strings.ToValidUTF8(s, "\uFFFD")
	c := norm.NFKC.String(strings.Map(cherokeeCapital, seen(cases.Fold().String(norm.NFKC.String(seen(valid))))))
	return strings.Join(strings.FieldsFunc(c,
		func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) }), " ")
}

// seen returns s without invisible characters.
func seen(s string) string {
	s = strings.Map(func(r rune) rune {
		if r != joiner && unicode.Is(ignorable(), r) || r >= 0xfff9 && r <= 0xfffb || r >= 0x13430 && r <= 0x1343f {
			return -1
		}
		return r
	}, s)
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == joiner })
	for i := 1; i < len(parts); i++ {
		if trail, _ := utf8.DecodeLastRuneInString(parts[i-1]); norm.NFKC.PropertiesString(string(trail)).TrailCCC() != 0 &&
			norm.NFKC.PropertiesString(parts[i]).LeadCCC() != 0 {
			parts[i] = string(rune(joiner)) + parts[i]
		}
	}
	return strings.Join(parts, "")
}

func cherokeeCapital(r rune) rune {
	if unicode.Is(unicode.Cherokee, r) {
		return unicode.ToUpper(r)
	}
	return r
}

func TestNormalForm(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"only separators", " \t--\u00a0…!", " --\u00a0…!"},
		{"case and white space", "  The QUICK\r\n\tbrown   Fox ", "the quick brown fox"},
		{"punctuation", "Hello, world! (again)", "hello world again"},
		{"apostrophe and underscore separate", "don't snake_case", "don t snake case"},
		{"digits", "A1 2b 3.14", "a1 2b 3 14"},
		{"just outside the letters", "@A[`a{/0:Z", "a a 0 z"},
		{"control characters", "a\x00b\x7fc", "a b c"},
		{"full folding", "Straße İ", "strasse i\u0307"},
		{"final sigma", "ΣΊΣΥΦΟΣ σίσυφος", "σίσυφοσ σίσυφοσ"},
		{"compatibility", "ﬁne ２０２６ ⅷ Ⓐ ² ½", "fine 2026 viii a 2 1 2"},
		{"composed and decomposed are one", "cafe\u0301 café CAFE\u0301", "café café café"},
		{"a mark belongs to the letter before the cut", strings.Repeat("a", 40) + "e\u0301" + strings.Repeat("b", 40), strings.Repeat("a", 40) + "é" + strings.Repeat("b", 40)},
		{"a mark turns a separator into another", "a=\u0338b", "a b"},
		{"half-width katakana", "ｶﾞｷﾞ", "ガギ"},
		{"other numbers are digits", "x① ٣ 〇", "x1 ٣ 〇"},
		{"what is invisible does not count", "soft\u00adhyphen zero\u200dwidth \u202etfel", "softhyphen zerowidth tfel"},
		{"signs above numbers are seen", "a\u0600b", "a b"},
		{"emoji separate", "good👍morning", "good morning"},
		{"few bad bytes are letters", "one\xff1wo\xc3(three)\xe2\x82 " + strings.Repeat("four", 30), "one" + letters("\xff") + "1wo" + letters("\xc3") + " three " + letters("\xe2\x82") + " " + strings.Repeat("four", 30)},
		{"what may be a second half is one", "one\xfftwo " + strings.Repeat("four", 20), "one" + letters("\xfft") + "wo " + strings.Repeat("four", 20)},
		{"surrogates are bad bytes", strings.Repeat("a", 60) + "\xed\xa0\x80.b", strings.Repeat("a", 60) + letters("\xed\xa0\x80") + " b"},
		{"many bad bytes are letters", "a\xffb\xc3(\xe2\x82", "a" + letters("\xffb\xc3") + " " + letters("\xe2\x82")},
		{"beyond the basic plane", "𝔘nicode 𐐀 𠀀", "unicode 𐐨 𠀀"},
		{"both cases of Cherokee", "ᏣᎳᎩ ꮳꮃꭹ Ᏸ ᏸ", "ᏣᎳᎩ ᏣᎳᎩ Ᏸ Ᏸ"},
		{"unassigned is a letter", "\u0378" + strings.Repeat("b", 60), letters("\u0378") + strings.Repeat("b", 60)},
		{"a byte order mark is no part of a text", "\ufeff\xff", letters("\xff")},
		{"nor of one without words", "\ufeff!", " !"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := normal(c.in); got != c.want {
				t.Errorf("normal form of %q: got %q, want %q", c.in, got, c.want)
			}
			if got := plain(c.in); got != c.want {
				t.Errorf("by definition %q: got %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestAppendLeavesWhatIsThereAlone(t *testing.T) {
	n := NewNormalizer(DefaultParams())
	dst := []byte("kept")
	for _, in := range []string{"  Éclair, one", "TWO", "…été", "", "\u00a0 - "} {
		dst = n.Append(dst, []byte(in))
	}
	if got, want := string(dst), "keptéclair onetwoété -"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Every code point that has a meaning of its own. One that folds, decomposes or combines is also tried with the marks
// and letters that are known to combine with it in odd ways.
func TestEveryCodePoint(t *testing.T)     { tryEachCodePoint(t, 13) }
func TestEveryCodePointLong(t *testing.T) { tryEachCodePoint(t, 1) }

// tryEachCodePoint tries every n-th code point.
func tryEachCodePoint(t *testing.T, step rune) {
	n := NewNormalizer(DefaultParams())
	var once, twice []byte
	check := func(in []byte) {
		once = n.Append(once[:0], in)
		twice = n.Append(twice[:0], once)
		if !bytes.Equal(once, twice) {
			t.Fatalf("%+q: once %+q, twice %+q", in, once, twice)
		}
	}
	for r := rune(0x80); r <= unicode.MaxRune; r += step {
		if !utf8.ValidRune(r) || !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cc,
			unicode.Cf) {
			continue
		}
		in := append(utf8.AppendRune([]byte("x"), r), " y"...)
		check(in)
		if want := plain(string(in)); string(once) != want {
			t.Fatalf("%+q: got %+q, by definition %+q", in, once, want)
		}
		if !odd(r) {
			continue
		}
		for _, tail := range []string{"\u0301", "\u0345", "\u0338", "\u0307\u0323", "\u3099", "\u1161\u11a8"} {
			check(append(utf8.AppendRune([]byte("x"), r), tail...))
		}
	}
}

func odd(r rune) bool {
	return unicode.SimpleFold(r) != r || unicode.Is(unicode.M, r) ||
		unicode.In(r, unicode.Hangul, unicode.Katakana) && r < 0x3200 ||
		norm.NFKC.PropertiesString(string(r)).Decomposition() != nil && !unicode.Is(unicode.Hangul, r)
}

func TestASCIIAgreesWithTheGeneralPath(t *testing.T) {
	n := NewNormalizer(DefaultParams())
	for a := range 128 {
		for b := range 128 {
			in := []byte{'x', byte(a), byte(b), 'Y', ' ', byte(b), byte(a), 'z', byte(a)}
			if fast, slow := n.Append(nil, in), trim(n.last.appendWhole(nil, 0, in), 0); !bytes.Equal(fast, slow) {
				t.Fatalf("%q: fast %q, general %q", in, fast, slow)
			}
		}
	}
}

// A text of nothing but marks, or of the character that grows most, takes no more than linear time and the documented
// memory.
func TestHostileText(t *testing.T) {
	n := NewNormalizer(DefaultParams())
	for _, unit := range []string{"\u0301", "\u0345", "\ufdfa", "\u1e9e", "e\u0301", "\xff", "a\xff"} {
		in := bytes.Repeat([]byte(unit), 1<<18/len(unit))
		out := n.Append(nil, in)
		if len(out) > 11*len(in) {
			t.Errorf("%q grew from %d to %d bytes", unit, len(in), len(out))
		}
		if again := NewNormalizer(DefaultParams()).Append(nil, out); !bytes.Equal(out, again) {
			t.Errorf("%q: not idempotent", unit)
		}
	}
}

func TestNothingIsAllocated(t *testing.T) {
	for name, src := range samples(t) {
		if name == "html2kB" {
			continue // the tokenizer allocates
		}
		n := NewNormalizer(sampleParams(name))
		dst := n.Append(nil, src)
		if allocs := testing.AllocsPerRun(50, func() { dst = n.Append(dst[:0], src) }); allocs != 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}

// The standard library and x/text must have Unicode tables of the same version; otherwise letters and folds would
// disagree.
func TestOneUnicodeVersion(t *testing.T) {
	if unicode.Version != Unicode || cases.UnicodeVersion != Unicode {
		t.Errorf("unicode %s, cases %s, norm %s", unicode.Version, cases.UnicodeVersion, Unicode)
	}
}

// FuzzOptions tries any combination of options.
func FuzzOptions(f *testing.F) {
	for i, s := range []string{
		"<p>a@b.c &amp; 1,234.5</p>", "http://a.b/c, www.d.e", "e\u0301 - \u0323", "1 . 2 @ x : / / y", "\u1100 \u1161",
		"<script>&lt;", "0,0.0", "½ ² ٣",
	} {
		f.Add([]byte(s), uint(i*53))
	}
	var all []Params
	everyParams(func(p Params) { all = append(all, p) })
	made := make(map[uint]*Normalizer)
	f.Fuzz(func(t *testing.T, in []byte, which uint) {
		which %= uint(len(all))
		if made[which] == nil {
			made[which] = NewNormalizer(all[which])
		}
		n := made[which]
		checkOptions(t, n, in)
		if fast, slow := n.last.append(nil, 0, in), n.last.appendWhole(nil, 0, in); !bytes.Equal(fast, slow) {
			t.Fatalf("%+v: %+q: by the table %+q, by canon %+q", n.params, in, fast, slow)
		}
	})
}

func FuzzNormalize(f *testing.F) {
	for _, s := range []string{
		"", "Hello, World", "cafe\u0301", "a\xffb", "ａ＿ｂ", "x\u0345\u0301 =\u0338", "0123456789abcdefé0123456789abcdef",
		"ΐ" + strings.Repeat("\u0301", 40), "ﷺ", "한국어 조선말", "\u1100\u1161\u11a8", "İstanbul ẞ",
	} {
		f.Add([]byte(s))
	}
	n := NewNormalizer(DefaultParams())
	f.Fuzz(func(t *testing.T, in []byte) { checkNormal(t, n, in) })
}

// Properties of the normal form of any bytes.
func checkNormal(t *testing.T, n *Normalizer, in []byte) {
	t.Helper()
	out := n.Append(nil, in)
	if whole := trim(n.last.appendWhole(nil, 0, in), 0); !n.last.found && len(whole) > 0 && !bytes.Equal(out, whole) {
		t.Fatalf("%+q: in stretches %+q, as a whole %+q", in, out, whole)
	}
	if again := n.Append(nil, out); !bytes.Equal(out, again) {
		t.Fatalf("%+q: once %+q, twice %+q", in, out, again)
	}
	if len(out) > 0 && isWordless(out) {
		if plain(string(in)) != string(out) {
			t.Fatalf("%+q: %+q is not compared as a whole", in, out)
		}
		return
	}
	if strings.Trim(string(out), " ") != string(out) || strings.Contains(string(out), "  ") {
		t.Fatalf("%+q: %+q is not words joined by single spaces", in, out)
	}
	if !utf8.Valid(out) {
		t.Fatalf("%+q: %+q is no valid UTF-8", in, out)
	}
}

// Texts of awkward characters, which mutated bytes would seldom contain.
func TestRandomText(t *testing.T)     { tryRandomText(t, 2000) }
func TestRandomTextLong(t *testing.T) { tryRandomText(t, 200_000) }

func tryRandomText(t *testing.T, texts int) {
	seed := uint64(20261121)
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	pieces := strings.Split("a|B|=|'| |  |.|0|é|E\u0301|\u0301|\u0345|\u0338|\u0327|\u0323|\u3099|か|ｶ|ﾞ|\u1100|\u1161|\u11a8|가|ß|ẞ|İ|ΐ|ᾳ|ᾼ|Ω|Σ|ﬃ|½|Ꮳ|ꮳ|\u00ad|\u200d|\ufdfa|\u0f71|\u0f72|\u0344|"+
		"𝔘|\U0001d160|\U00011099\U000110ba|\xff|\xe2\x82|plain words of some length, |"+strings.Repeat("\u0301", 31)+"|"+
		strings.Repeat("\u0345\u0327", 16), "|")
	n := NewNormalizer(DefaultParams())
	var in []byte
	for range texts {
		in = in[:0]
		for range 1 + random.IntN(24) {
			in = append(in, pieces[random.IntN(len(pieces))]...)
		}
		checkNormal(t, n, in)
	}
}
