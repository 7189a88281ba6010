package dedup

import (
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index"
)

// Outcome is what became of one document. Its slices live until the next one.
type Outcome struct {
	Number   int64  // of the document, over all files, from 0
	Name     []byte // its id, or its number in the file, or its file
	Raw      []byte // as it stands in the file
	Rejected *document.Rejection
	Match    *index.Match // nil for a unique document; its Offset is the Number of the document matched, its ID the Name
}

// Counts are what Run has judged so far.
type Counts struct {
	Documents, Unique, Duplicate, Rejected int64
}

// Add counts one.
func (c *Counts) Add(o *Outcome) {
	c.Documents++
	switch {
	case o.Rejected != nil:
		c.Rejected++
	case o.Match != nil:
		c.Duplicate++
	default:
		c.Unique++
	}
}
