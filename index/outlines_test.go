package index

import "testing"

// meet meets documents in a lookup, and returns how many outlines had to be made.
func (o *outlines) meet(documents []ref) (made int) {
	o.begin()
	for _, at := range documents {
		k := o.find(at)
		if k < 0 {
			k = o.put(at, &outline{n: 1})
			made++
		}
		o.heads[k] = o.heads[k]&^headMask | o.lookup
	}
	return made
}

// TestOutlinesHoldWhatIsMetInTurn: where lookups meet more documents in turn than there are places, the places grow, up
// to a bound, until no outline is made again. Where all documents fit, the places never grow.
func TestOutlinesHoldWhatIsMetInTurn(t *testing.T) {
	const templates, each = 8, 300
	for _, c := range []struct {
		name        string
		begin, most int // places
		templates   int
		places      int  // in the end
		again       bool // outlines are made again and again
	}{
		{"too few", 512, 16384, templates, 4096, false},
		{"too few, and bounded", 512, 1024, templates, 1024, true},
		{"enough", 4096, 16384, templates, 4096, false},
		{"one template", 512, 16384, 1, 512, false},
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
			if got := o.mask + 1; got != c.places || made > 0 != c.again {
				t.Errorf("%d places, and %d outlines are made again, want %d places", got, made, c.places)
			}
		})
	}
}

// TestLookupsAreToldApart: a document met in an earlier lookup is not taken for one met in this lookup, although the
// numbers of lookups repeat.
func TestLookupsAreToldApart(t *testing.T) {
	var o outlines
	o.make(8)
	o.most = 8
	for lookup := range 3 * headMask {
		o.begin()
		for at := range ref(8) {
			k := o.find(at)
			if k < 0 {
				k = o.put(at, &outline{n: 1})
			}
			if o.heads[k]&headMask == o.lookup {
				t.Fatalf("lookup %d has met document %d before", lookup, at)
			}
			if lookup == 10*int(at) {
				o.heads[k] = o.heads[k]&^headMask | o.lookup
			}
		}
	}
}
