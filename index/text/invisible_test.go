package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ignorable is Default_Ignorable_Code_Point as it stands in DerivedCoreProperties.txt of Unicode 15.0.
func ignorable() *unicode.RangeTable {
	return &unicode.RangeTable{
		R16: []unicode.Range16{
			{0xad, 0xad, 1},
			{0x34f, 0x34f, 1},
			{0x61c, 0x61c, 1},
			{0x115f, 0x1160, 1},
			{0x17b4, 0x17b5, 1},
			{0x180b, 0x180f, 1},
			{0x200b, 0x200f, 1},
			{0x202a, 0x202e, 1},
			{0x2060, 0x206f, 1},
			{0x3164, 0x3164, 1},
			{0xfe00, 0xfe0f, 1},
			{0xfeff, 0xfeff, 1},
			{0xffa0, 0xffa0, 1},
			{0xfff0, 0xfff8, 1},
		},
		R32:         []unicode.Range32{{0x1bca0, 0x1bca3, 1}, {0x1d173, 0x1d17a, 1}, {0xe0000, 0xe0fff, 1}},
		LatinOffset: 1,
	}
}

// Invisible is what Unicode says, and the format characters that show nothing.
func TestInvisible(t *testing.T) {
	const inUnicode = 4174 // as the file says
	count := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		if unicode.Is(ignorable(), r) {
			count++
		}
		more := r >= 0xfff9 && r <= 0xfffb || r >= 0x13430 && r <= 0x1343f
		if want := unicode.Is(ignorable(), r) || more; isInvisible(r) != want {
			t.Errorf("%U: invisible %v, want %v", r, !want, want)
		}
		if form := norm.NFKC.String(string(r)); !isInvisible(r) && strings.ContainsFunc(form, isInvisible) {
			t.Errorf("%U becomes %+q", r, form)
		}
	}
	if count != inUnicode {
		t.Errorf("the table has %d code points, the file %d", count, inUnicode)
	}
}

// An invisible character changes nothing wherever it stands: in a word, where letters and marks combine, or between
// separators.
func TestWhatIsInvisibleChangesNothing(t *testing.T) {
	texts := []string{
		"plain words of some length, and no more", "café e\u0301\u0323 \u1100\u1161\u11a8 か\u3099 Straße", "a=\u0338b ½",
		"مرحبا بالعالم", "ภาษาไทย", "x\U00020000y", "123 a@b.c http://d.e",
	}
	n := NewNormalizer(DefaultParams())
	everyMapper(func(name string, m *mapper) {
		for _, text := range texts {
			want := string(m.appendWhole(nil, 0, []byte(text)))
			for _, r := range []rune{
				0xad, 0x34f, 0x61c, 0x180e, 0x200b, 0x200d, 0x202e, 0x2060, 0x3164, 0xfe0f, 0xfeff, 0xfffa,
				0x1d173, 0xe0041, 0xe0100,
			} {
				for at := range text + "." {
					if r == joiner && endsWithMark([]byte(text[:at])) {
						continue // between two marks it counts
					}
					tricked := text[:at] + string(r) + text[at:]
					if got := string(m.append(nil, 0, []byte(tricked))); got != want {
						t.Fatalf("%s: %+q became %+q, want %+q", name, tricked, got, want)
					}
				}
			}
		}
	})
	if got := string(n.Append(nil, []byte("\u200b "+
		strings.Repeat("in\u00advis\u200bi\u2060ble\ufeff \u200e", 3)))); got != "invisible invisible invisible" {
		t.Errorf("got %q", got)
	}
}

// A text without words is compared as a whole, by its bytes.
func TestWordless(t *testing.T) {
	for _, c := range []struct{ settings, in, want string }{
		{"", "👍", " 👍"},
		{"", " 👍🏽  \u200d❤\ufe0f\t!\n", " 👍🏽  \u200d❤\ufe0f\t!"},
		{"", "！！…", " ！！…"},
		{"", "\u200b\u2060", " \u200b\u2060"},
		{"", "\x00\x01 ", " \x00\x01"},
		{"", "\u200b👍", " \u200b👍"},
		{"", " \t\u3000\r\n", ""},
		{"", "", ""},
		{"punctuation=drop", "-- --", " -- --"},
		{"punctuation=keep", "-- --", "-- --"},
		{"space=drop", "-- --", " -- --"},
		{"html=strip", "<p>👍</p>", " 👍"},
		{"html=strip", "<script>one()</script>", " <script>one()</script>"},
		{"html=strip", "&lt;&amp;!", " !"},
		{"urls=drop", "http://a.b 👍", " http://a.b 👍"},
		{"accents=strip", "\u0301", " \u0301"},
		{"max_bytes=2", "日本語", " 日本語"},
	} {
		n := with(t, strings.Fields(c.settings)...)
		got := string(n.Append([]byte("kept"), []byte(c.in)))
		if got != "kept"+c.want {
			t.Errorf("%s: %+q became %+q, want %+q", c.settings, c.in, got[4:], c.want)
		}
		if again := string(n.Append(nil, []byte(c.want))); again != c.want {
			t.Errorf("%s: %+q became %+q", c.settings, c.want, again)
		}
		if c.want == "" || c.want[0] != ' ' {
			continue
		}
		for _, s := range []string{"word:1", "char:1", "auto:3"} {
			if hashes := shingling(t, s).AppendHashes(nil, []byte(c.want)); len(hashes) != 1 {
				t.Errorf("%s of %+q: %d shingles", s, c.want, len(hashes))
			}
		}
	}
}
