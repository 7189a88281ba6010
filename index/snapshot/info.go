package snapshot

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"time"
)

// ForeignKeep is how long the snapshots of a journal are kept after another journal has replaced it in the store.
const ForeignKeep = 7 * 24 * time.Hour

// Info is one line of a store's listing. If a manifest is damaged, only Position and Published are known.
type Info struct {
	Position  Position
	Taken     int64 // by the clock of the member that took it, ms since 1970
	Published int64 // by the store's clock, ms since 1970
	Documents int64 // documents in its segments
	Bytes     int64 // bytes of its segments
}

// SortInfos sorts the newest first. Within a journal that is the highest position. Different journals cannot be
// compared by offset: the one last published to, by the store's clock, comes first.
func SortInfos(infos []Info) {
	last := lastPublished(infos)
	slices.SortFunc(infos, func(a, b Info) int {
		p, q := a.Position, b.Position
		if !p.SameJournal(q) {
			return cmp.Or(cmp.Compare(last[q.JournalTopic], last[p.JournalTopic]),
				bytes.Compare(p.JournalTopic[:], q.JournalTopic[:]))
		}
		return q.Compare(p)
	})
}

// lastPublished returns when each journal was last published to.
func lastPublished(infos []Info) map[[16]byte]int64 {
	last := make(map[[16]byte]int64)
	for _, i := range infos {
		last[i.Position.JournalTopic] = max(last[i.Position.JournalTopic], i.Published)
	}
	return last
}

// Expired returns the positions that a collector at time now (ms since 1970, by the store's clock) deletes from a
// sorted listing. Each journal keeps its newest snapshots, so that two groups that share a name by mistake do not
// delete each other's. All snapshots of a journal are deleted once another journal has replaced it and it saw no
// snapshot for ForeignKeep.
func Expired(infos []Info, keep int, now int64) ([]Position, error) {
	if keep < 1 {
		return nil, errors.New("at least one snapshot must be kept")
	}
	if len(infos) == 0 {
		return nil, nil
	}
	last := lastPublished(infos)
	current := infos[0].Position
	kept := make(map[[16]byte]int)
	var gone []Position
	for _, i := range infos {
		topic := i.Position.JournalTopic
		abandoned := !i.Position.SameJournal(current) && now-last[topic] > ForeignKeep.Milliseconds()
		if abandoned || kept[topic] >= keep {
			gone = append(gone, i.Position)
			continue
		}
		kept[topic]++
	}
	return gone, nil
}

// Needed returns the names of the segments of all listed manifests but the expired ones. A damaged manifest counts as
// one of those kept, but needs no segment, because nobody knows which ones it names. A manifest of a newer format is an
// error: its segments are needed.
func Needed(infos []Info, expired []Position, read func(Position) (Manifest, error)) (map[string]bool, error) {
	needed := make(map[string]bool)
	for _, info := range infos {
		if slices.Contains(expired, info.Position) {
			continue
		}
		m, err := read(info.Position)
		var corrupt *CorruptError
		if errors.As(err, &corrupt) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, segment := range m.Segments {
			needed[segment.Name] = true
		}
	}
	return needed, nil
}
