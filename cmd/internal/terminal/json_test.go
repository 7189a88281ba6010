package terminal

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

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
