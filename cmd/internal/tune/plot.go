package tune

// plot is a picture, as chart in plot.js of the page draws it.
type plot struct {
	Title  string       `json:"title"`
	X      string       `json:"x"`
	Y      string       `json:"y"`
	Note   string       `json:"note"`
	Left   float64      `json:"left"`
	Right  float64      `json:"right"`
	Low    float64      `json:"low"`
	Top    float64      `json:"top"`
	Log    bool         `json:"log"`          // x is logarithmic
	Xs     []float64    `json:"xs,omitempty"` // where the axis has numbers; at even steps if there are none
	Lines  []namedLine  `json:"lines"`
	Points []namedPoint `json:"points,omitempty"`
	Marks  []mark       `json:"marks"`
	Bars   []bar        `json:"bars"` // in place of all these; nil: there are none
	Mark   *barMark     `json:"mark,omitempty"`
}

type point [2]float64

type line []point

type namedLine struct {
	Name   string `json:"name"`
	Colour int    `json:"colour"`
	Dashed bool   `json:"dashed"`
	Best   bool   `json:"best"`
	Dots   line   `json:"dots"`
}

type namedPoint struct {
	At    point  `json:"at"`
	Name  string `json:"name"`  // is shown under the pointer
	Label string `json:"label"` // stands beside the point; may be empty
	Best  bool   `json:"best"`
}

// mark is a straight line across the plot, with its name.
type mark struct {
	At   float64 `json:"at"`
	Name string  `json:"name"`
	Flat bool    `json:"flat"` // at a y, and not at an x
}

type bar struct {
	Name  string `json:"name"`
	Label string `json:"label"` // below its left end
	Value int    `json:"value"`
	Paint string `json:"paint"`
}

type barMark struct {
	At   float64 `json:"at"` // in bars
	Text string  `json:"text"`
}

// colours is how many colours the style of a page has for lines, --c0 and so on: those of Okabe and Ito ("Color
// Universal Design", 2008), which eyes that confuse red and green tell apart, darker on white and lighter on black.
const colours = 8
