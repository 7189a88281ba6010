package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/index"
)

func newInForce(text, own []byte) *shape.InForce {
	if text == nil {
		return nil
	}
	out := &shape.InForce{
		Fingerprint: fmt.Sprintf("%016x", index.Fingerprint(text)), Text: string(text),
		Agrees: index.Same(text, own), Differences: []string{},
	}
	if !out.Agrees {
		out.Differences = append(out.Differences, index.Diff(own, text)...)
	}
	return out
}

func histogramOf(h *consumer.Histogram) shape.Histogram {
	return shape.Histogram{Bounds: append([]float64{}, h.Bounds...), Counts: append([]uint64{}, h.Counts...)}
}

func (a *api) status(w http.ResponseWriter, r *http.Request) {
	s := a.Service.Stats()
	ready := a.Service.Ready()
	out := shape.Status{
		Version: a.Version, Member: s.Member, Time: shape.At(time.Now().UnixMilli()), Group: a.Group, Index: a.Group,
		Ready: ready,
		Documents: shape.Documents{
			Unique: s.Unique, Reemitted: s.Reemitted, Duplicate: s.Duplicate, Rejected: s.Rejections(), Unchecked: s.Unchecked, ByBytes: s.ByBytes,
		},
		Lag:    shape.Lag{Documents: known(s.SourceLag), Seconds: behind(&s), Leaderless: s.Leaderless},
		Window: a.window(&s), Journal: journalOf(&s), Snapshots: a.snapshots(&s), Assigned: s.Partitions,
		Waiting: []shape.Coordinates{}, Partitions: []shape.Lagging{}, Settings: a.Settings,
		Rejected: reasonsOf(s.Rejected, s.LastRejected), Unchecked: reasonsOf(s.UncheckedBy, s.LastUnchecked),
		Similarity: histogramOf(&s.Similarity),
		Members:    a.members(r.Context()), Rate: a.history.now(), Warnings: a.watch.warnings(&s, ready, a.Why, time.Now()),
		InForce: newInForce(s.Settings, a.Own),
	}
	if !out.Ready {
		out.Why = a.Why(s)
	}
	if s.SnapshotNext >= 0 {
		out.Snapshot = &shape.Snapshot{Next: s.SnapshotNext, Taken: shape.At(s.SnapshotTime)}
	}
	for _, at := range s.Waiting {
		out.Waiting = append(out.Waiting, shape.Coordinates{Topic: at.Topic, Partition: at.Partition, Offset: at.Offset})
	}
	for _, l := range s.GroupLags {
		out.Partitions = append(out.Partitions, shape.Lagging{
			Topic: l.Topic, Partition: l.Partition, Documents: l.Documents, Seconds: known(l.Seconds),
		})
	}
	answer(w, http.StatusOK, out)
}

// reasonsOf leaves out the reasons that no document had.
func reasonsOf[R interface {
	~string
	Remedy() string
}](counts map[R]uint64, last map[R][]consumer.Example) map[string]shape.Reason {
	out := map[string]shape.Reason{}
	for reason, n := range counts {
		if n == 0 {
			continue
		}
		told := shape.Reason{Count: n, Remedy: reason.Remedy(), Last: []shape.Coordinates{}}
		for _, e := range last[reason] {
			at := shape.Coordinates{Topic: e.Topic, Partition: e.Source.Partition, Offset: e.Offset, Time: shape.At(e.Time)}
			told.Last = append(told.Last, at)
		}
		out[string(reason)] = told
	}
	return out
}

// behind is the longest that a document of this process's partitions waits; nil if that is not known.
func behind(s *consumer.Stats) (seconds *float64) {
	for _, l := range s.Lags {
		if l.Seconds >= 0 && (seconds == nil || l.Seconds > *seconds) {
			seconds = &l.Seconds
		}
	}
	return seconds
}

// nearBound is how full a window is that lets documents leave. The index keeps some room free.
const nearBound = 0.95

func (a *api) window(s *consumer.Stats) shape.Window {
	b := s.Bounds
	out := shape.Window{
		Documents: s.Index.Documents, Count: b.Documents, Bytes: s.Index.WindowBytes, BytesBound: b.Bytes,
		AgeS: s.Index.Age().Seconds(), AgeBoundS: b.Age.Seconds(),
		Memory: s.Index.Memory, Threshold: a.params(s).Duplicates.Threshold,
	}
	if a.Index.Duplicates.Remember.Directory != "" {
		out.Files = &shape.Files{
			Documents: s.Index.Filed, Blocks: s.Index.Blocks.Documents, Bytes: s.Index.FileBytes, Reads: s.FileReads, Late: s.FileLate,
			WaitS: s.FileWait.Seconds(),
		}
	}
	switch {
	case b.Bytes > 0 && float64(out.Bytes) >= nearBound*float64(b.Bytes):
		out.Bites = "memory"
	case b.Documents > 0 && float64(out.Documents) >= nearBound*float64(b.Documents):
		out.Bites = "documents"
	case b.Age > 0 && out.AgeS >= nearBound*out.AgeBoundS:
		out.Bites = "age"
	}
	return out
}

func journalOf(s *consumer.Stats) shape.Journal {
	out := shape.Journal{Next: s.JournalNext, End: known(s.JournalEnd), Start: known(s.JournalStart)}
	if n, ok := s.JournalKeptBytes(); ok {
		out.Bytes = &n
	}
	if s.JournalStart >= 0 && s.JournalEnd >= s.JournalStart {
		out.Records = known(s.JournalEnd - s.JournalStart)
	}
	if s.StartTime > 0 {
		out.Since = shape.At(s.StartTime)
	}
	if s.AppliedTime > 0 {
		out.Applied = shape.At(s.AppliedTime)
	}
	return out
}

func (a *api) snapshots(s *consumer.Stats) shape.Snapshots {
	out := shape.Snapshots{By: s.SnapshotBy, EveryS: a.SnapshotEvery.Seconds(), Errors: s.SnapshotErrs}
	if s.SnapshotTime > 0 {
		out.Next = shape.At(s.SnapshotTime + a.SnapshotEvery.Milliseconds())
	}
	if f := s.SnapshotErr; f != nil {
		out.Failed = &shape.Failed{Error: f.Err.Error(), Time: shape.At(f.At.UnixMilli())}
	}
	return out
}

func (a *api) members(ctx context.Context) *shape.Members {
	roster, err := a.Service.Roster(ctx)
	if roster.At.IsZero() && err == nil {
		return nil
	}
	out := &shape.Members{State: roster.State, Read: shape.At(roster.At.UnixMilli()), Sessions: []shape.Session{}}
	if roster.At.IsZero() {
		out.Read = shape.Moment{}
	}
	if err != nil {
		out.Error = "Kafka does not list the members of the group: " + err.Error()
	}
	for i := range roster.Members {
		m := &roster.Members[i]
		s := shape.Session{Member: m.Process, Instance: m.Instance, Client: m.Client, Host: m.Host, Partitions: []shape.Partition{}}
		for _, p := range m.Partitions {
			s.Partitions = append(s.Partitions, shape.Partition(p))
		}
		out.Sessions = append(out.Sessions, s)
	}
	return out
}

// known returns nil for a number below 0.
func known[N int64 | float64](n N) *N {
	if n < 0 {
		return nil
	}
	return &n
}
