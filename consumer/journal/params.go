package journal

import (
	"time"

	"github.com/unecho/unecho/index/setting"
)

// Params say which topic is the journal and how large its records may be.
type Params struct {
	Topic             string        `key:"topic" doc:"the topic of one partition that orders all decisions; empty is the group's name with .journal" called:"topic" example:"unecho.journal"`
	Create            bool          `key:"create" doc:"create the topic, as it has to be, where it is missing"`
	ReplicationFactor int           `key:"replication_factor" doc:"replicas of the topic; -1 is the broker's default"`
	MinInsync         int           `key:"min_insync" doc:"min.insync.replicas of the topic; 0 leaves it to the broker"`
	OnOutage          string        `key:"on_outage" doc:"what becomes of documents while the journal does not answer: they wait, or are passed on to unique unchecked, with a header that says so, and are remembered when it answers again" enum:"stall|pass"`
	OutageAfter       time.Duration `key:"outage_after" doc:"with on_outage: pass, how long the journal may not answer before documents are passed on" example:"30s"`
	MaxEntryBytes     setting.Bytes `key:"-"` // a document whose entry is larger is rejected
}

// RunBytes bounds the value of a run of more than one entry, and RunEntries the number of its entries. Both are large
// enough to keep the cost per record small, and small enough that a follower does not wait long for its first verdict.
const (
	RunBytes   = 256 << 10
	RunEntries = 512
)

// MostEntryBytes is the most that MaxEntryBytes may be.
const MostEntryBytes = 64 * setting.MiB

// DefaultParams creates the journal with the broker's replication.
func DefaultParams() Params {
	return Params{
		Create: true, ReplicationFactor: -1, OnOutage: stall, OutageAfter: 30 * time.Second, MaxEntryBytes: setting.MiB,
	}
}

// These are the words of on_outage.
const (
	stall  = "stall"
	bypass = "pass"
)

// BypassAfter is how long the journal may be away before documents are passed on; 0: they wait.
func (p Params) BypassAfter() time.Duration {
	if p.OnOutage != bypass {
		return 0
	}
	return p.OutageAfter
}

// Name returns the topic's name. By default it is made of the group's name.
func (p Params) Name(group string) string {
	if p.Topic == "" {
		return group + ".journal"
	}
	return p.Topic
}

// Validate returns what is wrong.
func (p Params) Validate() []setting.Mistake {
	m := setting.Misspelt(p)
	if p.OutageAfter < time.Second || p.OutageAfter > time.Hour {
		m = append(m, setting.Wrong("outage_after", p.OutageAfter, "is out of range", "write 1s to 1h"))
	}
	if p.ReplicationFactor == 0 || p.ReplicationFactor < -1 || p.ReplicationFactor > 1<<15-1 {
		m = append(m, setting.Wrong("replication_factor", p.ReplicationFactor, "is no number of replicas",
			"write 3, or -1 for the broker's default"))
	}
	if p.MinInsync < 0 || p.ReplicationFactor > 0 && p.MinInsync > p.ReplicationFactor {
		m = append(m, setting.Wrong("min_insync", p.MinInsync, "cannot be met",
			"write a number from 1 to replication_factor, or 0 to leave it to the broker"))
	}
	return m
}

// MaxRecordBytes is what the topic's max.message.bytes must allow: the largest entry, alone in its run, with the
// framing of run and batch.
func (p Params) MaxRecordBytes() int {
	return max(int(p.MaxEntryBytes), RunBytes) + 1<<10
}
