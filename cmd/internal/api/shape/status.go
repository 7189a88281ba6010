package shape

// Status is how a member stands.
type Status struct {
	Version    string            `json:"version"`
	Member     string            `json:"member,omitempty"` // its name in the group
	Time       Moment            `json:"time"`
	Group      string            `json:"group"`
	Index      string            `json:"index"`
	Ready      bool              `json:"ready"`
	Why        string            `json:"why,omitempty"` // it is not ready
	Documents  Documents         `json:"documents"`
	Lag        Lag               `json:"lag"`
	Window     Window            `json:"window"`
	Journal    Journal           `json:"journal"`
	Snapshot   *Snapshot         `json:"snapshot"` // nil: there is none yet
	Snapshots  Snapshots         `json:"snapshots"`
	Assigned   int               `json:"assigned_partitions"` // to this process
	Partitions []Lagging         `json:"partitions"`          // of the group, at most 1,000
	Members    *Members          `json:"members"`             // nil: Kafka has not said yet
	Rate       *Rate             `json:"rate"`                // of the last minute; nil: not known yet
	Similarity Histogram         `json:"similarity"`          // of the matches of committed documents
	Warnings   []Warning         `json:"warnings"`
	Settings   []Setting         `json:"settings"`
	InForce    *InForce          `json:"in_force"` // nil: the journal declares none yet, or is not read yet
	Waiting    []Coordinates     `json:"waiting"`  // partitions at a batch that cannot be unpacked
	Rejected   map[string]Reason `json:"rejected"` // those that a document had
	Unchecked  map[string]Reason `json:"unchecked"`
}

// Documents are those that this process committed since it started.
type Documents struct {
	Unique    uint64 `json:"unique"`
	Reemitted uint64 `json:"reemitted"` // of the unique ones
	Duplicate uint64 `json:"duplicate"`
	Rejected  uint64 `json:"rejected"`
	// forwarded as unique without being judged; not counted as unique
	Unchecked uint64 `json:"unchecked,omitempty"`
	// compared by their bytes, because too much of them is not UTF-8 or cannot be read
	ByBytes uint64 `json:"by_bytes,omitempty"`
}

// Reason tells of the documents that were rejected, or forwarded unchecked, for it.
type Reason struct {
	Count  uint64        `json:"count"`
	Remedy string        `json:"remedy"`
	Last   []Coordinates `json:"last"` // the newest few, the newest first
}

// Lag is how far the group is behind its source.
type Lag struct {
	Documents  *int64   `json:"documents"` // null: not known
	Seconds    *float64 `json:"seconds"`   // the longest that a document of this process's partitions waits
	Leaderless int      `json:"leaderless"`
}

// Window is what is remembered, beside its bounds; a bound of 0 is none.
type Window struct {
	Documents  int     `json:"documents"`
	Count      int     `json:"count_bound"`
	Bytes      int64   `json:"bytes"`
	BytesBound int64   `json:"bytes_bound"`
	AgeS       float64 `json:"age_s"`
	AgeBoundS  float64 `json:"age_bound_s"`
	Bites      string  `json:"bites,omitempty"` // the bound at which documents leave now (age, documents or memory); empty: none is reached
	Memory     int64   `json:"memory_bytes"`
	Threshold  float64 `json:"threshold"`
	Files      *Files  `json:"files,omitempty"` // absent: all is in memory
}

// Files is what of the window lies in files of this process, and what it has read of them since it started.
type Files struct {
	Documents int     `json:"documents"`       // whose records lie there; those of the others are in memory
	Blocks    int     `json:"block_documents"` // that blocks find; tables in memory find the others
	Bytes     int64   `json:"bytes"`
	Reads     uint64  `json:"reads"`
	Late      uint64  `json:"late_reads"` // of those, ones that judging waited for in its turn
	WaitS     float64 `json:"wait_s"`     // for which judging only waited for files
}

// Journal is how far the replica is with the journal, and what of it is kept.
type Journal struct {
	Next    int64  `json:"next"` // journal offset that is applied next; -1 until the replica is restored
	End     *int64 `json:"end"`  // null: not known
	Applied Moment `json:"applied,omitzero"`
	Start   *int64 `json:"start"`          // first offset that is kept; null: not known
	Since   Moment `json:"since,omitzero"` // when that record was appended
	Records *int64 `json:"kept_records"`   // null: not known
	Bytes   *int64 `json:"kept_bytes"`     // estimated from the records that were read; null: not known
}

// Snapshot is the newest that this process knows.
type Snapshot struct {
	Next  int64  `json:"next"` // journal offset that it continues from
	Taken Moment `json:"taken"`
}

// Snapshots is how the group's snapshots come about.
type Snapshots struct {
	By     string  `json:"by,omitempty"`  // the member that took the newest of which the journal tells
	Next   Moment  `json:"next,omitzero"` // when the next one is due
	EveryS float64 `json:"every_s"`
	Failed *Failed `json:"failed"` // the last try of this process; nil: it did not fail
	Errors uint64  `json:"errors"`
}

// Failed is what went wrong, and when.
type Failed struct {
	Error string `json:"error"`
	Time  Moment `json:"time"`
}

// Lagging is a partition of the source.
type Lagging struct {
	Topic     string   `json:"topic"`
	Partition int32    `json:"partition"`
	Documents int64    `json:"lag_documents"`
	Seconds   *float64 `json:"lag_s"` // null: not known, as where another process reads it
}

// Members are the sessions in the group.
type Members struct {
	State    string    `json:"state"`
	Read     Moment    `json:"read,omitzero"` // when Kafka said so
	Error    string    `json:"error,omitempty"`
	Sessions []Session `json:"sessions"`
}

// Session is a member of the group as Kafka sees it.
type Session struct {
	Member     string      `json:"member,omitempty"` // empty: none of unecho's
	Instance   string      `json:"instance,omitempty"`
	Client     string      `json:"client_id"`
	Host       string      `json:"host"`
	Partitions []Partition `json:"partitions"`
}

// Partition is one that a session reads.
type Partition struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
}

// InForce are the settings that decide verdicts, as the journal declares them.
type InForce struct {
	Fingerprint string   `json:"fingerprint"` // in hex, as records and outputs have it
	Text        string   `json:"text"`        // canonical
	Agrees      bool     `json:"agrees"`      // the member's own mean the same, bounds aside
	Differences []string `json:"differences"`
}

// Histogram counts values by their size, since the process started.
type Histogram struct {
	Bounds []float64 `json:"bounds"` // inclusive, ascending
	Counts []uint64  `json:"counts"` // up to each bound and above the one before; one more, for what is above the last
}

// Rate is what this process committed within a time. What is null is not known, or there were no documents.
type Rate struct {
	Time       Moment   `json:"time"`   // its end
	Seconds    float64  `json:"over_s"` // how long it is
	Documents  float64  `json:"documents_per_s"`
	Unique     float64  `json:"unique_per_s"`
	Duplicate  float64  `json:"duplicate_per_s"`
	Rejected   float64  `json:"rejected_per_s"`
	Reads      float64  `json:"file_reads_per_s,omitempty"` // of old documents in files
	Late       float64  `json:"late_reads_per_s,omitempty"` // of those
	Duplicates *float64 `json:"duplicate_share"`
	Median     *float64 `json:"median_s"`      // from a document's timestamp to its commit
	Slowest    *float64 `json:"slowest_s"`     // the slowest 1 % took longer
	Lag        *int64   `json:"lag_documents"` // of the group, at the end
	Behind     *float64 `json:"lag_s"`
}

// Share is the share of duplicates; 0 if there were no documents.
func (r *Rate) Share() float64 {
	if r.Duplicates == nil {
		return 0
	}
	return *r.Duplicates
}

// History is the last quarter of an hour, or what there is since the process started.
type History struct {
	Points []Rate `json:"points"` // the oldest first, each from where the one before ends
}

// Warning is a condition that holds.
type Warning struct {
	Code    string `json:"code"` // the alert's name
	Text    string `json:"text"`
	Remedy  string `json:"remedy"`
	Runbook string `json:"runbook"` // the section of the runbook
	Since   Moment `json:"since"`
	Pending bool   `json:"pending"` // it does not hold for as long yet as the alert waits
}

// Setting is a setting and its value as text; that of a secret is masked.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}
