package naive

import (
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// partition is a source partition: unknown, with epoch 0, until its first reposition.
type partition struct {
	known  bool
	name   string // the topic's name, as the latest reposition gave it
	epoch  uint32
	start  int64
	base   int64
	held   map[int64]index.Verdict // by offset: judged, and not yet known to be committed
	fed    index.Fed
	filled index.FilledPart
}

func (t *Twin) partition(source entry.Source) *partition {
	p, ok := t.partitions[source]
	if !ok {
		p = &partition{held: map[int64]index.Verdict{}, fed: unfed(), filled: unfilled()}
		t.partitions[source] = p
	}
	return p
}

// raise moves the base up and drops the verdicts below it. The base never falls within an epoch.
func (p *partition) raise(base int64) {
	p.base = max(p.base, base)
	for offset := range p.held {
		if offset < p.base {
			delete(p.held, offset)
		}
	}
}
