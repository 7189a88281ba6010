package naive

import (
	"math"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// unfed is the state of a partition that was never fed.
func unfed() index.Fed { return index.Fed{Place: math.MinInt64} }

// brought says that a feed of the present epoch brought a document, or passed it over. What is forgotten of those
// stays in the window: the documents behind it may have been judged already, and it is chance which of them were.
func (p *partition) brought(offset int64) bool { return offset >= p.start && offset < p.fed.Through }

// feed judges entries of several partitions in the order in which they stand. A feed that begins behind what was fed so
// far changes nothing, and neither does one that no feeder would write. Entries that were fed before are passed over.
func (t *Twin) feed(at index.Stamp, f *index.Feed) (bool, []index.Verdict) {
	if !t.inForce(f.Header) || t.params.Duplicates.Remember.Clock != "event" || f.First > t.fed || !t.feedable(f) {
		return false, nil
	}
	t.arrive(at, f.Wall)
	var verdicts []index.Verdict
	for i := range f.Entries {
		if f.First+uint64(i) < t.fed {
			t.stats.Known++
			continue
		}
		e := &f.Entries[i]
		source := f.Parts[e.Part].Source
		p := t.partition(source)
		t.event = max(t.event, e.At)
		p.fed = index.Fed{Through: e.Offset + 1, Place: e.At}
		if _, held := p.held[e.Offset]; held || e.Offset < p.base {
			t.stats.Known++
			continue
		}
		v := t.judge(source, &e.Entry, entry.Position{Offset: at.Offset, Entry: int32(i)})
		v.Late = lateBy(e.Time, e.At, t.params.Duplicates.Remember.Tolerance)
		p.held[e.Offset] = v
		verdicts = append(verdicts, v)
	}
	t.fed = max(t.fed, f.First+uint64(len(f.Entries)))
	for _, part := range f.Parts {
		p := t.partition(part.Source)
		p.fed.Through = max(p.fed.Through, part.Through)
	}
	return true, verdicts
}

func (t *Twin) feedable(f *index.Feed) bool {
	for _, part := range f.Parts {
		if p := t.partition(part.Source); part.Epoch == 0 || p.epoch != part.Epoch || part.From > p.fed.Through {
			return false
		}
	}
	for i := range f.Entries {
		e := &f.Entries[i]
		if e.Part < 0 || e.Part >= len(f.Parts) || i > 0 && e.At < f.Entries[i-1].At {
			return false
		}
		through := t.partition(f.Parts[e.Part].Source).fed.Through
		if f.First+uint64(i) < t.fed {
			if e.Offset >= through {
				return false // another entry was fed at this place
			}
			continue
		}
		if e.Offset < through {
			return false
		}
		for k := range i { // each partition's entries ascend
			if before := &f.Entries[k]; before.Part == e.Part && before.Offset >= e.Offset && f.First+uint64(k) >= t.fed {
				return false
			}
		}
	}
	return true
}
