package index

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/window"
)

// Bounds are the settings that only the state machine reads: how long and how many documents are remembered, from
// which similarity on two are alike, and what comparing may cost. They change nothing in entries, so they can be
// changed while what is remembered stays. They are in force by the journal: first those of the text that it was begun
// with, then those of each SettingsChange.
type Bounds struct {
	Number uint32 // of the change; 0 are those that the journal was begun with
	Text   []byte // canonical JSON of all bounds
}

// ErrBounds is wrapped by errors about bounds that this version does not know.
var ErrBounds = errors.New("bounds of a newer unecho")

// ofTexts are the settings that a text may have. They are read often, and each of their tags is long.
//
//nolint:gochecknoglobals // a table
var ofTexts = setting.Fields(Params{})

// BoundsOf returns the bounds in a canonical settings text, as a canonical text of their own.
func BoundsOf(settings []byte) []byte {
	all, _ := decoded(settings)
	values := map[string]json.RawMessage{}
	for _, f := range ofTexts {
		if raw, is := all[f.Key]; is && f.Bound {
			values[f.Key] = raw
		}
	}
	return setting.Encode(values)
}

// BoundsDiff returns a line for each bound of a settings text that is not in force; see setting.Diff.
func BoundsDiff(here []byte, inForce Bounds) []string {
	return setting.Diff(BoundsOf(here), inForce.Text)
}

// hash returns the hash of the bounds.
func (b *Bounds) hash() uint64 { return Hash(b.Text) }

// With returns p with other bounds. Documents are signed as by p, whatever the bounds are: the plan of bands, the
// evidence and what is signed of a text stay those of p. The error is ErrBounds, or says that the text is none.
func (p Params) With(bounds []byte) (Params, error) {
	values, ok := decoded(bounds)
	if !ok {
		return p, errors.New("read bounds: they are no JSON object")
	}
	signed, some := p.Duplicates.asSigned(), len(values) > 0
	q := p
	for _, f := range setting.Fields(&q) {
		raw, is := values[f.Key]
		if !is && f.Bound && f.Omits && some { // a text of bounds without it has it at that value
			if m := f.Set(f.Omit); m != nil {
				return p, fmt.Errorf("%w: %s", ErrBounds, m)
			}
		}
		if !is || !f.Bound {
			continue
		}
		delete(values, f.Key)
		if err := f.SetJSON(raw); err != nil {
			return p, fmt.Errorf("%w: %w", ErrBounds, err)
		}
		if f.Enum != nil && !slices.Contains(f.Enum, f.Text()) {
			return p, fmt.Errorf("%w: %s: %q", ErrBounds, f.Key, f.Text())
		}
	}
	for key := range values {
		return p, fmt.Errorf("%w: this version does not know %q", ErrBounds, key)
	}
	q.Duplicates.Signed = Signed{}
	if q.Duplicates.Threshold != signed.Threshold || q.Duplicates.Verify != signed.Verify {
		q.Duplicates.Signed = Signed{Threshold: signed.Threshold, Verify: signed.Verify}
	}
	if q.Duplicates.Verify != signed.Verify && signed.Verify == verifyLevenshtein {
		q.Duplicates.Evidence = evidenceText // what it keeps by itself
	}
	return q, nil
}

// begunWith returns p with the bounds of the text that the journal was begun with.
func (p Params) begunWith(settings []byte) (Params, error) {
	text := BoundsOf(settings)
	if p.OwnBounds || bytes.Equal(text, []byte("{}")) {
		return p, nil
	}
	q, err := p.With(text)
	q.Duplicates.Signed = Signed{} // the plan hangs on the bounds that the journal was begun with
	q.Duplicates.Evidence = p.Duplicates.Evidence
	return q, err
}

// SettingsChange puts other bounds in force, from its offset on. It applies only if its number is the one in force +
// 1, so the first of two changes at the same time counts.
type SettingsChange struct {
	Header
	Bounds
}

// note keeps a change that was read before any settings. That happens to a replica that begins where the journal was
// trimmed. Which of several counts is known when the bounds before them are.
func (rec *SettingsChange) note(r *Replica) {
	if r.settings == nil {
		r.earlyBounds = append(r.earlyBounds, SettingsChange{
			Header: rec.Header,
			Bounds: Bounds{Number: rec.Number, Text: bytes.Clone(rec.Text)},
		})
	}
}

func (rec *SettingsChange) fold(h running, _ *Replica) running {
	return h.mix(uint64(rec.Number)).mix(rec.hash())
}

// Params are the settings in force: those of the replica, with the bounds that the journal says.
func (r *Replica) Params() Params { return r.find.params }

// Bounds returns the bounds in force.
func (r *Replica) Bounds() Bounds { return r.bounds }

func (rec *SettingsChange) apply(r *Replica, at Stamp) Effect {
	if !r.underway.begun {
		if rec.Number != r.bounds.Number+1 || !r.change(rec.Bounds) {
			return Effect{}
		}
		r.judge.beginTurn(entry.Position{Offset: at.Offset})
		r.underway.begun = true
	}
	return Effect{Applied: r.judge.room(0, 0)}
}

// change puts bounds in force. What they leave no room for leaves in turns (room).
func (r *Replica) change(to Bounds) bool {
	p, err := r.begun.With(to.Text)
	if err != nil {
		return false
	}
	verify, err := p.Duplicates.comparer(r.sketch)
	if err != nil {
		return false
	}
	r.bounds = Bounds{Number: to.Number, Text: bytes.Clone(to.Text)}
	r.find.params, r.find.verify, r.judge.reemitEvery = p, verify, p.Duplicates.Remember.ReemitEvery.Milliseconds()
	r.find.window.Change(p.window(r.find.buckets.Bands()))
	r.requests.remembers(p.Duplicates.Remember.Keys.Milliseconds())
	r.judge.narrowing = true
	return true
}

// adoptBounds takes the bounds from a checkpoint from which the settings were taken. They are those at the
// checkpoint's offset. Changes that were read since are newer.
func (r *Replica) adoptBounds(c *Checkpoint) {
	if c.Bounds.Number > 0 {
		r.change(c.Bounds)
	}
	for i := range r.earlyBounds {
		if rec := &r.earlyBounds[i]; rec.Fingerprint == r.fingerprint && rec.Number == r.bounds.Number+1 {
			r.change(rec.Bounds)
		}
	}
	r.earlyBounds = nil
}

// MostLeaving bounds how many documents leave because of one, while bounds that were narrowed are not kept yet. A
// window of millions is brought within its new bounds by some thousand documents, each of which waits for some
// microseconds.
const MostLeaving = 1024

// turn is how far one document has come, and what it may still do to others.
type turn struct {
	open      bool  // it has begun, and ended early because records are wanted
	step      step  // the next one
	reentries int   // documents that may enter again
	left      int   // documents that have left
	freed     int64 // their bytes

	verdict  Verdict
	document window.Document // which enters, if enters is set
	enters   bool
	copied   bool // it is a copy of its Root
}

// step is a part of a turn. One that ended early, because records are wanted, is taken again.
type step int

const (
	stepLeave step = iota // documents beyond a bound leave
	stepJudge             // the entry gets its verdict
	stepEnter             // it enters
	stepTrim              // what is beyond a bound because it entered leaves
	stepDone
)

func (j *judge) beginTurn(at entry.Position) {
	j.at, j.turn = at, turn{reentries: MostReentries}
}

// over says that a turn is over before the narrowed bounds are kept. It never is as long as less has left than is to
// enter.
func (j *judge) over(bytes int64) bool {
	return j.narrowing && j.turn.left >= MostLeaving && j.turn.freed >= bytes
}

// leaves lets the oldest document leave.
func (j *judge) leaves(bytes int64) {
	j.turn.left++
	j.turn.freed += bytes
	j.find.window.Leave(bytes)
}
