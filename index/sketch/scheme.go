package sketch

import "fmt"

// A Scheme is a way to sketch documents. It says which of the Params it uses, what it makes of them, and how its
// sketches are shown to people. It has no state. There are two kinds of schemes, and all other code asks for the kind
// (ByDistance), not for a name.
type Scheme interface {
	// Name returns the value of the setting.
	Name() string

	// ByDistance says whether codes are bits of which Distance may differ, and bands find every pair within it. The
	// codes of other schemes estimate the Jaccard similarity, and bands find a pair at the threshold with the
	// probability Recall.
	ByDistance() bool

	// Unread returns the names of settings of other schemes, which may have any value, because this one does not read
	// them. Check refuses the others.
	Unread() []string

	// Check returns what is wrong with p, or nil. The numbers must already be within the bounds that hold for all
	// schemes.
	Check(p Params) *Wrong

	// New builds a sketch.
	New(p Params) (Sketch, error)

	// Banding returns how slots are grouped into bands: as set, or as planned. Schemes by distance have no rows, and
	// return the zero Banding.
	Banding(p Params) (Banding, error)

	// Describe returns one line on how candidates are found: "minhash of 128 slots in 18 bands of 7 rows".
	Describe(p Params) (string, error)

	// Bits writes codes as a row of 0 and 1. The more of them agree, the more similar two documents are.
	Bits(p Params, codes []byte) string

	// Agree returns how the sketches of two documents agree.
	Agree(p Params, pair Pair) (Agreement, error)
}

// schemes lists all schemes, the usual one first. A new one is a file of its own, and a line here.
func schemes() []Scheme {
	return []Scheme{
		minHashScheme{},
		simHashScheme{},
	}
}

// Names lists the schemes, the usual one first.
func Names() []string {
	var names []string
	for _, s := range schemes() {
		names = append(names, s.Name())
	}
	return names
}

// SchemeOf finds a scheme by its name.
func SchemeOf(name string) (Scheme, error) {
	for _, s := range schemes() {
		if s.Name() == name {
			return s, nil
		}
	}
	return nil, fmt.Errorf("there is no sketch %q", name)
}

// Params are the settings of all schemes. Each scheme reads its own.
type Params struct {
	Weighted bool // shingles count as often as they occur

	// For schemes that estimate the Jaccard similarity.
	Threshold   float64 // Jaccard similarity at which Recall is kept
	Recall      float64 // share of the pairs at the threshold that become candidates
	ByArea      bool    // bands are planned by PlanByArea, which keeps no recall
	Slots       int
	Bands, Rows int // if both are 0, they are planned

	// For schemes by distance.
	Bits     int // 32, 64 or 128
	Distance int // number of bits that may differ
}

// Wrong is a setting that a scheme cannot work with.
type Wrong struct {
	Key     string // name of the setting: slots, bands, distance
	Value   any
	Problem string
	Remedy  string
}

// Pair is what is known about two documents besides their sketches.
type Pair struct {
	A, B     []byte  // codes
	Jaccard  float64 // similarity of their shingles
	Estimate float64 // Similarity of their codes; 0 if one of them has no shingles
	Shared   int     // number of band keys that are equal
	Keys     int     // number of band keys of each document
}

// Agreement says how two sketches agree, in figures and in words.
type Agreement struct {
	Slots, MatchingSlots int // for a sketch of slots
	Bits, Hamming        int // for a scheme by distance: all bits, and those that differ
	Rows                 int
	// probability that documents of this Jaccard similarity share a band; 0 where bands find every pair
	Probability float64

	Lines  [2]Line // two lines for a table: about the codes, and about the keys
	Differ string  // for a scheme by distance: "their simhashes differ in 9 of 64 bits"
	Apart  string  // what it means that two documents share no key
}

// Line is a line of a table.
type Line struct{ Name, Text string }
