// Package recent remembers the last copies that a replica found, for people who ask. It knows only the index.
//
// The number of copies is bounded and the oldest are forgotten first. They are in memory only, so a process begins with
// none. Each has a number, by which a reader goes on and hears how many it missed. What is erased from the index is
// dropped here as well.
package recent

import (
	"slices"
	"sync"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// Kept is how many copies are remembered.
const Kept = 1000

// Copy is a document that matched another one.
type Copy struct {
	Number uint64 // the first copy since the process started is 1
	Judged int64  // when the journal's broker appended it, ms since 1970
	Source entry.Source
	Topic  string // the source topic's name
	Offset int64  // in the source partition
	Time   int64  // document time, ms since 1970
	ID     string // empty means its coordinates
	Scope  uint64 // hash of its scope's name; 0 is none

	Position  entry.Position // where it was judged
	Match     index.Match
	Reemitted bool  // it was let through as unique
	Late      int64 // see index.Verdict
}

// slot holds a copy, and its id in memory that is used again.
type slot struct {
	Copy
	id     []byte
	erased bool
}

// Copies are the last ones that were found. The zero value is ready. All methods may be called at the same time.
type Copies struct {
	mu    sync.Mutex
	slots []slot
	count uint64 // of all copies since the process started
}

// Add remembers the copies among the verdicts of a record. name returns the name of a source's topic.
func (c *Copies) Add(at index.Stamp, rec index.Record, verdicts []index.Verdict, name func(entry.Source) string) {
	for i := range verdicts {
		v := &verdicts[i]
		if !v.Matched() {
			continue
		}
		e := entryOf(rec, v)
		if e == nil {
			continue
		}
		source := index.SourceOf(rec, v)
		topic := name(source)
		c.mu.Lock()
		s := c.next()
		s.erased = false
		s.id = append(s.id[:0], e.ID...)
		s.Copy = Copy{
			Number: c.count, Judged: at.LogAppendTime, Source: source, Topic: topic, Offset: v.Offset, Time: e.Time,
			Scope:    e.Scope,
			Position: v.Position, Match: v.Match, Reemitted: v.Reemitted, Late: v.Late,
		}
		c.mu.Unlock()
	}
}

// Erase drops the copies that were judged at these positions, and those of documents that were judged there. Numbers
// stay.
func (c *Copies) Erase(targets []entry.Position) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.slots {
		s := &c.slots[i]
		if slices.Contains(targets, s.Position) || slices.Contains(targets, s.Match.Position) {
			clear(s.id)
			*s = slot{id: s.id[:0], erased: true}
		}
	}
}

// next returns the slot of the next copy. The caller holds mu.
func (c *Copies) next() *slot {
	c.count++
	if len(c.slots) < Kept {
		c.slots = append(c.slots, slot{})
		return &c.slots[len(c.slots)-1]
	}
	return &c.slots[(c.count-1)%Kept]
}

func entryOf(rec index.Record, v *index.Verdict) *entry.Entry {
	n := int(v.Position.Entry)
	switch rec := rec.(type) {
	case *index.Run:
		return &rec.Entries[n]
	case *index.Feed:
		return &rec.Entries[n].Entry
	}
	return nil
}

// Last returns up to most copies that pass the filter, the newest first, and how many were found since the process
// started.
func (c *Copies) Last(most int, pass func(*Copy) bool) (out []Copy, count uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for n := c.count; n > c.gone() && len(out) < most; n-- {
		if s := &c.slots[(n-1)%Kept]; !s.erased && pass(&s.Copy) {
			out = append(out, s.taken())
		}
	}
	return out, c.count
}

// After returns up to most copies behind a number that pass the filter, the oldest first. It returns the number to go
// on behind, and how many were forgotten before anybody saw them. A number beyond the last one begins at the end.
func (c *Copies) After(number uint64, most int, pass func(*Copy) bool) (out []Copy, next, missed uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	next = min(number, c.count)
	if gone := c.gone(); next < gone {
		missed, next = gone-next, gone
	}
	for next < c.count && len(out) < most {
		s := &c.slots[next%Kept]
		next++
		if !s.erased && pass(&s.Copy) {
			out = append(out, s.taken())
		}
	}
	return out, next, missed
}

// Find returns the newest copy with these coordinates.
func (c *Copies) Find(topic string, partition int32, offset int64) (Copy, bool) {
	found, _ := c.Last(1, func(k *Copy) bool { return k.Offset == offset && k.Source.Partition == partition && k.Topic == topic })
	if len(found) == 0 {
		return Copy{}, false
	}
	return found[0], true
}

// Count returns how many copies were found since the process started.
func (c *Copies) Count() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count
}

// gone is the number of the last copy that is not remembered any more.
func (c *Copies) gone() uint64 {
	if c.count < Kept {
		return 0
	}
	return c.count - Kept
}

func (s *slot) taken() Copy {
	out := s.Copy
	out.ID = string(s.id)
	return out
}
