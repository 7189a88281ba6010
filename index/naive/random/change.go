package random

import (
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// change puts bounds in force that another seed begins with, or repeats an earlier change, or does what nobody does:
// it skips a number, or is of other settings. Then it changes nothing.
func (h *history) change() *index.SettingsChange {
	to := &index.SettingsChange{Header: index.Header{Fingerprint: h.fingerprint, Wall: h.at.LogAppendTime}}
	to.Number, to.Text = h.changed+1, boundsOf(h.p, Params(h.changes.Uint64()))
	switch h.changes.IntN(12) {
	case 0:
		to.Number += pick(h.changes, 1, uint32(2))
	case 1:
		to.Number = h.changed
	case 2:
		to.Fingerprint++
	case 3:
		to.Text = []byte(pick(h.changes, `{"duplicates.colour":"red"}`, `{"duplicates.remember.age":"long"}`, `{"duplicates.verify":"smell"}`, `[]`))
	default:
		h.changed++
	}
	return to
}

// boundsOf returns bounds of another seed, with a verification that the evidence of p allows.
func boundsOf(p, other index.Params) []byte {
	verify, text := other.Duplicates.Verify, p.Duplicates.Verify == "levenshtein" || p.Duplicates.Verify == "jaccard" &&
		p.Duplicates.Evidence == "text"
	if !text || verify == "estimate" {
		verify = p.Duplicates.Verify
	}
	other.Duplicates.Verify = verify
	return index.BoundsOf(setting.Canonical("", map[string]any{"": other}))
}
