package dedup

import (
	"errors"
	"fmt"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/setting"
)

// ErrMemory says that the documents do not fit the bound: from here on, old ones would be forgotten and copies missed.
var ErrMemory = errors.New("the index outgrew its memory")

// Judge is the replica, fed without a journal: one source partition, nothing held for longer than a run.
type Judge struct {
	replica *index.Replica
	run     index.Run
	at      index.Stamp
	bound   setting.Bytes
	kept    int // documents that the window must hold
}

// NewJudge makes a judge whose index takes up to so many bytes. Valid Params are the caller's duty; of the window's bounds
// none counts, as files have no time.
func NewJudge(p index.Params, memory setting.Bytes) (*Judge, error) {
	p.Window.Age, p.Window.Count, p.Window.Bytes = 0, 0, memory
	settings := []byte("{}") // no other replica compares them
	replica, err := index.NewReplica(p, index.Fingerprint(settings))
	if err != nil {
		return nil, fmt.Errorf("make an index: %w", err)
	}
	j := &Judge{replica: replica, bound: memory}
	replica.Apply(j.at, &index.Settings{Text: settings})
	j.at.Offset++
	j.run.Header = index.Header{Fingerprint: index.Fingerprint(settings)}
	j.run.Source, j.run.Epoch = entry.Source{Topic: [16]byte{1}}, 1
	replica.Apply(j.at, &index.Reposition{Header: j.run.Header, Source: j.run.Source, Name: "files", Partitions: 1, Epoch: 1})
	return j, nil
}

// apply judges entries whose offsets ascend from call to call.
func (j *Judge) apply(entries []entry.Entry) ([]index.Verdict, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	j.at.Offset++
	j.run.Base, j.run.Entries = entries[0].Offset, entries
	effect := j.replica.Apply(j.at, &j.run)
	if len(effect.Judged) != len(entries) {
		return nil, fmt.Errorf("judge documents: %d of %d judged", len(effect.Judged), len(entries))
	}
	for i := range effect.Judged {
		if v := &effect.Judged[i]; !v.Matched() && !entries[i].Empty() {
			j.kept++
		}
	}
	if s := j.replica.Stats(); s.Documents < j.kept {
		return nil, fmt.Errorf("%w of %s after %d documents", ErrMemory, j.bound, s.Judged)
	}
	return effect.Judged, nil
}

// Stats are those of the replica.
func (j *Judge) Stats() index.Stats { return j.replica.Stats() }
