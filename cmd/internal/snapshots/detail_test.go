package snapshots

import (
	"strings"
	"testing"
)

// TestDetailIsHarmless: a snapshot that another stored writes nothing to the terminal but text.
func TestDetailIsHarmless(t *testing.T) {
	const evil = "news\x1b[2J\nof another\u202e"
	d := Detail{Index: evil, Partitions: []Source{{Topic: evil}}, Settings: []byte(`{"a\u009b": "b\u009b\u202e"}`)}
	text := d.Text()
	if strings.ContainsAny(text, "\x1b\u009b\u202e") {
		t.Errorf("the text is %q; want neither control characters nor marks of direction", text)
	}
	for _, want := range []string{
		"index        news\\x1b[2J of another\\u202e\n",
		"  news\\x1b[2J of another\\u202e/0  epoch",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("got\n%s\nwant %s", text, want)
		}
	}
}
