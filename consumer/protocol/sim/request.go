package sim

import (
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

// VaryRequests draws the kind of history of a group whose documents come with idempotency keys, more than the window
// remembers.
func VaryRequests(seed uint64) Params {
	p := Vary(seed)
	c := random(seed ^ 0x7265_7175_6573)
	p.Requests = true
	if c.n(2) == 0 {
		p.Count = 1 + c.n(2)
	}
	if c.n(3) == 0 {
		p.Reemit = time.Duration(1+c.n(20)) * time.Millisecond
	}
	return p
}

// requestsLast is longer than any history.
const requestsLast = 1000 * time.Hour

// request gives a document its idempotency key: that of all documents of the content that have one.
func (w *World) request(e entry.Entry) entry.Entry {
	if w.keyed(&e) {
		e.Request = entry.Request{byte(e.Content)}
	}
	return e
}

func (w *World) keyed(e *entry.Entry) bool { return w.params.Requests && e.Offset%3 != 2 }

// asked is the document that came first with a request, as the checks see it.
type asked struct {
	part     *part
	offset   int64
	content  uint64
	position entry.Position
	dead     bool
}

// checkRequest: what was sent before is not unique once more (rule 19).
func (w *World) checkRequest(p *part, v *index.Verdict) {
	if !w.keyed(&p.entries[v.Offset]) {
		return
	}
	for i := range w.requests {
		first := &w.requests[i]
		if first.dead || first.content != v.Content {
			continue
		}
		if v.Unique() || v.Match.Position != first.position || v.Match.Method != compare.Resent {
			w.bad("%s was sent before as %s, and is %s", p.name(v.Offset), first.part.name(first.offset), describeVerdict(v))
		}
		w.act("sent again")
		return
	}
	if v.Match.Method == compare.Resent {
		w.bad("%s is told to be sent again, and is the first", p.name(v.Offset))
	}
	w.requests = append(w.requests, asked{p, v.Offset, v.Content, v.Position, false})
}

// unrequest drops the requests of documents that are judged again, or were refused.
func (w *World) unrequest(which func(*asked) bool) {
	for i := range w.requests {
		w.requests[i].dead = w.requests[i].dead || which(&w.requests[i])
	}
}

// checkRequests: of all documents that were sent with one key, one came out as unique, and one more as often as people
// asked for that, or the source lost documents that were not read: an epoch that begins there lets go of the requests
// that the journal does not know to be forwarded yet.
func (w *World) checkRequests() {
	if w.topics > 1 {
		return
	}
	var uniques [256]int
	loose, most := false, 1
	for _, p := range w.parts {
		most += p.asked + p.trimmed
		loose = loose || p.torn
		for o := range p.entries {
			if w.keyed(&p.entries[o]) {
				uniques[p.entries[o].Content] += p.uniques[o]
			}
		}
	}
	for content, n := range uniques {
		if !loose && n > most+w.passes[content] {
			w.bad("a request was unique %d times, offsets were set %d times", n, most-1)
		}
	}
}
