package snapshot

import (
	"strings"
	"testing"
)

func TestFileName(t *testing.T) {
	seen := make(map[string]string)
	long := strings.Repeat("x", 300)
	for _, name := range []string{
		"orders", "Orders", "a/b", "a%2fb", "a_b", ".", "..", ".x", "...", "x.lock", "ä", "%",
		long, long + "x", strings.ToUpper(long), "a b", "a\x00b", "a\nb",
	} {
		got := FileName(name)
		if len(got) > longestName+1 || strings.ContainsAny(got, "/\x00\n") || strings.HasPrefix(got, ".") ||
			got != strings.ToLower(got) {
			t.Errorf("%q becomes %q", name, got)
		}
		if other, ok := seen[got]; ok {
			t.Errorf("%q and %q both become %q", name, other, got)
		}
		seen[got] = name
	}
	if FileName("orders-2.x_y") != "orders-2.x_y" {
		t.Error("a plain name was changed")
	}
}

func TestFileNameOfAPosition(t *testing.T) {
	p := Position{JournalTopic: [16]byte{1, 15: 0xff}, LeaderEpoch: -1, Offset: 1<<63 - 1}
	if got, ok := ParseFileName(p.FileName()); !ok || got != p {
		t.Errorf("%v became %v", p, got)
	}
	good := p.FileName()
	for _, name := range []string{
		"", "x", "1-2-3", good + "x", good + "~", "." + good, "+" + good[1:],
		strings.ToUpper(good), good[:len(good)-3] + "-", strings.Replace(good, "-1", "-99999999999", 1),
	} {
		if name == good {
			continue
		}
		if got, ok := ParseFileName(name); ok {
			t.Errorf("%q was taken for %v", name, got)
		}
	}
}
