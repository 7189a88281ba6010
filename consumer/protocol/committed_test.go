package protocol

import "testing"

func TestMetadata(t *testing.T) {
	if got, want := NewCommitted(41, Metadata(3, 40)),
		(Committed{Offset: 41, Ours: true, Epoch: 3, Start: 40}); got != want {
		t.Errorf("what was written is read as %+v", got)
	}
	for _, foreign := range []string{
		"", "unecho1", "unecho1 ", "unecho1 3", "unecho1 x 40", "unecho1 3 x", "unecho1 -1 0",
		"unecho1 4294967296 0", "unecho2 3 40", "a note",
	} {
		if got := NewCommitted(41, foreign); got != (Committed{Offset: 41}) {
			t.Errorf("%q is read as %+v", foreign, got)
		}
	}
}

func FuzzMetadata(f *testing.F) {
	f.Add("unecho1 3 40")
	f.Fuzz(func(t *testing.T, s string) {
		c := NewCommitted(0, s)
		if again := NewCommitted(0, Metadata(c.Epoch, c.Start)); c.Ours && again != c {
			t.Errorf("%q is %+v, and written again %+v", s, c, again)
		}
	})
}
