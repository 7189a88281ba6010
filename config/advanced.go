package config

import (
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/setting"
)

// AdvancedParams are what nearly nobody sets.
type AdvancedParams struct {
	MaxDocumentBytes setting.Bytes `key:"max_document_bytes" doc:"a larger text is rejected (too_large): of raw the value, else what the fields become; what else is in a value does not count; an output record and a journal entry may have as much, 1MiB at least, a batch of the source twice as much, 32MiB at least, and a fetch twice as much, 16MiB at least" example:"1MiB" verdict:"true"`
}

// DefaultAdvancedParams are the defaults.
func DefaultAdvancedParams() AdvancedParams { return AdvancedParams{MaxDocumentBytes: setting.MiB} }

// Validate returns everything that is wrong.
func (p AdvancedParams) Validate() []setting.Mistake {
	if p.MaxDocumentBytes >= 1 && p.MaxDocumentBytes <= entry.MaxText {
		return nil
	}
	return []setting.Mistake{setting.Wrong("max_document_bytes", p.MaxDocumentBytes, "is out of range",
		"write 1 to "+setting.Bytes(entry.MaxText).String())}
}

// The least of what follows from the largest document. Kafka's topics accept 12 bytes more than leastRecord by default.
const (
	leastRecord = setting.MiB      // of an output record, and of an entry of the journal
	leastBatch  = 32 * setting.MiB // of one batch of the source in memory
	leastFetch  = 16 * setting.MiB // of what a session asks one broker for
)

// spread gives the rooms what follows from the advanced settings. It is called whenever these have changed.
func (c *Config) spread() {
	largest := c.Advanced.MaxDocumentBytes
	c.Document.MaxBytes = largest
	c.Sink.MaxRecordBytes = max(leastRecord, largest)
	c.Journal.MaxEntryBytes = max(leastRecord, largest)
	c.Source.MaxBatchBytes = max(leastBatch, 2*largest)
	c.Consumer.FetchBytes = max(leastFetch, 2*largest)
}
