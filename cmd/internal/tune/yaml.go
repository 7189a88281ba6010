package tune

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// settingYAML returns the configuration with which the setting is as it was tried: the setting, and everything else
// about texts and similarity that is not the default. What decides nothing beside the others is left out: it would be
// refused. A service plans bands by their cost by itself; others are for the verbs that work on files.
func settingYAML(c config.Config, s Setting) (string, error) {
	tried, always := c, []string{"duplicates.threshold", "duplicates.shingle", "duplicates.method"}
	p := &tried.Judge.Duplicates
	p.Threshold, p.Shingle, p.Hash, p.Method = s.Threshold, s.Shingle, s.Hash, s.Sketch
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
