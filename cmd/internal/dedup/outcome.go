package dedup

import (
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index/compare"
)

// Outcome is the result for one document. It and its slices are valid until the next one.
type Outcome struct {
	Number int64  // number of the document, counted from 0 over all that its judge was given
	Name   []byte // its id, or its number in the file, or its file
	File   string
	Row    int // its number in the file; 0 for a file that is one document
	Line   int // where it begins; 0 where there are no lines
	// the bytes in the file; of a file that is one document, empty if Params do not ask for it
	Raw      []byte
	Header   []byte // the first line of its table; stays valid
	Length   int    // bytes of its text
	Text     []byte // its beginning, if Params ask for it
	Sum      uint64 // hash of its bytes in the file, if Params ask for it
	Sketch   []byte // if Params ask for it; none for a document without text
	Short    bool   // one changed word would make it another: it is no duplicate with one
	Rejected *document.Rejection
	ByBytes  bool    // it is compared by its bytes, because too much of it cannot be read
	Matches  []Match // similar documents judged before it, in their order; none if it is like no other
	Cut      bool    // not all documents were compared with it that may be like it
}

// Match is a document that another one is a verified copy of.
type Match struct {
	Number     int64 // number of its Outcome
	Name       []byte
	Similarity compare.Similarity
	Method     compare.Method
}

// Best returns the most similar match, of equally similar ones the first; nil if there is none.
func (o *Outcome) Best() *Match {
	var best *Match
	for i := range o.Matches {
		if m := &o.Matches[i]; best == nil || best.Similarity.Less(m.Similarity) {
			best = m
		}
	}
	return best
}

// Counts are the numbers of documents that Run has judged so far.
type Counts struct {
	Documents, Unique, Duplicate, Rejected int64
	Cut                                    int64 // documents that were not compared with all that may be like them
	UniqueCut                              int64 // of these, those that are like no other as far as they were compared
	ByBytes                                int64 // documents that were compared by their bytes
	Doubtful                               int64 // duplicates by an estimate that is as near to the threshold as it may be off
	Short                                  int64 // documents of which one changed word makes another
}

// Add counts one.
func (c *Counts) Add(o *Outcome) {
	c.Documents++
	if o.Cut {
		c.Cut++
		c.UniqueCut += int64(1 - min(len(o.Matches), 1))
	}
	if o.ByBytes {
		c.ByBytes++
	}
	if o.Short {
		c.Short++
	}
	switch {
	case o.Rejected != nil:
		c.Rejected++
	case len(o.Matches) > 0:
		c.Duplicate++
	default:
		c.Unique++
	}
}

// matches holds the matches of several documents, one after another, with their names in its own memory.
type matches struct {
	all   []Match
	ends  []int  // document -> where its matches end
	cuts  []bool // document -> not all were compared with it that may be like it
	names []byte
}

func (m *matches) reset() {
	m.all, m.ends, m.cuts, m.names = m.all[:0], m.ends[:0], m.cuts[:0], m.names[:0]
}

// add adds a match of the present document. When names grows, earlier names stay valid in the old memory.
func (m *matches) add(number int64, name []byte, similarity compare.Similarity, method compare.Method) {
	from := len(m.names)
	m.names = append(m.names, name...)
	m.all = append(m.all, Match{
		Number: number, Name: m.names[from:len(m.names):len(m.names)], Similarity: similarity,
		Method: method,
	})
}

func (m *matches) next(cut bool) { m.ends, m.cuts = append(m.ends, len(m.all)), append(m.cuts, cut) }

// of returns the matches of a document.
func (m *matches) of(i int) []Match {
	from := 0
	if i > 0 {
		from = m.ends[i-1]
	}
	return m.all[from:m.ends[i]]
}
