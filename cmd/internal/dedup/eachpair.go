package dedup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/sketch"
)

// EachPairParams say how documents are compared by their SimHashes.
type EachPairParams struct {
	Index    index.Params  // settings that documents are signed with; their distance is one that blocks guarantee
	Distance int           // the distance to search for
	Memory   setting.Bytes // bound in bytes of what is kept of the documents, and of their matches
	// each document has all its matches; otherwise only those that determine its cluster and the most similar one
	Pairs bool
}

// EachPair gathers all documents and finds, at the end, every pair of SimHashes within a distance by comparing each with
// each.
// With verify: estimate such a pair is a match; otherwise the pair is verified. Documents of equal text are compared as
// one.
type EachPair struct {
	numbered
	params    EachPairParams
	pairs     *sketch.EachPair
	documents []gathered
	contents  []content
	known     map[contentKey]int32 // -> its place in contents
	taken     int64                // bytes of Memory in use
	none      matches
}

// gathered is what is kept of a document.
type gathered struct {
	number  int64
	name    []byte
	content int32
	next    int32 // the next document of the same content; -1 if there is none
}

// content is the common part of documents of equal text, in one scope.
type content struct {
	entry             entry.Entry
	first, last, lead int32 // documents; lead is the first since Begin, if there is one
}

type contentKey struct{ content, scope uint64 }

// Bytes that are kept beside names and evidence, with slices that grow by a quarter and a map half full.
const (
	documentBytes = 64
	contentBytes  = 320
)

// NewEachPair makes an EachPair that knows no document.
func NewEachPair(p EachPairParams) (*EachPair, error) {
	pairs, err := sketch.NewEachPair(p.Index.Duplicates.Bits, p.Distance)
	if err != nil {
		return nil, err
	}
	return &EachPair{params: p, pairs: pairs, known: map[contentKey]int32{}}, nil
}

func (p *EachPair) atOnce() int { return math.MaxInt } // they have no match yet

// apply keeps what Finish needs. It returns no match.
func (p *EachPair) apply(_ context.Context, s *signed) (*matches, error) {
	if len(p.documents) > math.MaxInt32-len(s.entries) {
		return nil, errors.New("more than two thousand million documents are too many to compare each with each")
	}
	p.none.reset()
	for i := range s.entries {
		p.none.next(false)
		if !s.entries[i].Empty() {
			p.add(&s.entries[i], s.sketches[i])
		}
	}
	if p.taken > int64(p.params.Memory) {
		return nil, fmt.Errorf("%w of %s after %d documents", ErrMemory, p.params.Memory, len(p.documents))
	}
	return &p.none, nil
}

func (p *EachPair) add(e *entry.Entry, codes []byte) {
	place := int32(len(p.documents))
	key := contentKey{e.Content, e.Scope}
	at, met := p.known[key]
	if met {
		c := &p.contents[at]
		p.documents[c.last].next, c.last = place, place
		if p.documents[c.lead].number < p.first {
			c.lead = place
		}
	} else {
		at = int32(len(p.contents))
		p.known[key] = at
		p.contents = append(p.contents, content{entry: p.kept(e), first: place, last: place, lead: place})
		p.pairs.Add(codes)
		p.taken += contentBytes + int64(len(p.contents[at].entry.Evidence))
	}
	name := append([]byte(nil), e.ID...)
	p.documents = append(p.documents, gathered{number: e.Offset, name: name, content: at, next: -1})
	p.taken += documentBytes + int64(len(name))
}

// kept is what a content is verified by.
func (p *EachPair) kept(e *entry.Entry) entry.Entry {
	c := *e
	c.Keys, c.ID = nil, nil
	if p.estimates() {
		c.Evidence = nil
	}
	return c.Clone()
}

func (p *EachPair) estimates() bool { return p.params.Index.Duplicates.Verify == "estimate" }

// judged says whether one of a content's documents is not part of the index.
func (p *EachPair) judged(c *content) bool { return p.documents[c.last].number >= p.first }

// Cost is what it takes to compare all sketches, known before it begins. To verify the pairs that are found comes on top.
type Cost struct {
	Sketches    int
	Comparisons float64
	Time        time.Duration // at most
}

// trial is how many sketches are compared to know how long a comparison takes.
const trial = 4096

// Cost compares a few sketches like those of the documents, and says what all of them will take.
func (p *EachPair) Cost(workers int) (Cost, error) {
	c := Cost{Sketches: len(p.contents), Comparisons: p.pairs.Comparisons()}
	few, err := sketch.NewEachPair(p.params.Index.Duplicates.Bits, p.params.Distance)
	if err != nil {
		return c, err
	}
	code := make([]byte, p.params.Index.Duplicates.Bits/8)
	mixed := uint64(1)
	for range trial {
		for i := range code {
			mixed = mixed*6364136223846793005 + 1442695040888963407 // Knuth's MMIX generator
			code[i] = byte(mixed >> 56)
		}
		few.Add(code)
	}
	began := time.Now()
	for part := range few.Count() {
		few.Pairs(part, func(_, _, _ int) {}, func() bool { return true })
	}
	each := float64(time.Since(began)) / few.Comparisons()
	c.Time = time.Duration(min(each*c.Comparisons/float64(workers), math.MaxInt64/2))
	return c, nil
}

func (c Cost) print(out io.Writer, workers int) {
	least := c.Time.Round(time.Second)
	if least < time.Second {
		least = time.Second
	}
	fmt.Fprintf(out, "unecho: comparing %s sketches each with each: %s, at most about %v on %s; pairs that are found are verified besides\n",
		terminal.Grouped(c.Sketches), terminal.Several(int(min(c.Comparisons, math.MaxInt64/2)), "comparison"), least,
		terminal.Several(workers, "core"))
}
