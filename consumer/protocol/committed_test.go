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

// What begins where nothing was ever committed says so, until a document is. Nothing else does.
func TestMetadataOfWhatIsNew(t *testing.T) {
	begins := Decision{Action: Begin, Offset: 40, Epoch: 1}
	first := Findings{Committed: Committed{Offset: -1}}
	c := NewCommitted(40, first.Metadata(&begins))
	if want := (Committed{Offset: 40, Ours: true, Epoch: 1, Start: 40, New: true}); c != want {
		t.Errorf("the first epoch is read as %+v, want %+v", c, want)
	}
	for name, of := range map[string]struct {
		findings Findings
		want     bool
	}{
		"what is new and was deleted since": {Findings{Committed: c, Known: true}, true},
		"what the journal knows":            {Findings{Committed: Committed{Offset: -1}, Known: true}, false},
		"what a person has set":             {Findings{Committed: Committed{Offset: 40}}, false},
		"what was committed":                {Findings{Committed: ours(50, 1, 40), Known: true}, false},
	} {
		if got := NewCommitted(40, of.findings.Metadata(&begins)).New; got != of.want {
			t.Errorf("%s is new: %t, want %t", name, got, of.want)
		}
	}
	for _, mode := range []Mode{live{}, backfill{plan: &Plan{}}} {
		a := &Assignment{Epoch: 1, Start: 40, Base: 40, Mode: mode, New: true}
		if !NewCommitted(40, mode.Metadata(a)).New {
			t.Errorf("%T: a commit without documents makes it old", mode)
		}
		a.New = false
		if NewCommitted(40, mode.Metadata(a)).New {
			t.Errorf("%T: it is new for ever", mode)
		}
	}
}

func FuzzMetadata(f *testing.F) {
	f.Add("unecho1 3 40")
	f.Fuzz(func(t *testing.T, s string) {
		c := NewCommitted(0, s)
		if again := NewCommitted(0, marked(Metadata(c.Epoch, c.Start), c.New)); c.Ours && again != c {
			t.Errorf("%q is %+v, and written again %+v", s, c, again)
		}
	})
}
