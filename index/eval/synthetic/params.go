package synthetic

import "github.com/unecho/unecho/index/setting"

// Params describe articles. The shares are of all documents; the remaining documents are originals.
type Params struct {
	Documents int     `key:"documents" doc:"how many documents there are"`
	Seed      uint64  `key:"seed" doc:"the same seed gives the same documents"`
	Exact     float64 `key:"exact" doc:"share of exact copies"`
	Edited    float64 `key:"edited" doc:"share of edited copies"`
	Lookalike float64 `key:"lookalike" doc:"share of bulletins, which look alike and are no copies"`
}

// DefaultParams returns the parameters of the demo.
func DefaultParams() Params {
	return Params{Documents: 3000, Seed: 1, Exact: 0.1, Edited: 0.2, Lookalike: 0.1}
}

// Validate reports every mistake at once.
func (p Params) Validate() []setting.Mistake {
	var out []setting.Mistake
	if p.Documents < 0 {
		out = append(out, setting.Wrong("documents", p.Documents, "is negative", "write how many documents to send"))
	}
	shares := []struct {
		key   string
		value float64
	}{{"exact", p.Exact}, {"edited", p.Edited}, {"lookalike", p.Lookalike}}
	sum := 0.0
	for _, share := range shares {
		sum += share.value
		if !(share.value >= 0 && share.value <= 1) {
			out = append(out, setting.Wrong(share.key, share.value, "is no share", "write a number from 0 to 1"))
		}
	}
	if len(out) == 0 && sum > 1 {
		out = append(out, setting.Wrong("exact", p.Exact, "with edited and lookalike more than all documents",
			"lower the shares"))
	}
	return out
}
