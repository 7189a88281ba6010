package tune

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// Setting is one point of the grid.
type Setting struct {
	Shingle   string  `json:"shingle"`
	Hash      string  `json:"hash"`
	Sketch    string  `json:"sketch"`
	Slots     int     `json:"slots,omitempty"` // for minhash, as are
	Bands     int     `json:"bands"`           // of simhash: the blocks, or choices of blocks, that are keys
	Rows      int     `json:"rows,omitempty"`
	Planned   bool    `json:"planned,omitempty"` // bands and rows are those that the service plans for the threshold
	ByCost    bool    `json:"by_cost,omitempty"` // and slots, too: those of the cheapest bands
	Bits      int     `json:"bits,omitempty"`    // for simhash, as is
	Distance  int     `json:"distance,omitempty"`
	Threshold float64 `json:"threshold"`
	Ignores   bool    `json:"ignores,omitempty"` // the list of duplicates.ignore is left out of documents
}

func (s Setting) source() source { return source{s.Shingle, s.Hash, s.Ignores} }

// Compared names what is compared: the shingle, and whether a list is left out.
func (s Setting) Compared() string { return s.source().compared() }

// ByDistance says whether differing bits decide; see sketch.Scheme.
func (s Setting) ByDistance() bool {
	scheme, err := sketch.SchemeOf(s.Sketch)
	return err == nil && scheme.ByDistance()
}

// Short names the setting among those of one shingle, hash and threshold: "18 bands of 7 rows in 128 slots".
func (s Setting) Short() string {
	if s.ByDistance() {
		return fmt.Sprintf("%s of %d bits, distance %d", s.Sketch, s.Bits, s.Distance)
	}
	return fmt.Sprintf("%s in %d slots", s.bandsText(), s.Slots)
}

func (s Setting) bandsText() string {
	if s.ByDistance() {
		return fmt.Sprintf("%s, distance %d", s.Sketch, s.Distance)
	}
	return sketch.Banding{Bands: s.Bands, Rows: s.Rows}.String()
}

// String reads "word:3 xxhash minhash of 128 slots, 18 bands of 7 rows, threshold 0.8".
func (s Setting) String() string {
	text := fmt.Sprintf("%s %s %s of ", s.Compared(), s.Hash, s.Sketch)
	switch {
	case s.ByDistance():
		text += fmt.Sprintf("%d bits, distance %d", s.Bits, s.Distance)
	case s.Bands == 0 && s.Slots == 0:
		text += "as many slots as the cheapest bands need"
	case s.Bands == 0:
		text += fmt.Sprintf("%d slots, bands as planned", s.Slots)
	default:
		text += fmt.Sprintf("%d slots, %d bands of %d rows", s.Slots, s.Bands, s.Rows)
	}
	if s.Threshold > 0 { // else it is tried at several
		text += fmt.Sprintf(", threshold %v", s.Threshold)
	}
	return text
}

// Grid lists what is tried: each possible combination of its lists.
type Grid struct {
	Shingles   []string
	Hashes     []string
	Sketches   []string
	Slots      []int
	Bands      []int // of minhash; 0 is what the service would plan
	Bits       []int // of simhash
	Distances  []int
	Thresholds []float64
	Listed     source // that of the list of duplicates.ignore, without and with which it is tried; zero: there is none
}

// source is the part of a setting that the sets depend on.
type source struct {
	shingle, hash string
	ignores       bool // the list of duplicates.ignore
}

func (s source) String() string { return s.compared() + " " + s.hash }

func (s source) compared() string {
	if s.ignores {
		return s.shingle + " -list"
	}
	return s.shingle
}

func (g Grid) sources() []source {
	var all []source
	for _, shingle := range g.Shingles {
		for _, hash := range g.Hashes {
			from := source{shingle: shingle, hash: hash}
			all = append(all, from)
			if from.ignores = true; from == g.Listed {
				all = append(all, from)
			}
		}
	}
	return all
}

// settings returns the points of one source, without the thresholds where they do not change the sketch.
func (g Grid) settings(from source) []Setting {
	var all []Setting
	for _, kind := range g.Sketches {
		base := Setting{Shingle: from.shingle, Hash: from.hash, Ignores: from.ignores, Sketch: kind}
		if base.ByDistance() {
			all = append(all, g.distances(base)...)
			continue
		}
		for _, slots := range g.Slots {
			base.Slots = slots
			all = append(all, g.bandings(base)...)
		}
	}
	return all
}

func (g Grid) bandings(base Setting) []Setting {
	var all []Setting
	for _, bands := range g.Bands {
		s := base
		if bands == 0 {
			s.Planned, s.ByCost = true, s.Slots == 0
			for _, threshold := range g.Thresholds {
				s.Threshold = threshold
				all = append(all, s)
			}
			continue
		}
		if s.Slots == 0 {
			continue // bands that are set want slots that are set
		}
		s.Bands, s.Rows = bands, s.Slots/bands
		all = append(all, s)
	}
	return all
}

func (g Grid) distances(base Setting) []Setting {
	var all []Setting
	for _, bits := range g.Bits {
		for _, distance := range g.Distances {
			base.Bits, base.Distance = bits, distance
			all = append(all, base)
		}
	}
	return all
}

// thresholds returns those at which a setting of the grid is compared with the truth.
func (g Grid) thresholds(s Setting) []float64 {
	if s.Planned {
		return []float64{s.Threshold}
	}
	return g.Thresholds
}

// settingYAML returns the configuration with which the setting is as it was tried: the setting, and everything else
// about texts and similarity that is not the default. What decides nothing beside the others is left out: it would be
// refused. A service plans bands by their cost by itself; others are for the verbs that work on files.
func settingYAML(c config.Config, s Setting) (string, error) {
	tried, always := c, []string{"duplicates.threshold", "duplicates.shingle", "duplicates.method"}
	p := &tried.Judge.Duplicates
	p.Threshold, p.Shingle, p.Hash, p.Method = s.Threshold, s.Shingle, s.Hash, s.Sketch
	if !s.Ignores {
		p.Ignore, p.Ignored = "", text.Ignored{}
	}
	p.Bands, p.Rows, p.Plan = 0, 0, config.Default().Judge.Duplicates.Plan
	if s.ByDistance() {
		p.Bits, p.Distance = s.Bits, s.Distance
		always = append(always, "duplicates.distance")
	} else if p.Slots = s.Slots; s.ByCost {
		p.Slots = 0
	} else if !s.Planned {
		p.Bands, p.Rows = s.Bands, s.Rows
	}
	if mistakes := tried.Judge.Validate(); len(mistakes) > 0 {
		return "", fmt.Errorf("the service refuses the recommended settings: %s", mistakes[0])
	}
	return differences(tried.Judge, config.Default().Judge, always), nil
}

// differences returns the settings of duplicates and normalize that are not the default, and those that are always listed.
func differences(tried, usual index.Params, always []string) string {
	var b strings.Builder
	section := ""
	idle := map[string]bool{}
	for _, m := range setting.Under("duplicates", tried.Duplicates.Idle()) {
		idle[m.Key] = true
	}
	as := setting.Fields(usual)
	for i, f := range setting.Fields(tried) {
		head, name, _ := strings.Cut(f.Key, ".")
		if head != "duplicates" && head != "normalize" || idle[f.Key] || strings.HasPrefix(name, "remember.") || f.Text() == as[i].Text() && !slices.Contains(always, f.Key) {
			continue
		}
		if head != section {
			section = head
			b.WriteString(head + ":\n")
		}
		fmt.Fprintf(&b, "  %s: %s\n", name, f.Text())
	}
	return b.String()
}
