package naive

import (
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

// request is a document that came first with an idempotency key.
type request struct {
	hash    entry.Request
	source  entry.Source
	at      int64
	time    int64
	id      string
	copies  uint64
	verdict index.Verdict
}

// judgeRequest judges an entry of a run, which may be what was sent before.
func (t *Twin) judgeRequest(source entry.Source, e *entry.Entry, position entry.Position) index.Verdict {
	lasts := t.params.Duplicates.Remember.Keys.Milliseconds()
	if lasts == 0 || e.Request == (entry.Request{}) {
		return t.judge(source, e, position)
	}
	t.requests = slices.DeleteFunc(t.requests, func(first *request) bool { return t.arrival-first.at >= lasts })
	for _, first := range t.requests {
		if first.hash != e.Request {
			continue
		}
		if first.verdict.Content != e.Content {
			return t.judge(source, e, position)
		}
		first.copies++
		return index.Verdict{Offset: e.Offset, Position: position, Content: e.Content, Match: index.Match{
			Source: first.source, Topic: t.partition(first.source).name, Offset: first.verdict.Offset,
			Position: first.verdict.Position, Time: first.time, ID: first.id,
			Similarity: compare.Similarity{Num: 1, Den: 1}, Method: compare.Resent, Copy: first.copies + 1,
		}}
	}
	v := t.judge(source, e, position)
	t.requests = append(t.requests, &request{
		hash: e.Request, source: source, at: t.arrival, time: e.Time, id: string(e.ID), verdict: v,
	})
	for len(t.requests) > index.MostRequests || len(t.requests) > 1 && bytesOf(t.requests) > index.MostRequestBytes {
		t.requests = t.requests[1:]
	}
	return v
}

// bytesOf bounds what requests take in a snapshot.
func bytesOf(all []*request) (n int) {
	for _, first := range all {
		n += 80 + len(first.id)
		if v := &first.verdict; v.Matched() {
			n += 80 + len(v.Match.Topic) + len(v.Match.ID)
		}
	}
	return n
}

// without drops the requests of these documents.
func (t *Twin) without(which func(*request) bool) { t.requests = slices.DeleteFunc(t.requests, which) }

// Answered returns the verdict about the document that came first with a request.
func (t *Twin) Answered(of entry.Request) (source entry.Source, v index.Verdict, ok bool) {
	for _, first := range t.requests {
		if first.hash == of && t.arrival-first.at < t.params.Duplicates.Remember.Keys.Milliseconds() {
			return first.source, first.verdict, true
		}
	}
	return entry.Source{}, index.Verdict{}, false
}
