package index

import (
	"fmt"
	"slices"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/setting"
)

// A Series judges documents one after another without a journal, as those of a file or a sample. It is a replica that
// is fed by one source partition: the number of a document is its offset there. So whatever decides a verdict of a
// service decides one here, and all verbs that judge documents by themselves use it.
type Series struct {
	replica *Replica
	run     Run
	at      Stamp
	applyBy func(Stamp, Record) (Effect, error)
}

// ForFiles returns p with what it leaves open as in a text of settings, or without one as planned for a corpus of a
// usual size. How many documents there are is not known before they are read.
func (p Params) ForFiles(settings []byte) (Params, error) {
	window := p.Duplicates.Remember
	p.Duplicates.Remember = RememberParams{}
	p, err := p.AsBegun(settings)
	p.Duplicates.Remember = window
	return p, err
}

// DefaultFileParams are the defaults of the verbs that judge files. Nothing waits for a document there, so the bounds on
// the work for it are so wide that hardly a corpus reaches them: the most candidates of one document among titles,
// advertisements and log lines by Levenshtein were 1,100, and 3 million steps.
func DefaultFileParams() Params {
	p := DefaultParams()
	s := &p.Duplicates
	s.MaxCandidates, s.MaxReferences, s.MaxWork = 4096, 16_384, 200_000_000
	return p
}

// Untimed returns p with a window that only bytes bound, or nothing where they are 0: files have no time. What p leaves
// open is planned for its window, so that comes before.
func (p Params) Untimed(bytes setting.Bytes) Params {
	p.OwnBounds = true
	p.Duplicates.Remember.Age, p.Duplicates.Remember.Documents, p.Duplicates.Remember.Memory = 0, 0, bytes
	return p
}

// NewSeries makes a Series without documents for valid Params. It remembers as much as so many bytes hold, or all if they
// are 0. settings is the canonical text of p, if the replica is to be stored, or nil.
func NewSeries(p Params, bytes setting.Bytes, settings []byte) (*Series, error) {
	if settings == nil {
		settings = []byte("{}")
	}
	p, err := p.Planned()
	if err != nil {
		return nil, fmt.Errorf("build series: %w", err)
	}
	return NewTimedSeries(p.Untimed(bytes), settings)
}

// NewTimedSeries makes a Series without documents, whose window has the bounds of p. Its time is what At says. settings is
// the canonical text of p.
func NewTimedSeries(p Params, settings []byte) (*Series, error) {
	replica, err := NewReplica(p, Fingerprint(settings))
	if err != nil {
		return nil, err
	}
	s := ResumeSeries(replica)
	replica.Apply(s.at, &Settings{Text: settings})
	s.at.Offset++
	replica.Apply(s.at, &Reposition{Header: s.run.Header, Source: s.run.Source, Name: "files", Partitions: 1, Epoch: 1})
	return s, nil
}

// ResumeSeries makes a Series of a replica that a Series has fed before.
func ResumeSeries(r *Replica) *Series {
	s := &Series{replica: r, at: Stamp{Offset: r.Next()}}
	s.ApplyBy(func(at Stamp, rec Record) (Effect, error) { return r.Apply(at, rec), nil })
	s.run.Header = Header{Fingerprint: r.Fingerprint()}
	s.run.Source, s.run.Epoch = entry.Source{Topic: [16]byte{1}}, 1
	return s
}

// ApplyBy has records be applied by a function in place of Replica.Apply: where old documents lie in files, by one that reads
// them.
func (s *Series) ApplyBy(apply func(Stamp, Record) (Effect, error)) { s.applyBy = apply }

// Replica is what judges. Only the Series may feed it.
func (s *Series) Replica() *Replica { return s.replica }

// Source is the source partition of all documents.
func (s *Series) Source() entry.Source { return s.run.Source }

// At says that the documents to come arrive at a time, in ms since 1970. The time of the window never goes back.
func (s *Series) At(time int64) { s.at.LogAppendTime, s.run.Wall = time, time }

// Change puts bounds in force for the documents to come. Params.CheckBounds says what speaks against them.
func (s *Series) Change(bounds []byte) error {
	s.at.Offset++
	effect, err := s.applyBy(s.at, &SettingsChange{
		Header: s.run.Header, Bounds: Bounds{Number: s.replica.Bounds().Number + 1, Text: bounds},
	})
	if err == nil && !effect.Applied {
		err = fmt.Errorf("%w: %s", ErrBounds, bounds)
	}
	return err
}

// Judge judges entries, whose offsets ascend from call to call. The verdicts are valid until the next call.
func (s *Series) Judge(entries []entry.Entry) ([]Verdict, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	judged, err := s.apply(entries[0].Offset, entries)
	if err != nil {
		return nil, err
	}
	if len(judged) != len(entries) {
		return nil, fmt.Errorf("judge documents: %d of %d judged", len(judged), len(entries))
	}
	return judged, nil
}

// Skip says that all documents below a number are done with, so that no verdict of them is held. Where that was said
// before, nothing changes.
func (s *Series) Skip(number int64) error {
	if known, _ := s.replica.Partition(s.run.Source); known.Base >= number {
		return nil
	}
	_, err := s.apply(number, nil)
	return err
}

func (s *Series) apply(base int64, entries []entry.Entry) ([]Verdict, error) {
	s.at.Offset++
	s.run.Base, s.run.Entries = base, entries
	effect, err := s.applyBy(s.at, &s.run)
	return effect.Judged, err
}

// JudgeAll judges documents of which nothing comes before, in their order, and sets their offsets to their places.
func JudgeAll(p Params, entries []entry.Entry) ([]Verdict, Stats, error) {
	const atOnce = 256
	s, err := NewSeries(p, 0, nil)
	if err != nil {
		return nil, Stats{}, err
	}
	for i := range entries {
		entries[i].Offset = int64(i)
	}
	verdicts := make([]Verdict, 0, len(entries))
	for some := range slices.Chunk(entries, atOnce) {
		judged, err := s.Judge(some)
		if err != nil {
			return nil, Stats{}, err
		}
		verdicts = append(verdicts, judged...)
	}
	return verdicts, s.replica.Stats(), nil
}
