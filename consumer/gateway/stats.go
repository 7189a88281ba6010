package gateway

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/unecho/unecho/consumer/measure"
)

// Outcome is what a client was answered.
type Outcome int

// Outcomes of requests.
const (
	Answered Outcome = iota // all verdicts
	Taken                   // all documents are in the source, and nobody asked for more
	Pending                 // all documents are in the source, and not all verdicts came in time
	Refused                 // the request is wrong, or the group cannot do what it asks for; nothing was taken
	Busy                    // the client is to come again later
	Away                    // the broker did not acknowledge in time
	Failed                  // the broker refuses a document
	outcomes
)

// String is the word for it.
func (o Outcome) String() string {
	return [outcomes]string{"verdict", "taken", "pending", "refused", "busy", "away", "failed"}[o]
}

// Stats say what came to a gateway.
type Stats struct {
	Open      bool              // documents are taken
	Requests  []uint64          // by Outcome; nil: none came yet
	Documents uint64            // that were brought to the source
	Repeated  uint64            // that were recognised as sent before, and so not brought again
	Bytes     uint64            // of the documents that were brought
	Verdict   measure.Histogram // seconds until a client was told the verdicts that it waited for
}

// Counters count what comes to a gateway. They are safe for concurrent use.
type Counters struct {
	open                       atomic.Bool
	requests                   [outcomes]atomic.Uint64
	documents, repeated, bytes atomic.Uint64
	verdict                    measure.Distribution
}

// verdictTimes are from what a quiet broker takes to the longest wait.
func verdictTimes() measure.Scale {
	return measure.Milliseconds(10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 15_000)
}

// Answered counts the answer to a request.
func (c *Counters) Answered(what Outcome) { c.requests[what].Add(1) }

// sent counts documents that were sent.
func (c *Counters) sent(all []sending, began time.Time, waited bool) {
	for i := range all {
		s := &all[i]
		switch {
		case s.Err != nil:
		case s.known:
			c.repeated.Add(1)
		default:
			c.documents.Add(1)
			c.bytes.Add(uint64(len(s.record.Value)))
		}
	}
	if !waited || slices.ContainsFunc(all, func(s sending) bool { return !s.done }) {
		return
	}
	c.verdict.Observe(verdictTimes(), int64(time.Since(began)))
}

// Read returns the counts. Before the gateway is open there are none.
func (c *Counters) Read() (s Stats) {
	if s.Open = c.open.Load(); !s.Open {
		return s
	}
	s.Documents, s.Repeated, s.Bytes = c.documents.Load(), c.repeated.Load(), c.bytes.Load()
	for i := range c.requests {
		s.Requests = append(s.Requests, c.requests[i].Load())
	}
	s.Verdict = c.verdict.Read(verdictTimes())
	return s
}
