package api

import (
	"time"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/index"
)

// leaves is when a document leaves the window, at the rate of the last minute.
type leaves struct {
	At    shape.Moment `json:"at,omitzero"`     // the first of those below
	Bound string       `json:"bound,omitempty"` // and which it is
	Age   shape.Moment `json:"by_age,omitzero"`
	Count shape.Moment `json:"by_count,omitzero"`
	Bytes shape.Moment `json:"by_bytes,omitzero"`
}

// newLeaves reckons. entering is how many documents a second enter the window; 0: none, or that is not known.
func newLeaves(p *index.Params, k *index.Known, s *index.Stats, entering float64) *leaves {
	l := &leaves{}
	first := int64(0)
	note := func(ms int64, bound string, to *shape.Moment) {
		*to = shape.At(ms)
		if first == 0 || ms < first {
			first, l.At, l.Bound = ms, *to, bound
		}
	}
	if p.Duplicates.Remember.Age > 0 {
		note(k.Seen+p.Duplicates.Remember.Age.Milliseconds(), "age", &l.Age)
	}
	if entering <= 0 || s.Documents == 0 {
		return l
	}
	after := func(documents float64) (ms int64, near bool) {
		const century = 100 * 365 * 24 * float64(time.Hour/time.Second)
		seconds := max(0, documents) / entering
		return s.Now + int64(1000*seconds), seconds < century
	}
	if p.Duplicates.Remember.Documents > 0 {
		if ms, near := after(float64(p.Duplicates.Remember.Documents - s.Documents + k.Older + 1)); near {
			note(ms, "documents", &l.Count)
		}
	}
	if p.Duplicates.Remember.Memory > 0 {
		each := max(1, float64(s.WindowBytes)/float64(s.Documents))
		if ms, near := after((float64(int64(p.Duplicates.Remember.Memory)-s.WindowBytes+k.OlderPart) + each) / each); near {
			note(ms, "memory", &l.Bytes)
		}
	}
	return l
}
