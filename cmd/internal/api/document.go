package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/recent"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	normal "github.com/unecho/unecho/index/text"
)

// remembered is what a member knows of a document.
type remembered struct {
	shape.Coordinates
	Scope     string       `json:"scope,omitempty"` // hash of its name, in hex; empty: none
	Verdict   string       `json:"verdict"`
	Reason    string       `json:"reason,omitempty"` // why it was rejected or not checked
	Reemitted bool         `json:"reemitted"`        // a copy that was let through as unique
	InWindow  bool         `json:"in_window"`        // it can be found; else only its verdict is known still
	Filled    bool         `json:"filled"`           // the window was filled with it before the group began
	Seen      shape.Moment `json:"seen,omitzero"`    // from when its age counts
	Copies    uint64       `json:"copies"`           // found of it
	Leaves    *leaves      `json:"leaves"`           // nil: it is not in the window
	Match     *origin      `json:"match"`            // nil: it is no copy, or its original is gone
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
	full := newMatch(m)
	o := &origin{Coordinates: full.Coordinates}
	if m.Method != compare.NoMatch {
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
	copied, isCopy := a.Service.Recent().Find(topic, int32(partition), offset)
	var found member.Whereabouts
	if !withText || !isCopy || a.inForce().Duplicates.CompareCopies { // the window holds no other copy: the page asks for many
		if found, err = a.Service.Find(r.Context(), topic, int32(partition), offset); err != nil {
			a.refuse(w, err)
			return
		}
	}
	m, ok := a.compose(shape.Coordinates{Topic: topic, Partition: int32(partition), Offset: offset}, &found, &copied, isCopy)
	s := a.Service.Stats()
	ok = aside(m, "rejected", s.LastRejected, false) || aside(m, "unchecked", s.LastUnchecked, ok) || ok
	if !ok && withText && offset < found.Reached {
		m.Verdict, ok = "unknown", true
	}
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
	m = &remembered{Coordinates: at, Verdict: "unique", source: found.Source}
	if found.Partition && at.Offset < found.Reached && copied.Source != found.Source {
		isCopy = false // of a deleted topic of this name
	}
	if found.Held {
		ok = true
		v := &found.Verdict
		m.decided(v.Matched(), v.Reemitted, &v.Match)
		if v.Forgotten && !m.Reemitted && m.Verdict == "unique" {
			m.Verdict = "rejected"
		}
	}
	if k := found.Known; k != nil {
		ok = true
		m.ID, m.Time, m.Scope, m.source = k.ID, shape.At(k.Time), scopeText(k.Scope), k.Source
		m.InWindow, m.Filled, m.Seen, m.Copies = true, k.Filled, shape.At(k.Seen), k.Copies
		m.Leaves = newLeaves(a.inForce(), k, &found.Stats, a.history.entering())
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

// aside notes that a document is among the last that were rejected, or forwarded unchecked. That is its verdict, unless it
// was judged since. A topic of the same name that was deleted has other documents.
func aside[R ~string](m *remembered, verdict string, last map[R][]consumer.Example, judged bool) bool {
	for reason, examples := range last {
		for _, e := range examples {
			if e.Topic != m.Topic || e.Source.Partition != m.Partition || e.Offset != m.Offset ||
				m.source != (entry.Source{}) && e.Source != m.source {
				continue
			}
			if m.Reason = string(reason); !judged {
				m.Verdict, m.Time, m.source = verdict, shape.At(e.Time), e.Source
			}
			return true
		}
	}
	return false
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

// leaves is when a document leaves the window, at the rate of the last minute.
type leaves struct {
	At    shape.Moment `json:"at,omitzero"`     // the first of those below
	Bound string       `json:"bound,omitempty"` // and which it is
	Age   shape.Moment `json:"by_age,omitzero"`
	Count shape.Moment `json:"by_count,omitzero"`
	Bytes shape.Moment `json:"by_bytes,omitzero"`
}

// newLeaves reckons. entering is how many documents a second enter the window; 0: none, or that is not known.
func newLeaves(p *index.Params, k *index.Known, s *index.Stats, entering float64) *leaves {
	l := &leaves{}
	first := int64(0)
	note := func(ms int64, bound string, to *shape.Moment) {
		*to = shape.At(ms)
		if first == 0 || ms < first {
			first, l.At, l.Bound = ms, *to, bound
		}
	}
	if p.Duplicates.Remember.Age > 0 {
		note(k.Seen+p.Duplicates.Remember.Age.Milliseconds(), "age", &l.Age)
	}
	if entering <= 0 || s.Documents == 0 {
		return l
	}
	after := func(documents float64) (ms int64, near bool) {
		const century = 100 * 365 * 24 * float64(time.Hour/time.Second)
		seconds := max(0, documents) / entering
		return s.Now + int64(1000*seconds), seconds < century
	}
	if p.Duplicates.Remember.Documents > 0 {
		if ms, near := after(float64(p.Duplicates.Remember.Documents - s.Documents + k.Older + 1)); near {
			note(ms, "documents", &l.Count)
		}
	}
	if p.Duplicates.Remember.Memory > 0 {
		each := max(1, float64(s.WindowBytes)/float64(s.Documents))
		if ms, near := after((float64(int64(p.Duplicates.Remember.Memory)-s.WindowBytes+k.OlderPart) + each) / each); near {
			note(ms, "memory", &l.Bytes)
		}
	}
	return l
}

// Bounds of the texts that are told.
const (
	maxText     = 64 << 10 // bytes of a text, and of a value
	textsAtOnce = 2        // records that are read at a time: each takes up to the memory of a batch
)

// text is what a document's record holds now.
type text struct {
	Missing  string `json:"missing,omitempty"`  // why there is none; then the others are empty
	Rejected string `json:"rejected,omitempty"` // the reason for which such a record is no document
	Text     string `json:"text"`               // what is compared, before it is normalised
	Cut      bool   `json:"cut"`                // Text is only the first part
	Raw      string `json:"raw"`                // the record's value; what is not UTF-8 is replaced
	RawCut   bool   `json:"raw_cut"`
	RawBytes int    `json:"raw_bytes"`
}

// addText reads the document's text from its topic. It answers by itself if it cannot.
func (a *api) addText(w http.ResponseWriter, r *http.Request, m *remembered) bool {
	if !a.texts.TryAcquire(1) {
		busy(w)
		return false
	}
	defer a.texts.Release(1)
	t, err := a.readText(r.Context(), m)
	if err != nil {
		a.Logger.Warn().Err(err).Msg("the text of a document cannot be read for an API request")
		fail(w, http.StatusBadGateway, "Kafka does not give the record now", "ask again; the log of this member says why")
		return false
	}
	m.Text = t
	return true
}

func (a *api) readText(ctx context.Context, m *remembered) (*text, error) {
	in, err := a.Service.Record(ctx, m.source, m.Topic, m.Offset)
	switch {
	case errors.Is(err, topic.ErrNoRecord):
		return &text{Missing: "the record is gone by retention or compaction"}, nil
	case errors.Is(err, topic.ErrOther):
		return &text{Missing: "the topic was deleted and created again since"}, nil
	case err != nil:
		return nil, err
	}
	t := &text{RawBytes: len(in.Value)}
	t.Raw, t.RawCut = cut(in.Value)
	d, bad, err := a.reader.Read(ctx, in, nil)
	if err != nil {
		return nil, err
	}
	if bad != nil {
		t.Rejected = string(bad.Reason)
		return t, nil
	}
	t.Text, t.Cut = cut(d.Text)
	m.ID = cmp.Or(m.ID, string(d.ID))
	return t, nil
}

// cut returns the first part of a text, whole characters of it, and whether there is more.
func cut(b []byte) (string, bool) { return string(normal.Cut(b, maxText)), len(b) > maxText }
