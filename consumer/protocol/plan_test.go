package protocol

import "testing"

// Retention may delete documents behind a range that is forwarded to its end: nobody wants them.
func TestOvertaken(t *testing.T) {
	ranges := NewMode(&Plan{})
	for name, c := range map[string]struct {
		of    Assignment
		begin int64
		want  bool
	}{
		"a live group":             {Assignment{Base: 5, Mode: live{}}, 6, true},
		"a live group, all there":  {Assignment{Base: 5, Mode: live{}}, 5, false},
		"within a range":           {Assignment{Base: 5, Mode: ranges, Range: Range{To: 9}}, 6, true},
		"within a range, there":    {Assignment{Base: 5, Mode: ranges, Range: Range{To: 9}}, 5, false},
		"a range that is finished": {Assignment{Base: 9, Mode: ranges, Range: Range{To: 9}}, 12, false},
	} {
		if got := c.of.Mode.Overtaken(&c.of, c.begin); got != c.want {
			t.Errorf("%s: Overtaken(%d) = %t, want %t", name, c.begin, got, c.want)
		}
	}
}
