package api

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/recent"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

// remembered is what a member knows of a document.
type remembered struct {
	shape.Coordinates
	Scope     string       `json:"scope,omitempty"` // hash of its name, in hex; empty: none
	Verdict   string       `json:"verdict"`
	Reemitted bool         `json:"reemitted"`     // a copy that was let through as unique
	InWindow  bool         `json:"in_window"`     // it can be found; else only its verdict is known still
	Filled    bool         `json:"filled"`        // the window was filled with it before the group began
	Seen      shape.Moment `json:"seen,omitzero"` // from when its age counts
	Copies    uint64       `json:"copies"`        // found of it
	Leaves    *leaves      `json:"leaves"`        // nil: it is not in the window
	Match     *origin      `json:"match"`         // nil: it is no copy, or its original is gone
	Text      *text        `json:"text,omitempty"`

	source entry.Source
}

// origin is the document that another is a copy of.
type origin struct {
	shape.Coordinates
	Similarity *float64 `json:"similarity"` // null: it is not kept
	Method     string   `json:"method,omitempty"`
	Copy       uint64   `json:"copy,omitempty"`
}

func newOrigin(m *index.Match) *origin {
	o := &origin{Coordinates: newMatch(m).Coordinates}
	if m.Method != compare.NoMatch {
		full := newMatch(m)
		o.Similarity, o.Method, o.Copy = &full.Similarity, full.Method, full.Copy
	}
	return o
}

// document answers GET /api/v1/document/{topic}/{partition}/{offset}.
func (a *api) document(w http.ResponseWriter, r *http.Request) {
	topic := r.PathValue("topic")
	partition, err := strconv.ParseInt(r.PathValue("partition"), 10, 32)
	offset, err2 := strconv.ParseInt(r.PathValue("offset"), 10, 64)
	if err != nil || err2 != nil || partition < 0 || offset < 0 {
		fail(w, http.StatusBadRequest, "a document is named by topic, partition and offset",
			"write them as the header unecho-source has them: /api/v1/document/news/0/17")
		return
	}
	asked := r.URL.Query().Get("text")
	withText, err := strconv.ParseBool(asked)
	if asked != "" && err != nil {
		fail(w, http.StatusBadRequest, "text must be 1 or 0", "write text=1")
		return
	}
	if withText && !a.ShowText {
		fail(w, http.StatusForbidden, "texts are not shown, because http.show_text is not set",
			"set http.show_text: true and start the member again, or read the topic by unecho tail")
		return
	}
	found, err := a.Service.Find(r.Context(), topic, int32(partition), offset)
	if err != nil {
		a.refuse(w, err)
		return
	}
	copied, isCopy := a.Service.Recent().Find(topic, int32(partition), offset)
	m, ok := a.compose(shape.Coordinates{Topic: topic, Partition: int32(partition), Offset: offset}, &found, &copied, isCopy)
	if !ok {
		unknown(w, &m.Coordinates, &found)
		return
	}
	if withText && !a.addText(w, r, m) {
		return
	}
	answer(w, http.StatusOK, m)
}

// compose puts together what the window, the verdicts that are not committed yet and the last copies say of a
// document. It returns ok as false if none of them knows it.
func (a *api) compose(at shape.Coordinates, found *member.Whereabouts, copied *recent.Copy, isCopy bool) (m *remembered, ok bool) {
	m = &remembered{Coordinates: at, Verdict: "unique"}
	if found.Held {
		ok = true
		v := &found.Verdict
		m.source = found.Source
		m.decided(v.Matched(), v.Reemitted, &v.Match)
		if v.Forgotten && !m.Reemitted && m.Verdict == "unique" {
			m.Verdict = "rejected"
		}
	}
	if k := found.Known; k != nil {
		ok = true
		m.ID, m.Time, m.Scope, m.source = k.ID, shape.At(k.Time), scopeText(k.Scope), k.Source
		m.InWindow, m.Filled, m.Seen, m.Copies = true, k.Filled, shape.At(k.Seen), k.Copies
		m.Leaves = newLeaves(a.inForce(), k, &found.Stats, a.rates.entering())
		if k.Copied {
			m.decided(true, false, &k.Match)
		}
	}
	if isCopy {
		ok = true
		m.ID, m.Time, m.Scope, m.source = copied.ID, shape.At(copied.Time), scopeText(copied.Scope), copied.Source
		m.decided(true, copied.Reemitted, &copied.Match)
	}
	return m, ok
}

func (m *remembered) decided(matched, reemitted bool, match *index.Match) {
	if !matched {
		return
	}
	if m.Reemitted = reemitted; !reemitted {
		m.Verdict = "duplicate"
	}
	if match.Topic != "" {
		m.Match = newOrigin(match)
	}
}

func scopeText(hash uint64) string {
	if hash == 0 {
		return ""
	}
	return fmt.Sprintf("%016x", hash)
}

// unknown says why nothing is remembered of a document.
func unknown(w http.ResponseWriter, at *shape.Coordinates, found *member.Whereabouts) {
	name := fmt.Sprintf("%s/%d", at.Topic, at.Partition)
	switch {
	case !found.Partition:
		fail(w, http.StatusNotFound, "the group has judged nothing of "+name,
			"name a partition of a source topic; GET /api/v1/status lists them")
	case at.Offset >= found.Reached:
		fail(w, http.StatusNotFound, fmt.Sprintf("%s/%d is not judged yet: %s is judged up to offset %d", name, at.Offset,
			name, found.Reached), "ask again later")
	default:
		fail(w, http.StatusNotFound, fmt.Sprintf("nothing is remembered of %s/%d: it was a copy or was rejected longer "+
			"ago, had no text, or has left the window", name, at.Offset),
			"look into the output topics for the record whose header unecho-source names it")
	}
}
