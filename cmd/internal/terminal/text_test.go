package terminal

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

func TestPrintable(t *testing.T) {
	for _, test := range []struct {
		name, in string
		columns  int
		want     string
	}{
		{"plain", "Rain, then sun", 20, "Rain, then sun"},
		{"just fits", "Rain", 4, "Rain"},
		{"too long", "Rain, then sun", 5, "Rain…"},
		{"no room", "Rain", 0, ""},
		{"one column", "Rain", 1, "…"},
		{"white space", " \t Rain\r\n\u00a0 then\v", 20, "Rain then "},
		{"colours", "\x1b[31mred\x1b[0m", 40, `\x1b[31mred\x1b[0m`},
		{"bell, delete, C1", "\a\x7f\u009b", 40, `\a\x7f\u009b`},
		{"turned around", "a\u202egpj.exe\u2066\u200f", 40, `a\u202egpj.exe\u2066\u200f`},
		{"zero width", "a\u200b\ufeffb", 40, `a\u200b\ufeffb`},
		{"not UTF-8", "a\xff\xc3b", 40, `a\xff\xc3b`},
		{"an escape is not cut in two", "ab\x1b", 5, "ab…"},
		{"wide", "日本語", 6, "日本語"},
		{"wide and too long", "日本語", 5, "日本…"},
		{"wide at the edge", "a日本語", 4, "a日…"},
		{"marks", "e" + strings.Repeat("\u0301", 1000) + "x", 5, "e\u0301\u0301x"},
		{"slash and quotes stay", `a\n"b"`, 20, `a\n"b"`},
	} {
		got := Printable(test.in, test.columns)
		if got != test.want || Columns(got) > test.columns {
			t.Errorf("%s: %q of %d columns, want %q", test.name, got, Columns(got), test.want)
		}
	}
}

// A message of several lines keeps them, and nothing else that moves the cursor.
func TestHarmless(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "open ü日本: no such file\n  in short\n": "open ü日本: no such file\n  in short\n",
		"open \x1b[2J\a\r\t.txt": `open \x1b[2J\a  .txt`, "a\u202eb\xff\u009b": `a\u202eb\xff\u009b`,
	} {
		if got := Harmless(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000",
		-100: "-100",
	} {
		if got := Grouped(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestSeveral(t *testing.T) {
	for want, n := range map[string]int{"1 sketch": 1, "2 sketches": 2, "0 sketches": 0} {
		if got := Several(n, "sketch"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := Several(2000, "document"); got != "2,000 documents" {
		t.Errorf("Several(2000, document) is %q; want 2,000 documents", got)
	}
}

// Paragraphs are filled up to the last column; what is indented, and a word that is wider than a line, stay whole.
func TestWrapped(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"one two three":                 "one two\nthree",
		"one\ntwo\n\nthree\nfour":       "one two\n\nthree\nfour",
		"one two\n\n  not to be broken": "one two\n\n  not to be broken",
		"unbreakable it is":             "unbreakable\nit is",
		"ä ö ü ß":                       "ä ö ü ß",
	} {
		if got := Wrapped(text, 9); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// What does not print is escaped in JSON, what does stays, and both are read again as they were.
func TestWriteJSON(t *testing.T) {
	for text, want := range map[string]string{
		"plain, grün, 漢字, 😀":           `"plain, grün, 漢字, 😀"`,
		"\x1b[2J\x7f":                  `"\u001b[2J\u007f"`,
		"\u0080\u009b31m\u009c\u0085x": `"\u0080\u009b31m\u009c\u0085x"`,
		"a\u202eb\u2066c\u200f":        `"a\u202eb\u2066c\u200f"`,
		"\U000e0041\ue000\u00ad":       `"\udb40\udc41\ue000\u00ad"`,
		"\xff":                         `"\ufffd"`,
		"wide\u00a0space":              "\"wide\u00a0space\"",
	} {
		var out strings.Builder
		if err := WriteJSON(&out, text); err != nil || out.String() != want+"\n" && text != "\xff" {
			t.Errorf("%q is %s, want %s; %v", text, out.String(), want, err)
		}
		var again string
		if err := json.Unmarshal([]byte(out.String()), &again); err != nil || again != strings.ToValidUTF8(text, "\ufffd") {
			t.Errorf("%q comes back as %q, %v", text, again, err)
		}
	}
}

func FuzzWriteJSON(f *testing.F) {
	f.Add("\u009b31m", "x")
	f.Fuzz(func(t *testing.T, key, text string) {
		var out strings.Builder
		if err := WriteJSON(&out, map[string]string{key: text}); err != nil {
			t.Fatal(err)
		}
		line, ended := strings.CutSuffix(out.String(), "\n")
		if !ended || strings.ContainsFunc(line,
			func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
			t.Errorf("WriteJSON writes %q; want an ended line without characters that control a terminal", out.String())
		}
		var is, want map[string]string
		plain, err := json.Marshal(map[string]string{key: text})
		if err != nil || json.Unmarshal(plain, &want) != nil || json.Unmarshal([]byte(line), &is) != nil {
			t.Fatalf("%s is no JSON", line)
		}
		for k, v := range want {
			if is[k] != v {
				t.Errorf("%q is %q, want %q", k, is[k], v)
			}
		}
	})
}
