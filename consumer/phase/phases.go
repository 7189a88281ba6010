// Package phase tells what a wait was made of: a start, or the way to a partition, notes the end of each phase, and the
// log shows how long each took. It decides nothing by these times.
package phase

import (
	"time"

	"github.com/rs/zerolog"
)

// Phases are what a wait was made of: when it takes too long, the log says where the time went. They belong to one
// goroutine at a time.
type Phases struct {
	began, last time.Time
	names       []string // in the order in which they first ended
	took        map[string]time.Duration
}

// Begin begins the first phase.
func Begin() *Phases {
	now := time.Now()
	return &Phases{began: now, last: now, took: map[string]time.Duration{}}
}

// End ends the present phase and begins the next. A phase that comes again is added up.
func (p *Phases) End(name string) {
	if _, again := p.took[name]; !again {
		p.names = append(p.names, name)
	}
	now := time.Now()
	p.took[name] += now.Sub(p.last)
	p.last = now
}

// MarshalZerologObject implements zerolog.LogObjectMarshaler: each phase, and all together.
func (p *Phases) MarshalZerologObject(e *zerolog.Event) {
	for _, name := range p.names {
		e.Dur(name+"_ms", p.took[name].Round(time.Millisecond))
	}
	e.Dur("took_ms", p.last.Sub(p.began).Round(time.Millisecond))
}

// Ended says whether a phase has ended.
func (p *Phases) Ended() bool { return len(p.names) > 0 }
