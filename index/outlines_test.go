package index

import "testing"

// meet meets documents in a lookup, and returns how many outlines had to be made.
func (o *outlines) meet(documents []ref) (made int) {
	o.begin()
	for _, at := range documents {
		k := o.find(at)
		if k.head == nil {
			k = o.put(at, &outline{n: 1})
			made++
		}
		*k.head = *k.head&^headMask | o.lookup
	}
	return made
}

// TestOutlinesHoldWhatIsMetInTurn: where lookups meet more documents in turn than there are places for, there are more places,
// up to a bound. In the end none is made again, and where all fit there are never more.
func TestOutlinesHoldWhatIsMetInTurn(t *testing.T) {
	const templates, each = 8, 300
	for _, c := range []struct {
		name        string
		begin, most int // sets
		templates   int
		sets        int  // in the end
		again       bool // outlines are made again and again
	}{
		{"too few", 128, 4096, templates, 1024, false},
		{"too few, and bounded", 128, 256, templates, 256, true},
		{"enough", 1024, 4096, templates, 1024, false},
		{"one template", 128, 4096, 1, 128, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var o outlines
			o.make(c.begin)
			o.most = c.most
			made := 0 // in the last round
			for range 100 {
				made = 0
				for template := range c.templates {
					var met []ref
					for i := range each {
						met = append(met, ref(i*c.templates+template))
					}
					made += o.meet(met)
				}
			}
			if len(o.heads) != c.sets || made > 0 != c.again {
				t.Errorf("%d sets, and %d outlines are made again, want %d sets", len(o.heads), made, c.sets)
			}
		})
	}
}
