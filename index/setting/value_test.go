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
		{"inner.size", "2GB", "2GB"},
		{"inner.size", "2G", "2GB"},
		{"inner.size", "2 g", "2GB"},
		{"inner.size", "2gib", "2GiB"},
		{"inner.size", "2Gi", "2GiB"},
		{"inner.size", "500kB", "500000"},
		{"inner.size", "1024 Ki", "1MiB"},
		{"inner.size", "3m", "3MB"},
		{"inner.size", "8Ti", "8TiB"},
		{"inner.size", "1t", "1TB"},
		{"inner.size", "12B", "12"},
		{"inner.deep.bits", "4", "4"},
		{"inner.deep.mode", "b", "b"},
		{"ratio", "0.90", "0.9"},
		{"inner.deep.mode", " B", "b"},
		{"inner.deep.kind", "Q", "q"},
		{"on", "true", "true"},
		{"on", "True", "true"},
		{"on", "yes", "true"},
		{"on", "ON", "true"},
		{"words", " x , z ", "x,z"},
		{"words", "X,z", "x,z"},
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
		{"inner.age", "24H", "is not a duration; write 24h"},
		{"inner.age", "1 day", "is not a duration; write 1d"},
		{"inner.age", "2 Hours 30 minutes", "is not a duration; write 2h30m"},
		{"inner.age", "10 sec", "is not a duration; write 10s"},
		{"inner.age", "2 weeks", "is not a duration; write days: 14d"},
		{"inner.age", "1w", "write days: 7d"},
		{"inner.age", "1 month", "is not a duration; write a number with a unit"},
		{"inner.size", "1GBit", "is not a size"},
		{"inner.size", "1iB", "is not a size"},
		{"inner.size", "1.5GB", "is not a size; write a whole number with a unit"},
		{"inner.size", "9TiB", "is not a size"},
		{"inner.size", "G", "is not a size"},
		{"inner.size", "-1", "is not a size"},
		{"inner.size", "9000000TiB", "is not a size"},
		{"inner.deep.bits", "5", "is not one of the choices; write 4 or 8"},
		{"inner.deep.bits", "1e3", "is not a whole number"},
		{"inner.deep.bits", "99999999999999999999", "is not a whole number"},
		{"inner.deep.mode", "ab", "write a or b"},
		{"ratio", "NaN", "is not a number"},
		{"ratio", "1e999", "is not a number"},
		{"on", "1", "write true or false"},
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
	for _, b := range []Bytes{0, 1, 1000, 1023, KiB, 1025, 1e6, MiB, 2e9, 3 * GiB, 1500e9, 8e12, 8 * TiB} {
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

func TestNearest(t *testing.T) {
	keys := []string{"kafka", "kafka.brokers", "kafka.sasl.username", "ops", "ops.listen", "text", "window.age", "window.max_bytes", "log.level"}
	for key, want := range map[string]string{
		"kafak":            "kafka",
		"kafka.broker":     "kafka.brokers",
		"kafka.sasl.user":  "kafka.sasl.username",
		"kafka.sasl.usr":   "",
		"kafka.Brokers":    "kafka.brokers",
		"window.maxBytes":  "window.max_bytes",
		"window.max-bytes": "window.max_bytes",
		"age":              "window.age",
		"log.age":          "window.age",
		"window.a":         "",
		"port":             "",
		"ttl":              "",
		"user":             "kafka.sasl.username",
		"":                 "",
	} {
		if got, ok := Nearest(key, keys); got != want || ok != (want != "") {
			t.Errorf("Nearest(%q) is %q, %v; want %q", key, got, ok, want)
		}
	}
}
