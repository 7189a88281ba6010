package text

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/unecho/unecho/index/setting"
)

// with returns a Normalizer with the defaults and the settings given as key=value.
func with(t testing.TB, settings ...string) *Normalizer {
	t.Helper()
	p := DefaultParams()
	fields := map[string]setting.Field{}
	for _, f := range setting.Fields(&p) {
		fields[f.Key] = f
	}
	for _, s := range settings {
		key, value, _ := strings.Cut(s, "=")
		if err := fields[key].Set(value); err != nil {
			t.Fatal(err)
		}
	}
	if wrong := p.Validate(); len(wrong) > 0 {
		t.Fatalf("the settings %q are refused: %v", settings, wrong)
	}
	return NewNormalizer(p)
}

func TestOptions(t *testing.T) {
	for _, c := range []struct{ settings, in, want string }{
		{"urls=mask", "See https://example.org/a?b=c#d, or www.example.org/x.", "see url or url"},
		{"urls=drop", "See https://example.org/a?b=c#d, or www.example.org/x.", "see or"},
		{"urls=keep", "See http://a.b/c", "see http a b c"},
		{"urls=mask", "Mail (jane.doe+x@mail.example.org), please", "mail email please"},
		{"urls=mask", "HTTP://EXAMPLE.ORG ＨＴＴＰ://x.y git+ssh://h/x", "url url url"},
		{"urls=mask", "ftp://me@host/x@y a@b://c", "url email c"},
		{"urls=mask", "请看http://a.b/c更多 und http://de.example.org/straße", "请看 url 更多 und url"},
		{"urls=mask", "@home a @ b a@ @b c:// ://d www. x", "home a b a b url d www x"},
		{"urls=mask", "a@b@c d@e.f. g", "email email g"},
		{"urls=mask punctuation=keep", "(see http://a.b/(c).) <http://d> \"www.e.f\"!", "(see url ).) < url > \" url \"!"},
		{"accents=strip", "Élève naïve Ångström ñandú şimdi Ởn", "eleve naive angstrom nandu simdi on"},
		{"accents=strip", "e\u0301\u0323 й ё ΐ أهلاً بِكَ", "e и е ι اهلا بك"},
		{"accents=strip", "がぎ パ น้ำ हिन्दी שָׁלוֹם Øł", "がぎ パ น้ํา हिन्दी שָׁלוֹם øł"},
		{"digits=mask", "1,234.56 on 2026-11-21 at 10.0.0.1, x99y", "0 on 0 0 0 at 0 x0y"},
		{"digits=mask punctuation=keep", "1.5, 2 (3)4", "0, 0 (0)0"},
		{"digits=mask punctuation=drop", "1-2 3%4 5 6", "0 0 0 0"},
		{"digits=mask", "٣٤٫٥ ２² ½", "0 0 0 0 0"},
		{"punctuation=keep", "  Don't -- \t stop… (ﬁne)\u00ad!", "don't -- stop... (fine)!"},
		{"punctuation=drop", "Don't -- stop, snake_case e\u2010mail", "dont stop snakecase email"},
		{"space=drop", "Hello, World 你好 世界", "helloworld你好世界"},
		{"space=drop punctuation=keep", "Hello, World \u00a0!", "hello,world!"},
		{"space=drop", "e \u0301 \u1100 \u1161", "é가"},
		{"space=drop punctuation=keep urls=mask digits=mask", "a @ b http: / / c www . d 1 . 2 3", "abhttp:/cwwwd0"},
		{"html=strip", "<p>Caf&eacute; <b>bo</b>ld</p><p>two</p><!-- no --><script>no()</script><style>no</style>", "café bold two"},
		{"html=strip", "a&lt;b&gt;c &amp;amp; &#65;&#x42; &unknown; &notit;", "a b c amp ab unknown it"},
		{"html=strip punctuation=keep", "1 &lt; 2 &amp;lt;b&amp;gt; \uff1cb>", "1 2 lt;b gt; b>"},
		{"html=strip", "one<br>two<li>three<wbr>four<custom-tag>five", "one two threefour five"},
		{"html=strip", "<a href='x>y' title=\"<i>\">link</a> 3 < 4 <3 <>", "link 3 4 3"},
		{"html=strip", "<title>T &amp; t</title><textarea><b>raw</b></textarea><noscript>no</noscript><iframe>no</iframe>x", "t t b raw b x"},
		{"html=strip", "<![CDATA[in <b>data]]> out <?php no ?> <!doctype html>", "in data out"},
		{"html=strip", "cut <b", "cut b"},
		{"html=strip", "<script>a<!--<script>b</script>c--></script>d", "d"},
		{"html=keep", "<b>a</b>&amp;", "b a b amp"},
		{"max_bytes=5", "Hello, World", "hello"},
		{"max_bytes=6", "Hello, World", "hello"},
		{"max_bytes=4", "日本語", "日"},
		{"max_bytes=2", "日本語", " 日本語"},
		{"html=strip urls=mask accents=strip digits=mask punctuation=keep", "<p>É-Mail: <b>a@b.c</b>, No. 12 &amp; x</p>", "e-mail: email , no. 0 x"},
	} {
		checkOption(t, c.settings, c.in, c.want)
	}
}

func checkOption(t *testing.T, settings, in, want string) {
	t.Helper()
	n := with(t, strings.Fields(settings)...)
	got := n.Append([]byte("kept"), []byte(in))
	if string(got) != "kept"+want {
		t.Errorf("%s: %q became %q, want %q", settings, in, got[4:], want)
	}
	if again := n.Append(nil, got[4:]); string(again) != string(got[4:]) {
		t.Errorf("%s: %q became %q, and then %q", settings, in, got[4:], again)
	}
}

// Addresses end where scripts without spaces begin, ids are words of their own, and the i of Turkish are one.
func TestLimitsOfOptions(t *testing.T) {
	for _, c := range []struct{ settings, in, want string }{
		{"urls=mask", "有意者请联系wang@example.com谢谢 今天和@小明一起去爬山", "有意者请联系 email 谢谢 今天和 小明一起去爬山"},
		{"urls=mask", "ขอบคุณ@สมชาย ติดต่อwang@example.comครับ", "ขอบคุณ สมชาย ติดต่อ email ครับ"},
		{"urls=mask", "メール@example.com さん@コーヒー ワン@x", "メール email さん コーヒー ワン email"},
		{"urls=mask", "иван@почта.рф Müller@straße.de فلان@شركة.كوم 홍길동@회사.한국", "email email email email"},
		{"urls=mask", "문의는wang@example.com으로 연락", "문의는 email 으로 연락"},
		{"urls=mask", "문의는wang@회사.한국, 회사@example.com으로 홍길동@회사.한국", "문의는 email email 으로 email"},
		{"urls=mask", "ꦲꦏ꧀ꦱꦫwang@example.comꦗꦮ", "ꦲꦏ꧀ꦱꦫ email ꦗꦮ"},
		{"urls=mask", "שלחוwang@example.comעכשיו ნახეwang@example.comზე", "שלחו email עכשיו ნახე email ზე"},
		{"urls=mask", "mail:王@example.com谢谢 王 @example.com", "mail 王 email 谢谢 王 example com"},
		{"urls=mask punctuation=keep space=drop", "王 @ example.com 谢谢", "王example.com谢谢"},
		{"urls=drop", "有意者请联系wang@example.com谢谢", "有意者请联系 谢谢"},
		{"urls=mask punctuation=keep space=drop", "和@小明 @ 明", "和@小明@明"},
		{"ids=mask", "req 550E8400-e29b-41d4-a716-446655440000 took 12 ms, span 4bf92f3577b34da6 at 0x7FFE12ab", "req id took 12 ms span id at id"},
		{"ids=mask", "commit a1b2c3d, req_9f8e7d6c5b, pod web-7d9f8c6b5d-x2x4z", "commit id req id pod web id x2x4z"},
		{"ids=mask", "facade decade 20241126 1920x1080 0x10 a1b2c3 dec-2024 a1b2c3dx", "facade decade 20241126 1920x1080 0x10 a1b2c3 dec 2024 a1b2c3dx"},
		{"ids=mask", "req_550e8400-e29b-41d4-a716-446655440000 _a1b2c3d4_ x_0xfe12", "req id id x id"},
		{"ids=mask", "id550e8400-e29b-41d4-a716-446655440000 Span4bf92f3577b34da6 load1abcdef", "i id span id load1abcdef"},
		{"ids=mask", "from aa:bb:cc:dd:ee:ff to 00-1A-2B-3C-4D-5E, mac=00:11:22:33:44:55.", "from id to id mac id"},
		{"ids=mask", "at 12:34:56, aa:bb:cc:dd:ee 2024:11:26:10:20:30 ff:aa:bb:cc:dd:ee:f0:01", "at 12 34 56 aa bb cc dd ee 2024 11 26 10 20 30 id"},
		{"ids=mask punctuation=keep max_bytes=19", "x aa:bb:cc:dd:ee:ffx", "x"},
		{"ids=mask digits=mask", "aa:bb:cc:dd:ee:11 1:2:3:4:5:6", "id 0 0 0 0 0 0"},
		{"ids=mask digits=mask", "a1b2c3d4 took 12 ms", "id took 0 ms"},
		{"ids=mask digits=mask", "abcd1,2ef xbcd1,2ef 10.0.0.1 1.2x", "id xbcd0ef 0 0x"},
		{"ids=mask", "请求a1b2c3d4e5失败", "请求 id 失败"},
		{"ids=mask urls=mask", "http://a.b/a1b2c3d4 a1b2c3d4@x.y a1b2c3d4", "url email id"},
		{"ids=mask punctuation=keep", "id=a1b2c3d4; (550e8400-e29b-41d4-a716-446655440000)", "id= id ; ( id )"},
		{"ids=mask max_bytes=9", "x a1b2c3dx", "x"},
		{"ids=keep", "a1b2c3d4", "a1b2c3d4"},
		{"accents=strip", "DIŞİŞLERİ BAKANI dışişleri bakanı İI ıi", "disisleri bakani disisleri bakani ii ii"},
		{"accents=keep", "I ı", "i ı"},
	} {
		checkOption(t, c.settings, c.in, c.want)
	}
}

func TestGreatestBound(t *testing.T) {
	p := DefaultParams()
	p.MaxBytes = math.MaxInt64
	if got := NewNormalizer(p).Append([]byte("kept"), []byte("Hello, World")); string(got) != "kepthello world" {
		t.Errorf("got %q", got)
	}
}

// everyParams calls do for each combination of the options.
func everyParams(do func(Params)) {
	var fill func(p Params, rest []setting.Field)
	fill = func(p Params, rest []setting.Field) {
		if len(rest) == 0 {
			if len(p.Validate()) == 0 {
				do(p)
			}
			return
		}
		words := rest[0].Enum
		if len(words) == 0 {
			words = []string{"0", "7"}
		}
		for _, word := range words {
			p := p
			for _, f := range setting.Fields(&p) {
				if f.Key == rest[0].Key {
					if err := f.Set(word); err != nil {
						panic(err)
					}
				}
			}
			fill(p, rest[1:])
		}
	}
	fill(DefaultParams(), setting.Fields(new(Params)))
}

// nasty are pieces that mean something to some option, or combine with their neighbours.
func nasty() []string {
	return append(strings.Split("aa:|bb:cc:dd:|ee-|-ff|x1|한|wang@|\ue000|⠓|╨╥|│|──|∬|a1b2c3d|abcdef|0x|aaaa-|aaaaaaaa-|aaaaaaaaaaaa|a|B|1|23|007|,|.|:|/|//|@|www|www.|://|http://x|-|_|+|%| |  "+
		"|(|)|'|\"|<|>|&|;|#|=|!|<b>|</p>|<br/>|<script>|</script>|"+
		"<!--|-->|<![CDATA[|]]>|&lt;|&amp;|&#49;|&eacute|<a "+
		"href=\"x>\">|<title>|url|email|0|one|é|E\u0301|\u0301|\u0345|\u0338|\u0327|\u3099|か|ｶ|ﾞ|ᄀ|\u1161|\u11a8|가|ß|İ|ΐ|ᾳ|Σ|ﬃ|½|²|٣|٫|＜|＆|＠|：|／|．|Ꮳ|ꮳ|"+
		"和|小明|メー|\u00ad|\u200d|\ufdfa|\u0e33|\u0e49|\u0e38|\u064b|\u0651|\u0653|ا|ל|\u05b8|𝔘|𝟗|👍|\ufe0f|\U00020000|\U0001d160|\xff|\xe2\x82|\x00|\r\n|\ufffd|≮|≠|\u0f71|\u0f72|\u09c7|\u09be|\u034f", "|"), "|",
		strings.Repeat("\u0301", 31), strings.Repeat("\u0345\u0327", 16), strings.Repeat("\u0e49", 33),
		"plain words of some length, ")
}

func randomPieces(random *rand.Rand, pieces []string, in []byte) []byte {
	for range 1 + random.IntN(24) {
		in = append(in, pieces[random.IntN(len(pieces))]...)
	}
	if random.IntN(4) == 0 {
		in = utf8.AppendRune(in, rune(random.IntN(unicode.MaxRune)))
	}
	return in
}

// Normalising twice gives the same as normalising once, whatever the options.
func TestIdempotentForEveryCombination(t *testing.T)     { tryTwice(t, 3) }
func TestIdempotentForEveryCombinationLong(t *testing.T) { tryTwice(t, 60) }

func tryTwice(t *testing.T, texts int) {
	seed := uint64(20261121)
	t.Logf("seed %d", seed)
	random, pieces := rand.New(rand.NewPCG(seed, 2)), nasty()
	combinations := 0
	everyParams(func(p Params) {
		combinations++
		n := NewNormalizer(p)
		for range texts {
			in := randomPieces(random, pieces, nil)
			checkOptions(t, n, in)
		}
	})
	if combinations != 384 {
		t.Errorf("%d combinations", combinations)
	}
}

// Properties that hold for any options and bytes.
func checkOptions(t *testing.T, n *Normalizer, in []byte) {
	t.Helper()
	out := n.Append(nil, in)
	if again := n.Append(nil, out); !bytes.Equal(out, again) {
		t.Fatalf("%+v: %+q became %+q, and then %+q", n.params, in, out, again)
	}
	if len(out) > 0 && isWordless(out) {
		checkWordless(t, n, in, out)
		return
	}
	if most := int(n.params.MaxBytes); most > 0 && len(out) > most {
		t.Fatalf("%+v: %+q became %+q", n.params, in, out)
	}
	switch s := string(out); {
	case !utf8.Valid(out), strings.Trim(s, " ") != s, strings.Contains(s, "  "),
		n.params.Space == "drop" && strings.Contains(s, " "),
		n.params.Digits == "mask" && strings.ContainsFunc(s, func(r rune) bool { return unicode.IsDigit(r) && r != '0' }),
		n.params.Punctuation != "keep" && strings.ContainsFunc(s,
			func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }):
		t.Fatalf("%+v: %+q became %+q", n.params, in, out)
	}
}

// checkWordless checks what holds only for texts without words.
func checkWordless(t *testing.T, n *Normalizer, in, out []byte) {
	t.Helper()
	if words := n.appendRead(nil, in); n.params.HTML == "keep" && len(words) > 0 || len(bytes.TrimSpace(in)) == 0 ||
		len(out) < 2 {
		t.Fatalf("%+v: %+q became %+q, and has the words %+q", n.params, in, out, words)
	}
}

// The table agrees with canon, whatever the options.
func TestTableAgreesWithTheGeneralPath(t *testing.T)     { tryTable(t, 100) }
func TestTableAgreesWithTheGeneralPathLong(t *testing.T) { tryTable(t, 10_000) }

func tryTable(t *testing.T, texts int) {
	random, pieces := rand.New(rand.NewPCG(3, 3)), nasty()
	everyMapper(func(name string, m *mapper) {
		var fast, slow, in []byte
		for range texts {
			in = randomPieces(random, pieces, in[:0])
			fast, slow = m.append(fast[:0], 0, in), m.appendWhole(slow[:0], 0, in)
			if !bytes.Equal(fast, slow) {
				t.Fatalf("%s: %+q: by the table %+q, by canon %+q", name, in, fast, slow)
			}
		}
	})
}

func everyMapper(do func(name string, m *mapper)) {
	for i := range 24 {
		accents, markup, punctuation, space := i&1 != 0, i&2 != 0, outcome(i>>2%3), separated+outcome(i/12)
		do(fmt.Sprint(accents, markup, punctuation, space), newMapper(accents, markup, punctuation, space))
	}
}

// Each code point, or every n-th, is tried between others that combine with as many as possible.
func TestTableAgreesOnEveryCodePoint(t *testing.T)     { tryCodePoints(t, 29) }
func TestTableAgreesOnEveryCodePointLong(t *testing.T) { tryCodePoints(t, 1) }

func tryCodePoints(t *testing.T, step rune) {
	frames := [][2]string{
		{"a", " b"},
		{"e", "\u0301\u0323x"},
		{"\u1100", "\u1161\u11a8"},
		{"か", "\u3099\u3099"},
		{"\u0e19\u0e38", "\u0e49\u0e33"},
	}
	for _, m := range []*mapper{
		newMapper(false, false, separated, separated), newMapper(true, true, kept, separated),
		newMapper(true, false, dropped, dropped),
	} {
		var fast, slow, in []byte
		for r := rune(0); r <= unicode.MaxRune; r += step {
			if r%61 != 0 && (r >= tabled || unicode.In(r, unicode.Han, unicode.Hangul, unicode.Co)) || !utf8.ValidRune(r) {
				continue // a few are enough of those that are all alike
			}
			in = in[:0]
			for _, frame := range frames {
				in = append(utf8.AppendRune(append(in, frame[0]...), r), frame[1]...)
			}
			fast, slow = m.append(fast[:0], 0, in), m.appendWhole(slow[:0], 0, in)
			if !bytes.Equal(fast, slow) {
				t.Fatalf("accents stripped: %v: %U: by the table %+q, by canon %+q", m.whole.stripAccents, r, fast, slow)
			}
		}
	}
}
