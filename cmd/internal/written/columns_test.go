package written

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
