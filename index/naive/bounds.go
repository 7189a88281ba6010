package naive

import (
	"bytes"

	"github.com/unecho/unecho/index"
)

// turn is what one entry may still do to other documents.
type turn struct {
	entries int   // that may enter again
	left    int   // that left
	freed   int64 // their bytes
}

func newTurn() *turn { return &turn{entries: index.MostReentries} }

// over says that a turn ends before the window is within narrowed bounds: enough has left, and no less than is to
// enter.
func (t *Twin) over(now *turn, more int64) bool {
	return t.narrowing && now.left >= index.MostLeaving && now.freed >= more
}

// change puts other bounds in force. What they have no room for leaves, some of it at once.
func (t *Twin) change(_ index.Stamp, r *index.SettingsChange) bool {
	if !t.inForce(r.Header) || r.Number != t.bounds.Number+1 || !t.bind(r.Bounds) {
		return false
	}
	t.room(0, 0, newTurn())
	return true
}

func (t *Twin) bind(to index.Bounds) bool {
	p, err := t.begun.With(to.Text)
	if err != nil {
		return false
	}
	t.params, t.bounds, t.narrowing = p, index.Bounds{Number: to.Number, Text: bytes.Clone(to.Text)}, true
	if p.Duplicates.Remember.Keys == 0 {
		t.requests = nil
	}
	t.window.bytes = 0
	for _, d := range t.window.documents {
		d.bytes = index.EntryBytes(p, &d.entry) + index.FineBytes(d.fine)
		t.window.bytes += d.bytes
	}
	return true
}

// Params are the settings in force.
func (t *Twin) Params() index.Params { return t.params }

// Bounds returns the bounds in force.
func (t *Twin) Bounds() index.Bounds { return t.bounds }
