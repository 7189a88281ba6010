package snapshots

import (
	"strings"
	"testing"
)

// TestDetailIsHarmless: a snapshot that another stored writes nothing to the terminal but text.
func TestDetailIsHarmless(t *testing.T) {
	const evil = "news\x1b[2J\nof another\u202e"
	var b strings.Builder
	d := Detail{Index: evil, Partitions: []Source{{Topic: evil}}, Settings: []byte(`{"a\u009b": "b\u009b\u202e"}`)}
	if err := d.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(b.String(), "\x1b\u009b\u202e") {
		t.Errorf("WriteText writes %q; want neither control characters nor marks of direction", b.String())
	}
	for _, want := range []string{
		"index        news\\x1b[2J of another\\u202e\n",
		"  news\\x1b[2J of another\\u202e/0  epoch",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("got\n%s\nwant %s", b.String(), want)
		}
	}
}
