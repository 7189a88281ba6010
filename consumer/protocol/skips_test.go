package protocol

import (
	"testing"

	"github.com/unecho/unecho/index"
)

// What somebody else's commit has a group leave out: from what was forwarded up to the commit, and nothing where the
// group itself decides.
func TestSkips(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		committed Committed
		change    func(*Findings)
		from, to  int64
	}{
		"set forwards":                {Committed{Offset: 70}, nil, 50, 70},
		"set forwards, by an old one": {ours(60, 2, 30), nil, 50, 60},
		"set where it was":            {Committed{Offset: 50}, nil, 0, 0},
		"set backwards":               {Committed{Offset: 20}, nil, 0, 0},
		"the topic begins behind":     {Committed{Offset: 70}, begins(65), 65, 70},
		"another document":            {ours(60, 3, 40), func(f *Findings) { f.Moved = true }, 0, 0},
		"deleted":                     {ours(60, 3, 40), begins(80), 0, 0},
		"no offset":                   {Committed{Offset: -1}, nil, 0, 0},
		"never read":                  {Committed{Offset: 70}, unknown, 10, 70},
		"never read, from the end on": {Committed{Offset: 70}, func(f *Findings) { unknown(f); f.Latest, f.Among = true, 1 }, 0, 0},
	} {
		f := Findings{Terms: Terms{Mode: live{}}, Known: true, Replica: index.Partition{Epoch: 3, Start: 40, Base: 50}, Committed: c.committed, Begin: 10, End: 100}
		if c.change != nil {
			c.change(&f)
		}
		d := f.Decide()
		from, to, ok := f.Skips(&d)
		if ok != (c.to > 0) || ok && (from != c.from || to != c.to) {
			t.Errorf("%s: offsets %d to %d (%v), want %d to %d", name, from, to, ok, c.from, c.to)
		}
	}
}

func unknown(f *Findings) { f.Known, f.Replica = false, index.Partition{} }
