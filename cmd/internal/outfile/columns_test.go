package outfile

import (
	"strings"
	"testing"
)

// What is written as a column is read as it was.
func FuzzColumns(f *testing.F) {
	for _, id := range []string{"", "a", "a b", "\t\n\r\\", `\n`, `\\t`, "\\\n\\", `C:\dir`, "\xff\\"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		line := string(AppendTSV(nil, id, "x"))
		left, right, _ := strings.Cut(line, "\t")
		if right != "x\n" || UnescapeTSV(left) != id {
			t.Errorf("%q is written %q and read %q", id, line, UnescapeTSV(left))
		}
	})
}

func TestName(t *testing.T) {
	for name, want := range map[string]string{
		"a/b.txt": "a/b.txt", `c:\d`: `c:\d`, "caf\xe9.txt": `caf\xe9.txt`, "caf\u00e9": "caf\u00e9", "\\\xff\u00e9": `\\\xff` + "\u00e9",
	} {
		if got := Name(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
