package setting

import (
	"slices"
	"strings"
	"testing"
)

func TestSetAndText(t *testing.T) {
	for _, c := range []struct{ key, text, want string }{
		{"name", " as it is ", " as it is "},
		{"name", "", ""},
		{"inner.age", "90m", "1h30m"},
		{"inner.age", " 7d ", "7d"},
		{"inner.age", "0", "0s"},
		{"inner.size", "1024KiB", "1MiB"},
		{"inner.size", "1000", "1000"},
		{"inner.deep.bits", "4", "4"},
		{"inner.deep.mode", "b", "b"},
		{"ratio", "0.90", "0.9"},
		{"on", "true", "true"},
		{"words", " x , z ", "x,z"},
		{"words", " ", ""},
	} {
		s := defaults()
		f := field(t, &s, c.key)
		if m := f.Set(c.text); m != nil {
			t.Errorf("setting %s to %q is refused: %s", c.key, c.text, m)
			continue
		}
		if got := field(t, s, c.key).Text(); got != c.want {
			t.Errorf("%s = %q: reads %q, want %q", c.key, c.text, got, c.want)
		}
		if !f.Equals(c.text) || f.Equals(c.text+"?") {
			t.Errorf("%s = %q: Equals does not agree", c.key, c.text)
		}
	}
}

func TestSetRefuses(t *testing.T) {
	for _, c := range []struct{ key, text, want string }{
		{"name", "\xff", "is not valid UTF-8"},
		{"inner.age", "30", "has no unit; write 30ms, 30s"},
		{"inner.age", "soon", "is not a duration"},
		{"inner.age", "", "is not a duration"},
		{"inner.size", "1GB", "is not a size"},
		{"inner.size", "-1", "is not a size"},
		{"inner.size", "9000000TiB", "is not a size"},
		{"inner.deep.bits", "5", "is not one of the choices; write 4 or 8"},
		{"inner.deep.bits", "1e3", "is not a whole number"},
		{"inner.deep.bits", "99999999999999999999", "is not a whole number"},
		{"inner.deep.mode", "A", "write a or b"},
		{"ratio", "NaN", "is not a number"},
		{"ratio", "1e999", "is not a number"},
		{"on", "yes", "write true or false"},
		{"words", "x,w", "words: w: is not one of the choices; write x, y or z"},
		{"words", "x,\xff", "is not valid UTF-8"},
	} {
		s := defaults()
		before := field(t, s, c.key).Text()
		m := field(t, &s, c.key).Set(c.text)
		if m == nil || !strings.Contains(m.String(), c.want) || m.Key != c.key {
			t.Errorf("%s = %q: %v, want %q", c.key, c.text, m, c.want)
		}
		if after := field(t, s, c.key).Text(); after != before {
			t.Errorf("%s = %q: refused, but now %q", c.key, c.text, after)
		}
	}
}

func TestSecretsAreNotShown(t *testing.T) {
	s := defaults()
	m := field(t, &s, "inner.secret").Set("hunter2\xff")
	if m == nil || strings.Contains(m.String(), "hunter2") {
		t.Errorf("mistake shows the secret, or there is none: %v", m)
	}
}

func TestBytesTextRoundTrips(t *testing.T) {
	for _, b := range []Bytes{0, 1, 1023, KiB, 1025, MiB, 3 * GiB, 8 * TiB} {
		var back Bytes
		if err := back.UnmarshalText([]byte(b.String())); err != nil || back != b {
			t.Errorf("%d is written %s and read %d, %v", int64(b), b, int64(back), err)
		}
	}
}

func TestMisspelt(t *testing.T) {
	p := defaults()
	if wrong := Misspelt(p); len(wrong) > 0 {
		t.Errorf("refused: %v", wrong)
	}
	p.Inner.Deep.Mode, p.Inner.Deep.Bits, p.Inner.Deep.Kind, p.Flat.Words = "c", 5, "r", []string{"x", "w"}
	var got []string
	for _, m := range Misspelt(&p) {
		got = append(got, m.String())
	}
	want := []string{
		"inner.deep.mode: c: is not one of the choices; write a or b",
		"inner.deep.bits: 5: is not one of the choices; write 4 or 8",
		"inner.deep.kind: r: is not one of the choices; write p or q", "words: w: is not one of the choices; write x, y or z",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
