package api

import "net/http"

// status is how a member stands.
type status struct {
	Version    string            `json:"version"`
	Group      string            `json:"group"`
	Index      string            `json:"index"`
	Ready      bool              `json:"ready"`
	Why        string            `json:"why,omitempty"` // it is not ready
	Documents  documents         `json:"documents"`
	Lag        lag               `json:"lag"`
	Window     window            `json:"window"`
	Journal    journal           `json:"journal"`
	Snapshot   *snapshot         `json:"snapshot"` // nil: there is none yet
	Partitions int               `json:"partitions"`
	Waiting    []place           `json:"waiting"` // partitions at a batch that cannot be unpacked
	Rejected   map[string]uint64 `json:"rejected"`
}

// documents are those that this process committed since it started.
type documents struct {
	Unique    uint64 `json:"unique"`
	Reemitted uint64 `json:"reemitted"` // of the unique ones
	Duplicate uint64 `json:"duplicate"`
	Rejected  uint64 `json:"rejected"`
}

// lag is how far the group is behind its source.
type lag struct {
	Documents  *int64 `json:"documents"` // null: not known
	Leaderless int    `json:"leaderless"`
}

// window is what is remembered, beside its bounds; a bound of 0 is none.
type window struct {
	Documents  int     `json:"documents"`
	Count      int     `json:"count_bound"`
	Bytes      int64   `json:"bytes"`
	BytesBound int64   `json:"bytes_bound"`
	AgeS       float64 `json:"age_s"`
	AgeBoundS  float64 `json:"age_bound_s"`
}

type journal struct {
	Next    int64  `json:"next"` // journal offset that is applied next; -1 until the replica is restored
	End     *int64 `json:"end"`  // null: not known
	Applied string `json:"applied,omitempty"`
}

type snapshot struct {
	Next  int64  `json:"next"` // journal offset that it continues from
	Taken string `json:"taken"`
}

// status answers GET /api/v1/status.
func (a *api) status(w http.ResponseWriter, _ *http.Request) {
	s := a.Service.Stats()
	p := a.Index.Window
	out := status{
		Version: a.Version, Group: a.Group, Index: a.Index.Index.Name, Ready: a.Service.Ready(),
		Documents: documents{Unique: s.Unique, Reemitted: s.Reemitted, Duplicate: s.Duplicate},
		Lag:       lag{Documents: known(s.SourceLag), Leaderless: s.Leaderless},
		Window: window{
			Documents: s.Index.Documents, Count: p.Count, Bytes: s.Index.WindowBytes, BytesBound: int64(p.Bytes), AgeBoundS: p.Age.Seconds(),
		},
		Journal:    journal{Next: s.JournalNext, End: known(s.JournalEnd)},
		Partitions: s.Partitions, Waiting: []place{}, Rejected: map[string]uint64{},
	}
	if !out.Ready {
		out.Why = a.Why(s)
	}
	for reason, n := range s.Rejected {
		out.Rejected[string(reason)] = n
		out.Documents.Rejected += n
	}
	if s.Index.OldestApplied > 0 {
		const second = 1000
		out.Window.AgeS = float64(s.Index.Now-s.Index.OldestApplied) / second
	}
	if s.AppliedTime > 0 {
		out.Journal.Applied = moment(s.AppliedTime)
	}
	if s.SnapshotNext >= 0 {
		out.Snapshot = &snapshot{s.SnapshotNext, moment(s.SnapshotTime)}
	}
	for _, at := range s.Waiting {
		out.Waiting = append(out.Waiting, place{Topic: at.Topic, Partition: at.Partition, Offset: at.Offset})
	}
	answer(w, http.StatusOK, out)
}

// known returns nil for a number below 0.
func known(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}
