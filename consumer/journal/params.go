package journal

import (
	"time"

	"github.com/unecho/unecho/index/setting"
)

// Params say which topic is the journal, and how it is written.
type Params struct {
	Topic         string        // of one partition; empty is the group's name with .journal
	PassAfter     time.Duration // how long the journal may be away before documents are passed on; 0: they wait
	MaxEntryBytes setting.Bytes // a document whose entry is larger is rejected
}

// RunBytes bounds the value of a run of more than one entry, and RunEntries the number of its entries. Both are large
// enough to keep the cost per record small, and small enough that a follower does not wait long for its first verdict.
const (
	RunBytes   = 256 << 10
	RunEntries = 512
)

// MostEntryBytes is the most that MaxEntryBytes may be.
const MostEntryBytes = 64 * setting.MiB

// DefaultParams are the defaults.
func DefaultParams() Params { return Params{MaxEntryBytes: setting.MiB} }

// Name returns the topic's name: that of the group with .journal, unless a test says another.
func (p Params) Name(group string) string {
	if p.Topic == "" {
		return group + ".journal"
	}
	return p.Topic
}

// MaxRecordBytes is what the topic's max.message.bytes must allow: the largest entry, alone in its run, with the
// framing of run and batch.
func (p Params) MaxRecordBytes() int {
	return max(int(p.MaxEntryBytes), RunBytes) + 1<<10
}
