package index_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

const trickedText = "the committee met on a rainy tuesday and decided after long debate to decide nothing at all for " +
	"the present although some of " +
	"its older members had asked that a café in naïve colours be opened beside the station before winter comes and the " +
	"first " +
	"travellers arrive from the north with their luggage and their many questions about the price of coffee and the way " +
	"home"

// behind marks the space behind it.
const behind = "\ufdd0"

// trick hides a copy by what it does to one word.
type trick struct {
	name string
	hide func(word string) string
}

// Tricks that a reader does not see.
func invisibleTricks() []trick {
	return []trick{
		{"U+00AD soft hyphen in a word", inside("\u00ad")},
		{"U+034F combining grapheme joiner in a word", inside("\u034f")},
		{"U+061C Arabic letter mark in a word", inside("\u061c")},
		{"U+115F Hangul filler in a word", inside("\u115f")},
		{"U+17B4 Khmer inherent vowel in a word", inside("\u17b4")},
		{"U+180B Mongolian variation selector in a word", inside("\u180b")},
		{"U+180E Mongolian vowel separator in a word", inside("\u180e")},
		{"U+200B zero width space in a word", inside("\u200b")},
		{"U+200C zero width non-joiner in a word", inside("\u200c")},
		{"U+200D zero width joiner in a word", inside("\u200d")},
		{"U+200E, U+200F marks of direction around a word", around("\u200e", "\u200f")},
		{"U+202A, U+202C bidi embedding in a word", inside("\u202a\u202c")},
		{"U+202D, U+202C bidi override around a word", around("\u202d", "\u202c")},
		{"U+2060 word joiner in a word", inside("\u2060")},
		{"U+2062 invisible times in a word", inside("\u2062")},
		{"U+2066, U+2069 bidi isolate around a word", around("\u2066", "\u2069")},
		{"U+206A a deprecated format character in a word", inside("\u206a")},
		{"U+3164 Hangul filler in a word", inside("\u3164")},
		{"U+FE0F variation selector in a word", inside("\ufe0f")},
		{"U+FEFF byte order mark in a word", inside("\ufeff")},
		{"U+FFA0 half-width Hangul filler in a word", inside("\uffa0")},
		{"U+FFF9, U+FFFA, U+FFFB interlinear annotation, empty", inside("\ufff9\ufffa\ufffb")},
		{"U+1D173 musical control in a word", inside("\U0001d173")},
		{"U+E0061 tag in a word", inside("\U000e0061")},
		{"U+E01EF variation selector 256 in a word", inside("\U000e01ef")},
		{"all of them at once", inside("\u00ad\u200b\u200d\u2060\u202e\u202c\ufe0f\U000e0061")},
	}
}

// Tricks that normalising undoes.
func undoneTricks() []trick {
	return []trick{
		{"capitals", strings.ToUpper},
		{"full-width letters", letters('ａ')},
		{"mathematical letters", letters('𝐚')},
		{"circled letters", letters('ⓐ')},
		{"U+017F long s", swap("s", "ſ")},
		{"ligatures", swap("fi", "ﬁ", "ff", "ﬀ")},
		{"accents decomposed", swap("é", "e\u0301", "ï", "i\u0308")},
		{"U+00A0 no-break space behind a word", around("", "\u00a0")},
		{"U+3000 ideographic space behind a word", around("", "\u3000")},
		{"U+2028 line separator behind a word", around("", "\u2028")},
		{"punctuation around a word", around("«", "…»")},
		{"an emoji behind a word", around("", " 👩\u200d👧 ")},
	}
}

// Tricks that change words, or seem to.
func otherTricks() []trick {
	return []trick{
		{"accents stripped", swap("é", "e", "ï", "i")},
		{"U+0301 an acute on the first letter", inside("\u0301")},
		{"U+0336 struck through", inside("\u0336")},
		{"Cyrillic letters that look alike", swap("a", "а", "e", "е", "o", "о", "c", "с")},
		{"Greek omicron for o", swap("o", "ο")},
		{"U+0131 dotless i", swap("i", "ı")},
		{"small capitals", swap("a", "ᴀ", "e", "ᴇ", "o", "ᴏ")},
		{"digits for letters", swap("o", "0", "i", "1", "e", "3")},
		{"rn for m", swap("m", "rn")},
		{"reversed, and turned around by a bidi override", reversed},
		{"interlinear annotation with a text of its own", inside("\ufff9\ufffax\ufffb")},
		{"U+200B zero width space in place of the space behind a word", around("", behind)},
		{"a space in a word", inside(" ")},
		{"U+2009 thin space in a word", inside("\u2009")},
		{"U+2800 Braille blank in a word", inside("\u2800")},
		{"U+0000 in a word", inside("\x00")},
		{"U+007F delete in a word", inside("\x7f")},
		{"U+E000 private use in a word", inside("\ue000")},
		{"U+0378 unassigned in a word", inside("\u0378")},
		{"a byte that is not UTF-8 in a word", inside("\xff")},
		{"a hyphen in a word", inside("-")},
		{"an emoji in a word", inside("👍")},
		{"&shy; of HTML in a word", inside("&shy;")},
	}
}

func inside(s string) func(string) string {
	return func(word string) string { return word[:1] + s + word[1:] }
}

func around(before, after string) func(string) string {
	return func(word string) string { return before + word + after }
}

func swap(pairs ...string) func(string) string {
	return func(word string) string { return strings.NewReplacer(pairs...).Replace(word) }
}

// letters replaces a to z by the letters from a given one on.
func letters(a rune) func(string) string {
	return func(word string) string {
		return strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' {
				return a + r - 'a'
			}
			return r
		}, word)
	}
}

func reversed(word string) string {
	runes := []rune(word)
	slices.Reverse(runes)
	return "\u202e" + string(runes) + "\u202c"
}

// Each trick is applied to every seventh word, and the copy is compared with the text under the default settings. The
// file states which tricks are detected and which are not.
func TestTricks(t *testing.T) {
	const every = 7
	p := index.DefaultParams()
	shingling, err := p.Duplicates.Shingling()
	if err != nil {
		t.Fatal(err)
	}
	normalizer := text.NewNormalizer(p.Normalize)
	set := func(document string) []uint64 {
		return text.Set(shingling.AppendHashes(nil, normalizer.Append(nil, []byte(document))))
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "# The similarity that a trick leaves, played on every %dth word, under the default settings. The "+
		"threshold is %v.\n", every, p.Duplicates.Threshold)
	for _, trick := range slices.Concat(invisibleTricks(), undoneTricks(), otherTricks()) {
		words := strings.Fields(trickedText)
		for i := range words {
			if i%every == every-1 || strings.Contains(trick.name, "ccents") || strings.Contains(trick.name, "ligatures") {
				words[i] = trick.hide(words[i])
			}
		}
		tricked := strings.ReplaceAll(strings.Join(words, " "), behind+" ", "\u200b")
		if tricked == trickedText {
			t.Errorf("%s: nothing is hidden", trick.name)
		}
		shared, union := sketch.Jaccard(set(trickedText), set(tricked))
		fmt.Fprintf(&out, "%.4f  %s\n", float64(shared)/float64(union), trick.name)
	}
	const golden = "testdata/tricks.txt"
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
