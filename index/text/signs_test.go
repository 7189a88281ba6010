package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

func isSign(r rune) bool { return carries(r) && norm.NFKC.String(string(r)) == string(r) }

// signsOf follows the definition literally.
func signsOf(s string) (bytes int) {
	runes := []rune("." + s + ".") // a bad byte is U+FFFD, which is no letter either
	letter := func(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) }
	for from := 1; from < len(runes); from++ {
		to := from
		for to < len(runes) && isSign(runes[to]) {
			to++
		}
		drawn := false
		for i := from + 1; i < to; i++ {
			drawn = drawn || runes[i] == runes[i-1]
		}
		if to > from && !drawn && (to-from > 2 || letter(runes[from-1]) || letter(runes[to])) {
			bytes += len(string(runes[from:to]))
		}
		from = to
	}
	return bytes
}

func signLetters(r rune) string {
	if r > 0xffff {
		return letters(string(r))
	}
	return string(0x17000 + r&0xfff)
}

// Signs that carry a text have letters of their own.
func TestSignLettersDiffer(t *testing.T) {
	seen := map[string]rune{}
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if !carries(r) {
			continue
		}
		letter := string(appendSign(nil, r))
		if other, ok := seen[letter]; ok {
			t.Errorf("%U and %U both become %+q, want letters of their own", r, other, letter)
		}
		if strings.ContainsFunc(letter, func(r rune) bool { return !unicode.IsLetter(r) }) {
			t.Errorf("%U becomes %+q, want letters", r, letter)
		}
		seen[letter] = r
	}
}

// shown returns s as it is shown by who takes it for the other encoding.
func shown(t *testing.T, s []byte, as *charmap.Charmap) string {
	t.Helper()
	text, err := as.NewDecoder().String(string(s))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func braille(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return 0x2801 + (r-'a')*3
		}
		return r
	}, s)
}

// A text of signs is not judged by the few letters in it.
func TestTextOfSigns(t *testing.T) {
	koi8 := func(s string) []byte {
		out, err := charmap.KOI8R.NewEncoder().Bytes([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for name, c := range map[string][2]string{
		"Braille":                {braille("weather for the weekend 2024"), braille("results of the election 2024")},
		"KOI8-R as 437":          {shown(t, koi8("курс рубля на год 2024"), charmap.CodePage437), shown(t, koi8("погода завтра днем 2024"), charmap.CodePage437)},
		"UTF-8 as KOI8-R":        {shown(t, []byte("курс рубля 2024"), charmap.KOI8R), shown(t, []byte("погода днем 2024"), charmap.KOI8R)},
		"UTF-8 as 437":           {shown(t, []byte("курс рубля 2024"), charmap.CodePage437), shown(t, []byte("погода днем 2024"), charmap.CodePage437)},
		"letters in squares":     {"🅵🆁🅴🅴 🅻🅾🅰🅽🆂 2024", "🅶🅾🅾🅳 🅽🅴🆆🆂 2024"},
		"APL":                    {"x←⍳⍴⌽⍉ 5", "x←⍋⍒⍟⌹ 5"},
		"music":                  {"\U0001d11e\U0001d157\U0001d159 a", "\U0001d122\U0001d158\U0001d15a a"},
		"hexagrams":              {"䷀䷁䷂ 1", "䷃䷄䷅ 1"},
		"formulas without words": {"∀x∃y∈∅", "∇x∂y∉∞"},
	} {
		for _, settings := range []string{"", "punctuation=drop", "urls=mask", "punctuation=keep"} {
			n := with(t, strings.Fields(settings)...)
			a, b := n.Append(nil, []byte(c[0])), n.Append(nil, []byte(c[1]))
			if string(a) == string(b) {
				t.Errorf("%s, %s: %s and %s both become %+q, want two forms", name, settings, c[0], c[1], a)
			}
			if again := n.Append(nil, a); string(again) != string(a) {
				t.Errorf("%s, %s: %s becomes %+q, and then %+q", name, settings, c[0], a, again)
			}
		}
		for _, shingle := range []string{"auto:3", "word:1", "char:5"} {
			if got := jaccardOf(t, shingle, c[0], c[1]); got > 0.5 {
				t.Errorf("%s, %s: %s and %s have a similarity of %.2f, want no more than 0.5", name, shingle, c[0], c[1], got)
			}
		}
	}
}

// Signs in other texts separate words, as they always did.
func TestSignsThatDoNotCount(t *testing.T) {
	n := NewNormalizer(DefaultParams())
	for in, want := range map[string]string{
		"┌──────┬─────┐\n│ Name │ Age │\n├──────┼─────┤\n│ Ann  │ 27  │\n└──────┴─────┘": "name age ann 27",
		"╔═══╗\n║ a ║\n╚═══╝":                 "a",
		".\n├── a.go\n│   └── b.go\n└── c.go": "a go b go c go",
		"├─ a\n└─ b":                   "a b",
		"NAME\n├─sda1 8:1\n└─sda2 8:2": "name sda1 8 1 sda2 8 2",
		"systemd─┬─accounts───{gdbus}": "systemd accounts gdbus",
		"⠋ Go\n⠙ Go\n⠹ Go":             "go go go",
		"████████░░░░ 60%":             "60",
		"★★★★☆ A":                      "a",
		"−5 −3 −2":                     "5 3 2",
		"£5 €6 ¥7":                     "5 6 7",
		"a → b ⇒ c":                    "a b c",
		"if x≤5 and y≥3 then stop":     "if x 5 and y 3 then stop",
		"👍👍 a":                         "a",
		"·•◦ a":                        "a",
	} {
		got := string(n.Append(nil, []byte(in)))
		if got != want {
			t.Errorf("%s becomes %+q, want %+q", in, got, want)
		}
		if n.ByBytes() || utf8.RuneCountInString(want) == 0 {
			t.Errorf("%s is compared by its bytes, want by its words", in)
		}
	}
}
