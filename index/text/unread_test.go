package text

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// unreadOf follows the definition literally.
func unreadOf(s string) (bytes int) {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r >= 0x80 && r < 0xa0 && r != 0x85 || r == utf8.RuneError || unicode.In(r, unicode.Cn, unicode.Co) &&
			!unicode.Is(ignorable(), r) && (r < 0x1f000 || r > 0x1faff) && (r < 0x1fc00 || r > 0x1fffd) {
			bytes += size
		}
		i += size
	}
	return bytes
}

// letters returns the letters of all bytes of s.
func letters(s string) string {
	var out strings.Builder
	for i := range len(s) {
		out.WriteRune(0x10600 + rune(s[i]))
	}
	return out.String()
}

// bytesAsLetters does literally what appendByteLetters is said to do.
func bytesAsLetters(s string) string {
	latin1, _ := charmap.ISO8859_1.NewDecoder().String(s) // each byte is a code point, so there is no error
	return regexp.MustCompile("[\u0080-\u00ff][\u0040-\u007f]?").ReplaceAllStringFunc(latin1, func(high string) string {
		bytes, _ := charmap.ISO8859_1.NewEncoder().String(high)
		return letters(bytes)
	})
}

// unreadAsLetters does literally what appendLetters is said to do.
func unreadAsLetters(s string, signs bool) string {
	var out strings.Builder
	bad := false
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case unreadOf(s[i:i+size]) > 0, bad && r >= 0x40 && r < 0x80:
			out.WriteString(letters(s[i : i+size]))
		case signs && isSign(r):
			out.WriteString(signLetters(r))
		default:
			out.WriteString(s[i : i+size])
		}
		bad = r == utf8.RuneError && size == 1
		i += size
	}
	return out.String()
}

// An encoded is a text of an encoding of Unicode's past.
type encoded struct {
	name     string
	encoding encoding.Encoding
	sample   string // a text that can be written in it, or nothing
	unlike   []string
}

func encodings() []encoded {
	russian := []string{
		"Курс рубля на 2024 год", "Выборы мэра 2024", "Погода в Сочи, 2024", "Цены на нефть 2024",
	}
	chinese := []string{"2024年北京天气预报", "2024年世界杯足球赛", "股市2024年开盘大跌", "2024年高考分数线公布"}
	return []encoded{
		{"windows-1251", charmap.Windows1251, "russian2kB", russian},
		{"KOI8-R", charmap.KOI8R, "russian2kB", russian},
		{"ISO 8859-5", charmap.ISO8859_5, "russian2kB", russian},
		{"IBM 866", charmap.CodePage866, "russian2kB", russian},
		{"GB2312", simplifiedchinese.GBK, "chinese2kB", chinese},
		{"GB18030", simplifiedchinese.GB18030, "chinese2kB", chinese},
		{"Big5", traditionalchinese.Big5, "", []string{"2024年台北天氣", "2024年世界盃", "股市2024年開盤大跌", "2024年考試公布"}},
		{"Shift JIS", japanese.ShiftJIS, "japanese2kB", []string{"2024アイ", "2024ヂテ", "2024年の天気予報", "2024年の選挙"}},
		{"EUC-JP", japanese.EUCJP, "japanese2kB", []string{"2024アイ", "2024ヂテ", "2024年の天気予報", "2024年の選挙"}},
		{"EUC-KR", korean.EUCKR, "", []string{"2024 날씨 예보", "2024 선거 결과", "환율 2024", "주식 2024"}},
		{"Latin-1", charmap.ISO8859_1, "latin2kB", []string{"Straße", "Straäe", "Straöe", "Stra e"}},
		{"windows-874", charmap.Windows874, "thai2kB", []string{"อากาศ 2024", "ฟุตบอล 2024", "เลือกตั้ง 2024", "ราคาน้ำมัน 2024"}},
	}
}

func jaccardOf(t *testing.T, shingle, a, b string) float64 {
	t.Helper()
	s, err := ParseShingling(shingle)
	if err != nil {
		t.Fatal(err)
	}
	n := NewNormalizer(DefaultParams())
	in, both := map[uint64]bool{}, 0
	for _, hash := range s.AppendHashes(nil, n.Append(nil, []byte(a))) {
		in[hash] = true
	}
	others := Set(s.AppendHashes(nil, n.Append(nil, []byte(b))))
	for _, hash := range others {
		if in[hash] {
			both++
		}
	}
	return float64(both) / float64(len(in)+len(others)-both)
}

// What is unread is part of its word, however little of it a text has.
func TestUnreadIsPartOfItsWord(t *testing.T) {
	const long = "the quick brown fox jumps over the lazy dog and runs through the forest to meet the mayor of the town at noon today "
	n := NewNormalizer(DefaultParams())
	for _, c := range [][2]string{
		{long + "M\xfcller", long + "M\xf6ller"},
		{"M\xfcller " + long, "M\xf6ller " + long},
		{long + "\xca\xf3\xf0\xf1", long + "\xcf\xee\xe3\xee"}, // windows-1251
		{long + "\xb0A", long + "\xb0a"},                       // GBK
		{long + "M\ufffdller", long + "Mller"},
		{long + "M\ufffdller", long + "M ller"},
		{long + "a\ue000", long + "a\ue001"},
		{long + "a\U000f1234", long + "a\U000f1235"},
		{long + "a\u0378", long + "a\u0379"},
		{long + "a\u0081", long + "a\u0082"},
		{long + "a\xe2\x82", long + "a"},
		{strings.Repeat("日本語のとても長い文章、", 9) + "\ue000", strings.Repeat("日本語のとても長い文章、", 9) + "\ue001"},
	} {
		var forms [2]string
		for i, text := range c {
			forms[i] = string(n.Append(nil, []byte(text)))
			if n.ByBytes() {
				t.Errorf("%+q is compared by bytes, want by words: less than 5 %% of it is unread", text)
			}
			if want := plain(text); forms[i] != want {
				t.Errorf("%+q becomes %+q, by definition %+q", text, forms[i], want)
			}
		}
		for _, shingle := range []string{"auto:3", "word:1", "char:5"} {
			if got := jaccardOf(t, shingle, c[0], c[1]); got == 1 {
				t.Errorf("%s: %+q and %+q have a similarity of 1, want less", shingle, c[0], c[1])
			}
		}
	}
	// a character of Chinese beside it stays an item of its own
	chinese := string(samples(t)["chinese2kB"])
	if got := jaccardOf(t, "auto:3", chinese, chinese[:300]+"\ue000"+chinese[300:]); got < 0.95 {
		t.Errorf("a character for private use in Chinese leaves a similarity of %.3f, want 0.95 at least", got)
	}
}

// Titles that have a year in common are nothing alike, whatever they are written in.
func TestUnlikeTextsOfOtherEncodings(t *testing.T) {
	n := NewNormalizer(DefaultParams())
	for _, e := range encodings() {
		var texts []string
		for _, title := range e.unlike {
			text, err := e.encoding.NewEncoder().String(title)
			if err != nil {
				t.Fatalf("%s has no %s: %v", e.name, title, err)
			}
			form := string(n.Append(nil, []byte(text)))
			if by := strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }); n.ByBytes() != by {
				t.Errorf("%s: %s is compared by bytes: %t, want %t", e.name, title, n.ByBytes(), by)
			}
			if want := plain(text); form != want {
				t.Errorf("%s: %s becomes %+q, by definition %+q", e.name, title, form, want)
			}
			for i, other := range texts {
				for _, shingle := range []string{"auto:3", "word:1", "char:5"} {
					if got := jaccardOf(t, shingle, text, other); got > 0.5 {
						t.Errorf("%s, %s: %s and %s have a similarity of %.2f, want no more than 0.5", e.name, shingle, title, e.unlike[i], got)
					}
				}
			}
			texts = append(texts, text)
		}
	}
}

// A text with a word too many is similar to what it was, much as if it were written in UTF-8, and the rest of the text is
// not.
func TestNearCopiesOfOtherEncodings(t *testing.T) {
	for _, e := range encodings() {
		if e.sample == "" {
			continue
		}
		whole := []rune(string(samples(t)[e.sample]))
		half := whole[:len(whole)/2]
		at := len(half) / 2
		near := string(half[:at]) + string(half[at+5:at+9]) + string(half[at:])
		encoded := func(text string) string {
			out, err := encoding.ReplaceUnsupported(e.encoding.NewEncoder()).String(text)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		for _, shingle := range []string{"auto:3", "char:7"} {
			got, usual := jaccardOf(t, shingle, encoded(string(half)), encoded(near)), jaccardOf(t, shingle, string(half), near)
			if got < usual-0.03 {
				t.Errorf("%s, %s: a near copy has a similarity of %.3f, in UTF-8 %.3f; want as much", e.name, shingle, got, usual)
			}
			if got := jaccardOf(t, shingle, encoded(string(half)), encoded(string(whole[len(half):]))); got > 0.2 {
				t.Errorf("%s, %s: the other half of the text has a similarity of %.3f, want 0.2 at most", e.name, shingle, got)
			}
		}
	}
}

func TestWhatIsUnread(t *testing.T) {
	nineteen := strings.Repeat("a", 19)
	for _, c := range []struct {
		settings, in string
		byBytes      bool
	}{
		{"", nineteen + "\xff", false}, // 5 %
		{"", nineteen[1:] + "\xff", true},
		{"", nineteen[1:] + "\xff !!! \t\n 😀 == --", true}, // signs, white space and emoji say nothing
		{"", strings.Repeat("é", 10) + "\xff", false},
		{"", "\xff\xfe", true},
		{"", "2024 \ufffd", true},
		{"", "2024 \ue000", true},
		{"", "2024 \U000f1234 \U00100000", true},
		{"", "2024 \u0378", true},                        // not assigned
		{"", "2024 \U0001faff \U0001f8f0 \u2065", false}, // emoji to come, and what will be invisible
		{"", "2024 \u009f", true},
		{"", "2024 \u0085", false},
		{"", "2024 \x00\x01\x1b[0m", false},
		{"", "日本語\ue000", true},
		{"", strings.Repeat("日本語", 7) + "\ue000", false},
		{"", "😀", false},
		{"", "¡!", false},
		{"", "", false},
		{"urls=drop", "http://example.org/" + nineteen + " Ab \xff", true},
		{"urls=mask", "http://example.org/" + nineteen + " Ab \xff", true},
		{"urls=keep", "http://example.org/" + nineteen + " Ab \xff", false},
		{"digits=mask", strings.Repeat("1", 30) + " \xff", true},
		{"punctuation=keep", strings.Repeat("-", 30) + " \xff 2024", true},
		{"html=strip", "<p class='" + strings.Repeat("c", 99) + "'>\xff 2024</p>", true},
		{"html=strip", "<p class='\xff'>2024</p>", false},
		{"max_bytes=4", "2024 \xff", true},
	} {
		n := with(t, strings.Fields(c.settings)...)
		form := n.Append(nil, []byte(c.in))
		if n.ByBytes() != c.byBytes {
			t.Errorf("%s: %+q becomes %+q, compared by bytes: %t, want %t", c.settings, c.in, form, n.ByBytes(), c.byBytes)
		}
		if again := n.Append(nil, form); string(again) != string(form) {
			t.Errorf("%s: %+q becomes %+q, and then %+q", c.settings, c.in, form, again)
		}
	}
}

// Texts without words are the same only if their bytes are.
func TestTextsWithoutWordsAreComparedByTheirBytes(t *testing.T) {
	england, scotland := "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
	for _, settings := range []string{"", "html=strip", "punctuation=drop space=drop", "urls=drop", "max_bytes=16"} {
		n := with(t, strings.Fields(settings)...)
		seen := map[string]string{}
		for _, in := range []string{
			"😀", "😀😀", "😀 😀", "👨\u200d👩", "👨👩", england, scotland, "🏴", "!", "！", "---", "--\u200b-", "<>", "&", "\xff!", "\xfe!", "\ufffd!",
			"\ue000", "\ue001", "\u0378", "\x01", "\x02", "\u200b", "\u00ad", "♥", "♥\ufe0f",
		} {
			form := string(n.Append(nil, []byte(in)))
			if other, ok := seen[form]; ok {
				t.Errorf("%s: %+q and %+q both become %+q", settings, in, other, form)
			}
			seen[form] = in
			if padded := string(n.Append(nil, []byte(" \t"+in+"\r\n"))); padded != form {
				t.Errorf("%s: %+q becomes %+q, with white space around it %+q", settings, in, form, padded)
			}
		}
	}
}
