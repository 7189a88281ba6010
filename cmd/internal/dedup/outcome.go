package dedup

import (
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index"
)

// Outcome is what became of one document. Its slices live until the next one.
type Outcome struct {
	Number   int64  // of the document, over all that its judge was given, from 0
	Name     []byte // its id, or its number in the file, or its file
	Raw      []byte // as it stands in the file; nothing of a file of its own that is rejected, or unless Params ask for it
	Header   []byte // the first line of the table that it stands in; it lives on
	Length   int    // of its text, in bytes
	Sketch   []byte // where Params ask for it; none for a document without text
	Rejected *document.Rejection
	Matches  []Match // documents judged before it, in their order; none for one that is like no other
}

// Match is a document that another one is a verified copy of.
type Match struct {
	Number     int64 // its Outcome's
	Name       []byte
	Similarity index.Similarity
	Method     index.Method
}

// Best is the most similar match, of equally similar ones the first; nil if there is none.
func (o *Outcome) Best() *Match {
	var best *Match
	for i := range o.Matches {
		if m := &o.Matches[i]; best == nil || best.Similarity.Less(m.Similarity) {
			best = m
		}
	}
	return best
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
	case len(o.Matches) > 0:
		c.Duplicate++
	default:
		c.Unique++
	}
}

// matches are those of several documents, one after another. Their names are in memory of their own.
type matches struct {
	all   []Match
	ends  []int // document -> where its matches end
	names []byte
}

func (m *matches) reset() { m.all, m.ends, m.names = m.all[:0], m.ends[:0], m.names[:0] }

// add takes a match of the document at hand. When names grows, those cut from it before stay where they were.
func (m *matches) add(number int64, name []byte, similarity index.Similarity, method index.Method) {
	from := len(m.names)
	m.names = append(m.names, name...)
	m.all = append(m.all, Match{Number: number, Name: m.names[from:len(m.names):len(m.names)], Similarity: similarity, Method: method})
}

// next ends the document at hand.
func (m *matches) next() { m.ends = append(m.ends, len(m.all)) }

// of are the matches of a document.
func (m *matches) of(i int) []Match {
	from := 0
	if i > 0 {
		from = m.ends[i-1]
	}
	return m.all[from:m.ends[i]]
}
