package index

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
	"github.com/unecho/unecho/index/window"
)

// Settings of the sketch may be left open, as 0: slots, and with them bands and rows. They are planned by
// what they cost (Planned), or are those that a journal was begun with (AsBegun). A settings text always has what was
// planned, so that a later version may plan otherwise for new groups, and a group that runs keeps what it has.

// The settings that may be left open.
const (
	slotsKey = "duplicates.slots"
	bandsKey = "duplicates.bands"
	rowsKey  = "duplicates.rows"
)

// Open says whether settings of the sketch are left open.
func (p *Params) Open() bool { return p.Duplicates.Slots == 0 }

// Planned returns p with all settings that it leaves open: bands and rows at the least cost for the window, as many
// slots as they need, and for verify: estimate as many codes as estimate well. It returns p itself if nothing is open.
// NewSigner and NewReplica do so by themselves.
func (p Params) Planned() (Params, error) {
	s := &p.Duplicates
	switch {
	case !p.Open():
		return p, nil
	case s.byDistance(): // it has none, and so nothing is open in its text
		s.Slots = usualSlots
		return p, nil
	}
	return p, p.plan()
}

// plan sets slots, and bands and rows unless they are set.
func (p *Params) plan() error {
	s := &p.Duplicates
	if s.Plan == planArea {
		s.Slots = usualSlots
		return nil
	}
	if s.Bands == 0 && s.Rows == 0 {
		threshold, err := s.plannedThreshold()
		if err != nil {
			return err
		}
		banding, err := sketch.PlanByCost(threshold, s.Recall, p.Load())
		if err != nil {
			return err
		}
		s.Bands, s.Rows = banding.Bands, banding.Rows
	}
	need := s.Bands * s.Rows
	s.Slots = max(sketch.MinSlots, need+need%2)
	if s.asSigned().Verify == verifyEstimate {
		s.Slots = max(s.Slots, estimatingSlots)
	}
	return nil
}

// usualSlots is how many slots there are where they are left open and no cost decides: for plan: area, as in
// datasketch; and for runs of characters to be short enough for verify: levenshtein.
const usualSlots = 128

// estimatingSlots is how many slots estimate a similarity of 0.8 with a standard error of 0.035: see
// sketch.StandardError.
const estimatingSlots = 144

// Load is what bands are planned for.
func (p *Params) Load() sketch.Load {
	l := sketch.Load{Documents: p.Duplicates.Remember.documents(), Read: p.Duplicates.MaxReferences, Tags: window.Tags}
	if shingling, err := text.ParseShingling(p.Duplicates.Shingle); err == nil {
		l.Background = background(shingling)
	}
	return l
}

// Documents that a window is planned for. A smaller one would save nothing that counts, and what is in it may be more
// alike than what the plan assumes.
const (
	fewestDocuments = 400_000
	usualDocuments  = 1_000_000 // of a window that only an age bounds
	plannedBytes    = 512       // of a document, in a window that bytes bound
)

// documents returns how many documents bands are planned for.
func (p RememberParams) documents() int {
	n := p.Documents
	if p.Memory > 0 && (n == 0 || int(p.Memory/plannedBytes) < n) {
		n = int(p.Memory / plannedBytes)
	}
	if n == 0 {
		n = usualDocuments
	}
	return max(n, fewestDocuments)
}

// AsBegun returns p with the settings that it leaves open as a journal was begun with them: settings is the canonical
// text there. Where the journal has none yet, settings is nil, and they are planned.
func (p Params) AsBegun(settings []byte) (Params, error) {
	values, _ := decoded(settings)
	begun, err := sketchOf(values)
	if err != nil {
		return p, fmt.Errorf("read the settings of the journal: %w", err)
	}
	s := &p.Duplicates
	for _, key := range s.open(&begun) {
		if _, is := values[key]; is {
			*s.field(key) = *begun.field(key)
		}
	}
	return p.Planned()
}

// sketchOf reads the settings that may be left open.
func sketchOf(values map[string]json.RawMessage) (s DuplicatesParams, err error) {
	for _, key := range [...]string{slotsKey, bandsKey, rowsKey} {
		if raw, is := values[key]; is {
			err = errors.Join(err, json.Unmarshal(raw, s.field(key)))
		}
	}
	return s, err
}

// field returns a setting that may be left open.
func (p *DuplicatesParams) field(key string) *int {
	switch key {
	case slotsKey:
		return &p.Slots
	case bandsKey:
		return &p.Bands
	}
	return &p.Rows
}

// open returns the keys of the settings that are left open, and are to be as in other ones. Bands that are set, and
// others there, want slots of their own: they differ in any case.
func (p *DuplicatesParams) open(there *DuplicatesParams) []string {
	switch {
	case p.Slots != 0:
	case p.Bands == 0 && p.Rows == 0:
		return []string{slotsKey, bandsKey, rowsKey}
	case p.Bands == there.Bands && p.Rows == there.Rows:
		return []string{slotsKey}
	}
	return nil
}

// Written returns a settings text of p in which settings may still be open, with those of p in their place.
func (p *Params) Written(settings []byte) []byte {
	values, ok := decoded(settings)
	if !ok {
		return settings
	}
	for _, key := range [...]string{slotsKey, bandsKey, rowsKey} {
		if _, is := values[key]; is {
			values[key] = json.RawMessage(strconv.Itoa(*p.Duplicates.field(key)))
		}
	}
	return setting.Encode(values)
}

// closed returns a text with the settings that it leaves open as in another text.
func closed(settings, other []byte) []byte {
	values, ok := decoded(settings)
	theirs, is := decoded(other)
	if !ok || !is {
		return settings
	}
	if _, is := values[slotsKey]; !is {
		return settings // of nothing that signs
	}
	ours, err := sketchOf(values)
	there, bad := sketchOf(theirs)
	if err != nil || bad != nil {
		return settings // of a version to come
	}
	for _, key := range ours.open(&there) {
		if value, is := theirs[key]; is {
			values[key] = value
		}
	}
	return setting.Encode(values)
}
