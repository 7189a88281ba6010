package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/index"
)

// status is how a member stands.
type status struct {
	Version    string            `json:"version"`
	Member     string            `json:"member,omitempty"` // its name in the group
	Time       string            `json:"time"`
	Group      string            `json:"group"`
	Index      string            `json:"index"`
	Ready      bool              `json:"ready"`
	Why        string            `json:"why,omitempty"` // it is not ready
	Documents  documents         `json:"documents"`
	Lag        lag               `json:"lag"`
	Window     window            `json:"window"`
	Journal    journalStatus     `json:"journal"`
	Snapshot   *snapshot         `json:"snapshot"` // nil: there is none yet
	Snapshots  snapshots         `json:"snapshots"`
	Assigned   int               `json:"assigned_partitions"` // to this process
	Partitions []partition       `json:"partitions"`          // of the group, at most 1,000
	Members    *members          `json:"members"`             // nil: Kafka has not said yet
	Rate       *pace             `json:"rate"`                // nil: not known yet
	Similarity histogram         `json:"similarity"`          // of the matches of committed documents
	Delay      histogram         `json:"delay"`               // seconds from a document's timestamp to its commit
	Warnings   []warning         `json:"warnings"`
	Settings   []Setting         `json:"settings"`
	InForce    *inForce          `json:"in_force"` // nil: the journal declares none yet, or is not read yet
	Waiting    []place           `json:"waiting"`  // partitions at a batch that cannot be unpacked
	Rejected   map[string]uint64 `json:"rejected"`
}

// documents are those that this process committed since it started.
type documents struct {
	Unique    uint64 `json:"unique"`
	Reemitted uint64 `json:"reemitted"` // of the unique ones
	Duplicate uint64 `json:"duplicate"`
	Rejected  uint64 `json:"rejected"`
	// forwarded as unique without being judged; not counted as unique
	Unchecked uint64 `json:"unchecked,omitempty"`
	// compared by their bytes, because too much of them is not UTF-8 or cannot be read
	ByBytes uint64 `json:"by_bytes,omitempty"`
}

// lag is how far the group is behind its source.
type lag struct {
	Documents  *int64   `json:"documents"` // null: not known
	Seconds    *float64 `json:"seconds"`   // the longest that a document of this process's partitions waits
	Leaderless int      `json:"leaderless"`
}

// window is what is remembered, beside its bounds; a bound of 0 is none.
type window struct {
	Documents  int     `json:"documents"`
	Count      int     `json:"count_bound"`
	Bytes      int64   `json:"bytes"`
	BytesBound int64   `json:"bytes_bound"`
	AgeS       float64 `json:"age_s"`
	AgeBoundS  float64 `json:"age_bound_s"`
	Bites      string  `json:"bites,omitempty"` // the bound at which documents leave now; empty: none is reached
	Memory     int64   `json:"memory_bytes"`
	Threshold  float64 `json:"threshold"`
}

type journalStatus struct {
	Next    int64  `json:"next"` // journal offset that is applied next; -1 until the replica is restored
	End     *int64 `json:"end"`  // null: not known
	Applied string `json:"applied,omitempty"`
	Start   *int64 `json:"start"`           // first offset that is kept; null: not known
	Since   string `json:"since,omitempty"` // when that record was appended
	Records *int64 `json:"kept_records"`    // null: not known
	Bytes   *int64 `json:"kept_bytes"`      // estimated from the records that were read; null: not known
}

type snapshot struct {
	Next  int64  `json:"next"` // journal offset that it continues from
	Taken string `json:"taken"`
}

// snapshots is how the group's snapshots come about.
type snapshots struct {
	By     string  `json:"by,omitempty"`   // the member that took the newest of which the journal tells
	Next   string  `json:"next,omitempty"` // when the next one is due
	EveryS float64 `json:"every_s"`
	Failed *failed `json:"failed"` // the last try of this process; nil: it did not fail
	Errors uint64  `json:"errors"`
}

type failed struct {
	Error string `json:"error"`
	Time  string `json:"time"`
}

// partition is a partition of the source.
type partition struct {
	Topic     string   `json:"topic"`
	Partition int32    `json:"partition"`
	Documents int64    `json:"lag_documents"`
	Seconds   *float64 `json:"lag_s"` // null: not known, as where another process reads it
}

// members are the sessions in the group.
type members struct {
	State    string         `json:"state"`
	Read     string         `json:"read,omitempty"` // when Kafka said so
	Error    string         `json:"error,omitempty"`
	Sessions []groupSession `json:"sessions"`
}

type groupSession struct {
	Member     string   `json:"member,omitempty"` // empty: none of unecho's
	Instance   string   `json:"instance,omitempty"`
	Client     string   `json:"client_id"`
	Host       string   `json:"host"`
	Partitions []within `json:"partitions"`
}

type within struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
}

// inForce are the settings that decide verdicts, as the journal declares them.
type inForce struct {
	Fingerprint string   `json:"fingerprint"` // in hex, as records and outputs have it
	Text        string   `json:"text"`        // canonical
	Agrees      bool     `json:"agrees"`      // the member's own mean the same, bounds aside
	Differences []string `json:"differences"`
}

func newInForce(text, own []byte) *inForce {
	if text == nil {
		return nil
	}
	out := &inForce{
		Fingerprint: fmt.Sprintf("%016x", index.Fingerprint(text)), Text: string(text),
		Agrees: index.Same(text, own), Differences: []string{},
	}
	if !out.Agrees {
		out.Differences = append(out.Differences, index.Diff(own, text)...)
	}
	return out
}

// histogram counts values by their size, since the process started.
type histogram struct {
	Bounds []float64 `json:"bounds"` // inclusive, ascending
	Counts []uint64  `json:"counts"` // up to each bound and above the one before; one more, for what is above the last
}

func histogramOf(h *consumer.Histogram) histogram {
	out := histogram{h.Bounds, h.Counts}
	if out.Bounds == nil {
		out = histogram{[]float64{}, []uint64{}}
	}
	return out
}

// status answers GET /api/v1/status.
func (a *api) status(w http.ResponseWriter, r *http.Request) {
	s := a.Service.Stats()
	ready := a.Service.Ready()
	out := status{
		Version: a.Version, Member: s.Member, Time: moment(time.Now().UnixMilli()), Group: a.Group, Index: a.Index.Index.Name,
		Ready:     ready,
		Documents: documents{Unique: s.Unique, Reemitted: s.Reemitted, Duplicate: s.Duplicate, Unchecked: s.Unchecked, ByBytes: s.ByBytes},
		Lag:       lag{Documents: known(s.SourceLag), Leaderless: s.Leaderless},
		Window:    a.window(&s), Journal: journalOf(&s), Snapshots: a.snapshots(&s), Assigned: s.Partitions,
		Waiting: []place{}, Rejected: map[string]uint64{}, Partitions: []partition{}, Settings: a.Settings,
		Similarity: histogramOf(&s.Similarity), Delay: histogramOf(&s.Delay),
		Members: a.members(r.Context()), Rate: a.rates.now(), Warnings: a.watch.warnings(&s, ready, a.Why, time.Now()),
		InForce: newInForce(s.Settings, a.Own),
	}
	if !out.Ready {
		out.Why = a.Why(s)
	}
	for reason, n := range s.Rejected {
		out.Rejected[string(reason)] = n
		out.Documents.Rejected += n
	}
	if s.SnapshotNext >= 0 {
		out.Snapshot = &snapshot{s.SnapshotNext, moment(s.SnapshotTime)}
	}
	for _, at := range s.Waiting {
		out.Waiting = append(out.Waiting, place{Topic: at.Topic, Partition: at.Partition, Offset: at.Offset})
	}
	for _, l := range s.GroupLags {
		out.Partitions = append(out.Partitions, partition{l.Topic, l.Partition, l.Documents, notBelow(l.Seconds)})
	}
	for _, l := range s.Lags {
		if l.Seconds >= 0 && (out.Lag.Seconds == nil || l.Seconds > *out.Lag.Seconds) {
			out.Lag.Seconds = &l.Seconds
		}
	}
	answer(w, http.StatusOK, out)
}

// nearBound is how full a window is that lets documents leave. The index keeps some room free.
const nearBound = 0.95

func (a *api) window(s *consumer.Stats) window {
	const second = 1000
	b := s.Bounds
	out := window{
		Documents: s.Index.Documents, Count: b.Documents, Bytes: s.Index.WindowBytes, BytesBound: b.Bytes,
		AgeBoundS: b.Age.Seconds(),
		Memory:    s.Index.Memory, Threshold: a.params(s).Similarity.Threshold,
	}
	if s.Index.OldestApplied > 0 {
		out.AgeS = float64(s.Index.Now-s.Index.OldestApplied) / second
	}
	switch {
	case b.Bytes > 0 && float64(out.Bytes) >= nearBound*float64(b.Bytes):
		out.Bites = "bytes"
	case b.Documents > 0 && float64(out.Documents) >= nearBound*float64(b.Documents):
		out.Bites = "count"
	case b.Age > 0 && out.AgeS >= nearBound*out.AgeBoundS:
		out.Bites = "age"
	}
	return out
}

func journalOf(s *consumer.Stats) journalStatus {
	out := journalStatus{Next: s.JournalNext, End: known(s.JournalEnd), Start: known(s.JournalStart), Bytes: keptBytes(s)}
	if s.JournalStart >= 0 && s.JournalEnd >= s.JournalStart {
		out.Records = known(s.JournalEnd - s.JournalStart)
	}
	if s.StartTime > 0 {
		out.Since = moment(s.StartTime)
	}
	if s.AppliedTime > 0 {
		out.Applied = moment(s.AppliedTime)
	}
	return out
}

func keptBytes(s *consumer.Stats) *int64 {
	n, ok := s.JournalKeptBytes()
	if !ok {
		return nil
	}
	return &n
}

func (a *api) snapshots(s *consumer.Stats) snapshots {
	out := snapshots{By: s.SnapshotBy, EveryS: a.SnapshotEvery.Seconds(), Errors: s.SnapshotErrs}
	if s.SnapshotTime > 0 {
		out.Next = moment(s.SnapshotTime + a.SnapshotEvery.Milliseconds())
	}
	if f := s.SnapshotErr; f != nil {
		out.Failed = &failed{f.Err.Error(), moment(f.At.UnixMilli())}
	}
	return out
}

func (a *api) members(ctx context.Context) *members {
	roster, err := a.Service.Roster(ctx)
	if roster.At.IsZero() && err == nil {
		return nil
	}
	out := &members{State: roster.State, Read: moment(roster.At.UnixMilli()), Sessions: []groupSession{}}
	if roster.At.IsZero() {
		out.Read = ""
	}
	if err != nil {
		out.Error = "Kafka does not say who is in the group: " + err.Error()
	}
	for i := range roster.Members {
		m := &roster.Members[i]
		s := groupSession{Member: m.Process, Instance: m.Instance, Client: m.Client, Host: m.Host, Partitions: []within{}}
		for _, p := range m.Partitions {
			s.Partitions = append(s.Partitions, within(p))
		}
		out.Sessions = append(out.Sessions, s)
	}
	return out
}

// known returns nil for a number below 0.
func known(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}

func notBelow(x float64) *float64 {
	if x < 0 {
		return nil
	}
	return &x
}
