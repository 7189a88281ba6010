package config

import (
	"time"

	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/setting"
)

// AdvancedParams are what nearly nobody sets.
type AdvancedParams struct {
	Membership       consumer.Membership `key:""`
	PassAfter        time.Duration       `key:"pass_after" doc:"after the journal has not answered for so long, forward documents to unique unchecked, marked by a header, and remember them later; 0s lets them wait" example:"30s"`
	MaxDocumentBytes setting.Bytes       `key:"max_document_bytes" doc:"a larger text is rejected (too_large): with raw and html the whole value, else the joined fields. It also bounds an output record, with its value, key, headers and those that unecho adds (1MiB at least), and a journal entry (256KiB at least; with char:K four times as much). A batch of the source may have twice as much (32MiB at least), a fetch as well (16MiB at least)" example:"1MiB" verdict:"true"`
}

// DefaultAdvancedParams are the defaults.
func DefaultAdvancedParams() AdvancedParams {
	return AdvancedParams{Membership: consumer.DefaultParams().Membership, MaxDocumentBytes: setting.MiB}
}

// Validate returns everything that is wrong.
func (p AdvancedParams) Validate() []setting.Mistake {
	m := p.Membership.Validate()
	if p.PassAfter != 0 && (p.PassAfter < time.Second || p.PassAfter > time.Hour) {
		m = append(m, setting.Wrong("pass_after", p.PassAfter, "is out of range", "write 1s to 1h, or 0s to have documents wait"))
	}
	if p.MaxDocumentBytes < 1 || p.MaxDocumentBytes > entry.MaxText {
		m = append(m, setting.Wrong("max_document_bytes", p.MaxDocumentBytes, "is out of range",
			"write 1 to "+setting.Bytes(entry.MaxText).String()))
	}
	return m
}

// The least of what follows from the largest document. Kafka's topics accept 12 bytes more than leastRecord by default.
const (
	leastRecord = setting.MiB       // of an output record
	leastEntry  = 256 * setting.KiB // of an entry of the journal
	leastBatch  = 32 * setting.MiB  // of one batch of the source in memory
	leastFetch  = 16 * setting.MiB  // of what a session asks one broker for
)

// spread gives the rooms what follows from the advanced settings. It is called whenever these have changed.
func (c *Config) spread() {
	c.Consumer.Membership, c.Journal.PassAfter = c.Advanced.Membership, c.Advanced.PassAfter
	largest := c.Advanced.MaxDocumentBytes
	c.Sink.MaxRecordBytes = max(leastRecord, largest)
	c.Journal.MaxEntryBytes = max(leastEntry, largest*c.growth())
	c.Consumer.MaxBatchBytes = max(leastBatch, 2*largest)
	c.Consumer.FetchBytes = max(leastFetch, 2*largest)
}

// growth is how many times the bytes of its text an entry may take. It keeps up to 29 bits of each run of characters, and a
// text has about as many runs as bytes.
func (c *Config) growth() setting.Bytes {
	if shingling, err := c.Judge.Duplicates.Shingling(); err == nil && shingling.Chars() > 0 {
		return 4
	}
	return 1
}

// wrongEntry refuses documents of a service whose entries no journal takes.
func (c *Config) wrongEntry() []setting.Mistake {
	largest, most := c.Advanced.MaxDocumentBytes, journal.MostEntryBytes/c.growth()
	if largest <= most || largest > entry.MaxText { // that is reported already
		return nil
	}
	return []setting.Mistake{setting.Wrong("advanced.max_document_bytes", largest,
		"is too large for runs of characters, of which the journal keeps up to four times the text, and "+journal.MostEntryBytes.String()+" at most",
		"write "+most.String()+" or less, or duplicates.shingle: word:3")}
}
