package index

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
)

// These bound which requests are remembered: the latest ones. With the changes of a window they have room in a state.
const (
	MostRequests     = 1_000_000
	MostRequestBytes = 96 << 20 // as they are encoded
)

// A request takes so many bytes at most without its id, and a match so many without its names.
const (
	requestBytes = 80
	matchBytes   = 80
)

// request is the document that came first with an idempotency key, and its verdict. It never changes: a capture refers
// to it while the replica goes on, which puts another one in its place.
type request struct {
	hash      entry.Request
	source    uint32 // number of its partition
	reemitted bool
	cut       bool
	copies    uint32 // how often it was sent again
	at        int64  // arrival time when it was judged, ms
	offset    int64
	position  entry.Position
	content   uint64
	time      int64 // of the document, ms
	id        string
	match     *Match // nil: it matched nothing
}

// requests are those that are remembered, in the order in which they were judged (design 4, rule 19).
type requests struct {
	lasts  int64 // ms; 0: none is remembered
	byHash map[entry.Request]*request
	queue  []*request // ascending by position
	bytes  int        // that they take, encoded
}

// remembers sets for how long requests are remembered.
func (q *requests) remembers(ms int64) {
	if q.lasts = ms; ms == 0 {
		q.byHash, q.queue, q.bytes = nil, nil, 0
	}
}

// judge judges an entry of a run. What was sent again is a duplicate of what came first, and changes nothing
// but the number of its copies: what else is remembered does not matter for it. ok is false if records are wanted.
func (q *requests) judge(j *judge, source uint32, at entry.Position, e *entry.Entry) (v Verdict, ok bool) {
	if e.Request == (entry.Request{}) || q.lasts == 0 {
		return j.decide(source, at, e)
	}
	now := j.find.clocks.arrival
	q.expire(now)
	first := q.byHash[e.Request]
	if first == nil {
		if v, ok = j.decide(source, at, e); !ok {
			return v, false
		}
		first = newRequest(source, now, e, &v)
		q.makeRoom(first.size())
		q.add(first)
		return v, true
	}
	if first.content != e.Content { // of another text: who made up the hash loses nothing by it, nor does anybody else
		return j.decide(source, at, e)
	}
	j.stats.Judged++
	j.stats.Duplicate++
	j.stats.Resent++
	first = q.change(first, func(now *request) { now.copies++ })
	p := j.find.sources.rows[first.source]
	return Verdict{Offset: e.Offset, Position: at, Content: e.Content, Match: Match{
		Source: p.source, Topic: p.name, Offset: first.offset, Position: first.position, Time: first.time, ID: first.id,
		Similarity: compare.Similarity{Num: 1, Den: 1}, Method: compare.Resent, Copy: uint64(first.copies) + 1,
	}}, true
}

func newRequest(source uint32, now int64, e *entry.Entry, v *Verdict) *request {
	first := &request{
		hash: e.Request, source: source, reemitted: v.Reemitted, cut: v.Cut, at: now, offset: v.Offset,
		position: v.Position, content: v.Content, time: e.Time, id: string(e.ID),
	}
	if v.Matched() {
		match := v.Match
		first.match = &match
	}
	return first
}

func (q *requests) add(first *request) {
	if q.byHash == nil {
		q.byHash = map[entry.Request]*request{}
	}
	q.byHash[first.hash], q.queue = first, append(q.queue, first)
	q.bytes += first.size()
}

// size is what bounds the bytes of requests.
func (first *request) size() int {
	if first.match == nil {
		return requestBytes + len(first.id)
	}
	return requestBytes + len(first.id) + matchBytes + len(first.match.Topic) + len(first.match.ID)
}

// expire drops the requests of which nobody has to know any more.
func (q *requests) expire(now int64) {
	for len(q.queue) > 0 && now-q.queue[0].at >= q.lasts {
		q.dropOldest()
	}
}

// makeRoom drops the oldest requests until one more of a size is within the bounds.
func (q *requests) makeRoom(size int) {
	for len(q.queue) >= MostRequests || len(q.queue) > 0 && q.bytes+size > MostRequestBytes {
		q.dropOldest()
	}
}

func (q *requests) dropOldest() {
	oldest := q.queue[0]
	q.queue[0], q.queue = nil, q.queue[1:]
	q.forgotten(oldest)
}

// forgotten takes note of one that is not in the queue any more.
func (q *requests) forgotten(first *request) {
	delete(q.byHash, first.hash)
	q.bytes -= first.size()
}

// drop drops requests whose documents are to be judged again, or never were forwarded.
func (q *requests) drop(which func(*request) bool) {
	q.queue = slices.DeleteFunc(q.queue, func(first *request) bool {
		if !which(first) {
			return false
		}
		q.forgotten(first)
		return true
	})
}

// find returns where in the queue the request is whose document was judged at a position.
func (q *requests) find(target entry.Position) (i int, ok bool) {
	return slices.BinarySearchFunc(q.queue, target, func(first *request, at entry.Position) int {
		return cmp.Or(cmp.Compare(first.position.Offset, at.Offset), cmp.Compare(first.position.Entry, at.Entry))
	})
}

// change puts a changed request in the place of one, which keeps its hash and its position, and returns it.
func (q *requests) change(first *request, how func(*request)) *request {
	now := *first
	how(&now)
	if i, ok := q.find(first.position); ok {
		q.queue[i] = &now
	}
	q.byHash[first.hash] = &now
	return &now
}

// forget drops the request whose document was judged at a position: its output has refused it, and may take it when
// it is sent again.
func (q *requests) forget(target entry.Position) {
	if i, ok := q.find(target); ok {
		q.forgotten(q.queue[i])
		q.queue = slices.Delete(q.queue, i, i+1)
	}
}

// erase drops the requests whose documents were erased, and the ids of erased documents that others matched.
func (q *requests) erase(targets []entry.Position) {
	if len(q.queue) == 0 {
		return
	}
	erased := make(map[entry.Position]bool, len(targets))
	for _, at := range targets {
		erased[at] = true
	}
	q.drop(func(first *request) bool { return erased[first.position] })
	for _, first := range q.queue {
		if first.match != nil && erased[first.match.Position] {
			q.bytes -= len(first.match.ID)
			match := *first.match
			match.ID = ""
			q.change(first, func(now *request) { now.match = &match })
		}
	}
}

// Answered is what a replica knows of a request: the first document that came with it, and the verdict about it.
type Answered struct {
	Request entry.Request
	Source  entry.Source
	Topic   string // the source topic's name
	Epoch   uint32 // of the partition, now
	// Committed says that the journal knows that the document was forwarded. It hears of that some time later.
	Committed bool
	// Gone says that its topic was deleted, and another is read under its name: commits are of that one.
	Gone    bool
	Time    int64  // document time, ms since 1970
	ID      string // empty means its coordinates
	Copies  uint32 // how often the request was sent again
	At      int64  // arrival time when it was judged, ms since 1970
	Verdict Verdict
}

// Answered returns what is known of a request.
func (r *Replica) Answered(of entry.Request) (a Answered, ok bool) {
	first := r.requests.byHash[of]
	if first == nil || r.clocks.arrival-first.at >= r.requests.lasts {
		return Answered{}, false
	}
	return r.sources.answered(first), true
}

func (s *sources) answered(first *request) Answered {
	p := s.rows[first.source]
	a := Answered{
		Request: first.hash, Source: p.source, Topic: p.name, Epoch: p.Epoch, Committed: first.offset < p.Base,
		Gone: slices.ContainsFunc(s.rows[first.source+1:], p.precedes),
		Time: first.time, ID: first.id, Copies: first.copies, At: first.at,
		Verdict: Verdict{
			Offset: first.offset, Position: first.position, Content: first.content, Reemitted: first.reemitted,
			Cut: first.cut,
		},
	}
	if first.match != nil {
		a.Verdict.Match = *first.match
	}
	return a
}

// Requests says whether requests are remembered: entries without one say nothing of theirs.
func (r *Replica) Requests() bool { return r.requests.lasts > 0 }

// capture returns the requests as they are now, for append: it copies what refers to them.
func (q *requests) capture() requests { return requests{queue: slices.Clone(q.queue), bytes: q.bytes} }

// append encodes the requests:
//
//	number of them · each: hash 16 · number of its partition · copies · arrival time · document time · length, id ·
//	verdict
func (q *requests) append(dst []byte) []byte {
	dst = binary.AppendUvarint(slices.Grow(dst, q.bytes), uint64(len(q.queue)))
	for _, first := range q.queue {
		dst = append(dst, first.hash[:]...)
		dst = binary.AppendUvarint(dst, uint64(first.source))
		dst = binary.AppendUvarint(dst, uint64(first.copies))
		dst = binary.AppendVarint(binary.AppendVarint(dst, first.at), first.time)
		dst = wire.AppendString(dst, first.id)
		v := Verdict{
			Offset: first.offset, Position: first.position, Content: first.content, Reemitted: first.reemitted,
			Cut: first.cut,
		}
		if first.match != nil {
			v.Match = *first.match
		}
		dst = appendVerdict(dst, &v)
	}
	return dst
}

// read reads what append wrote, for a replica of so many partitions. It returns false if that is not possible.
func (q *requests) read(rd *wire.Reader, partitions int) bool {
	for n := rd.Count(34); n > 0; n-- {
		var e entry.Entry
		copy(e.Request[:], rd.Take(uint64(len(e.Request))))
		source, copies := rd.Uvarint(), rd.Uvarint()
		at := rd.Varint()
		e.Time, e.ID = rd.Varint(), rd.Bytes()
		v := readVerdict(rd)
		if source >= uint64(partitions) || rd.Short() || q.lasts == 0 || q.byHash[e.Request] != nil {
			return false
		}
		first := newRequest(uint32(source), at, &e, &v)
		first.copies = uint32(copies)
		q.add(first)
	}
	return true
}
