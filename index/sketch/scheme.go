package sketch

import "fmt"

// A Scheme is a way to sketch documents: which of the Params are its own, what it makes of them, and how its sketches are told to
// people. A scheme holds nothing. There are two kinds of schemes, and everything outside asks for the kind (ByDistance) rather
// than for a name.
type Scheme interface {
	// Name is the word in the settings.
	Name() string

	// ByDistance says that codes are bits, of which Distance may differ, and that bands find every pair within it. Of other
	// schemes the codes estimate the Jaccard similarity, and bands find a pair at the threshold with the probability Recall.
	ByDistance() bool

	// Check says what is wrong with p, or nil. Numbers are within the bounds that hold for all schemes.
	Check(p Params) *Wrong

	// New makes a sketch.
	New(p Params) (Sketch, error)

	// Banding is how slots make bands: as set, or as planned. Schemes by distance have no rows: theirs is the zero Banding.
	Banding(p Params) (Banding, error)

	// Describe says in one line how candidates are found: "minhash of 128 slots in 18 bands of 7 rows".
	Describe(p Params) (string, error)

	// Text writes codes for people and scripts.
	Text(codes []byte) string

	// Bits writes codes as so many 0 and 1 that documents which agree in more of them are more similar.
	Bits(p Params, codes []byte) string

	// Agree says how the sketches of two documents agree.
	Agree(p Params, pair Pair) (Agreement, error)
}

// schemes are those there are, the usual one first. Another one is a file of its own, and a line here.
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

// Params are the settings of all schemes. Each reads its own.
type Params struct {
	Weighted bool // shingles count as often as they occur

	// Of schemes that estimate the Jaccard similarity.
	Threshold   float64 // at which Recall is kept
	Recall      float64 // share of the pairs at the threshold that become candidates
	ByArea      bool    // bands are planned by PlanByArea, which keeps no recall
	Slots       int
	Bands, Rows int // 0 and 0 are planned
	CodeBits    int // 4, 8 or 16

	// Of schemes by distance.
	Bits     int // 32, 64 or 128
	Distance int // that may differ
	Blocks   int // that the bits are cut into; 0 is one more than Distance
}

// Wrong is a setting that a scheme cannot work with.
type Wrong struct {
	Key     string // as settings are called: slots, bands, blocks, distance
	Value   any
	Problem string
	Remedy  string
}

// Pair is what is known of two documents besides their sketches.
type Pair struct {
	A, B     []byte  // codes
	Jaccard  float64 // similarity of their shingles
	Estimate float64 // Similarity of their codes; 0 if one of them has no shingles
	Shared   int     // band keys that are equal
	Keys     int     // band keys of each
}

// Agreement is how two sketches agree, in figures and in words.
type Agreement struct {
	Slots, MatchingSlots int // of a sketch of slots
	Bits, Hamming        int // of a scheme by distance: bits, and those that differ
	Rows                 int
	Probability          float64 // that documents of this Jaccard similarity share a band; 0 where bands find every pair

	Lines  [2]Line // for a table: of the codes, and of the keys
	Differ string  // of a scheme by distance: "their simhashes differ in 9 of 64 bits"
	Apart  string  // what it says of them if they share no key
}

// Line is a line of a table.
type Line struct{ Name, Text string }
