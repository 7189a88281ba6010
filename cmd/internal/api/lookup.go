package api

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// Bounds of a lookup.
const (
	maxTexts      = 100
	maxMatches    = 20
	maxWaiting    = 64 // lookups that wait for their turn to be signed
	signersAtOnce = 2
	lookupTimeout = 5 * time.Second
)

// question is the body of a lookup: one text, or several.
type question struct {
	Text  *string  `json:"text"`
	Texts []string `json:"texts"`
	// the texts are in base64, because they are not UTF-8: JSON would have others in place of their bytes
	Base64 bool   `json:"base64"`
	Scope  string `json:"scope"`
	Topic  string `json:"topic"` // whose documents the texts are like; it decides where sources are read otherwise
	Most   int    `json:"most"`  // matches of each text; 0 is one
}

func newHit(h *index.Hit, least compare.Similarity) (out shape.Hit, missing uint32) {
	out = shape.Hit{Match: newMatch(&h.Match), Bands: h.Bands}
	if out.Bands == nil {
		out.Bands = []int{}
	}
	of := map[compare.Method]string{
		compare.Jaccard: "shingles", compare.Estimate: "slots", compare.Hamming: "bits",
		compare.Levenshtein: "parts",
	}
	if unit, counted := of[h.Method]; counted {
		out.Shared = &shape.Share{Of: unit}
		out.Shared.Part, out.Shared.Whole, missing = h.Similarity.Parts(h.Method, least)
	}
	return out, missing
}

func newNearest(h *index.Hit, least compare.Similarity) *shape.Nearest {
	if h == nil {
		return nil
	}
	hit, missing := newHit(h, least)
	n := shape.Nearest{
		Coordinates: hit.Coordinates, Similarity: hit.Similarity, Method: hit.Method, Bands: hit.Bands, Missing: missing,
	}
	if hit.Shared != nil {
		n.Shared = *hit.Shared
	}
	return &n
}

// signer signs the texts of one question at a time. It is made when it is needed first.
type signer struct {
	*index.Signer
	by index.DuplicatesParams // settings by which it signs
}

// ask answers POST /api/v1/lookup.
func (a *api) ask(w http.ResponseWriter, r *http.Request) {
	q, ok := readQuestion(w, r)
	if !ok {
		return
	}
	scope, err := a.reader.Scope(q.Topic, q.Scope)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error(), `write "scope" as the documents have it`)
		return
	}
	if !allows(w, a.lookups, len(q.Texts), "texts to look up", "") {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), lookupTimeout)
	defer cancel()
	s := a.turn(ctx)
	if s == nil {
		busy(w)
		return
	}
	defer func() { a.lookup <- s }()
	results := make([]shape.Result, len(q.Texts))
	for i, text := range q.Texts {
		results[i], err = a.one(ctx, s, scope, text, &q)
		if err != nil {
			a.refuse(w, err)
			return
		}
	}
	answer(w, http.StatusOK, shape.Lookup{Results: results})
}

// turn returns a signer, or nil if too many lookups wait for one.
func (a *api) turn(ctx context.Context) *signer {
	if !a.waiting.TryAcquire(1) {
		return nil
	}
	defer a.waiting.Release(1)
	select {
	case s := <-a.lookup:
		return s
	case <-ctx.Done():
		return nil
	}
}

const askRemedy = `send {"text": "..."} or {"texts": ["...", "..."]}`

// readQuestion returns the question with its texts in Texts. It answers by itself what is none.
func readQuestion(w http.ResponseWriter, r *http.Request) (q question, ok bool) {
	if !readBody(w, r, &q, askRemedy) {
		return q, false
	}
	switch {
	case q.Text == nil && len(q.Texts) == 0, q.Text != nil && q.Texts != nil:
		fail(w, http.StatusBadRequest, "the body must have either text or texts", askRemedy)
	case len(q.Texts) > maxTexts:
		fail(w, http.StatusBadRequest, fmt.Sprintf("%d texts are more than %d", len(q.Texts), maxTexts),
			"ask in several requests")
	case q.Most < 0 || q.Most > maxMatches:
		fail(w, http.StatusBadRequest, fmt.Sprintf("most is %d, and must be 1 to %d", q.Most, maxMatches),
			"ask for fewer matches")
	default:
		if q.Text != nil {
			q.Texts = []string{*q.Text}
		}
		q.Most = max(1, q.Most)
		return q, !q.Base64 || q.decode(w)
	}
	return q, false
}

// decode puts the bytes of the texts in the place of their base64. It answers by itself what is none.
func (q *question) decode(w http.ResponseWriter) (ok bool) {
	for i, text := range q.Texts {
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			fail(w, http.StatusBadRequest, fmt.Sprintf("text %d is not base64: %v", i, err), `leave "base64" out, or encode each text`)
			return false
		}
		q.Texts[i] = string(data)
	}
	return true
}

func (a *api) one(ctx context.Context, s *signer, scope uint64, text string, q *question) (shape.Result, error) {
	if p := a.inForce(); s.Signer == nil || s.by != p.Duplicates {
		made, err := index.NewSigner(*p)
		if err != nil {
			return shape.Result{}, err
		}
		s.Signer, s.by = made, p.Duplicates
	}
	switch a.reader.Refuses(q.Topic, text) { //nolint:exhaustive // a text is refused for no other reason
	case sink.TooLarge:
		return shape.Result{}, errTooLarge
	case sink.InvalidEncoding:
		return shape.Result{}, errNotUTF8
	}
	s.Reset()
	e := entry.Entry{Scope: scope}
	if !s.Sign(&e, []byte(text)) {
		return shape.Result{}, errTooLarge
	}
	got, err := a.Service.Lookup(ctx, &e, q.Most)
	if err != nil {
		return shape.Result{}, err
	}
	f := shape.Result{
		Duplicate: len(got.Hits) > 0, Empty: e.Empty(), Matches: make([]shape.Hit, len(got.Hits)),
		Nearest: newNearest(got.Nearest, got.Least), Compared: got.Compared, Cut: got.Cut, Bands: got.Bands,
		Threshold: float64(got.Least.Num) / float64(got.Least.Den),
	}
	for i := range got.Hits {
		f.Matches[i], _ = newHit(&got.Hits[i], got.Least)
	}
	return f, nil
}

// errTooLarge is the answer to a text that would be rejected as a document, too.
var errTooLarge = errors.New("a text is larger than advanced.max_document_bytes")

// errNotUTF8 is the answer to a text that would be rejected for it as a document.
var errNotUTF8 = errors.New("a text is not UTF-8, and sources.reject has invalid_encoding")

// refuse says why a lookup has no answer.
func (a *api) refuse(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, member.ErrBusy), errors.Is(err, context.DeadlineExceeded):
		busy(w)
	case errors.Is(err, member.ErrTooMuch):
		fail(w, http.StatusTooManyRequests, err.Error(), "ask for the text without what many documents have in common")
	case errors.Is(err, member.ErrNoReplica):
		w.Header().Set("Retry-After", "5")
		fail(w, http.StatusServiceUnavailable, "this member is not ready for lookups yet: "+a.Why(a.Service.Stats()),
			"ask again later, or ask another member")
	case errors.Is(err, errTooLarge):
		fail(w, http.StatusRequestEntityTooLarge, err.Error(), "send a shorter text")
	case errors.Is(err, errNotUTF8):
		fail(w, http.StatusBadRequest, err.Error(), "convert it to UTF-8")
	case errors.Is(err, context.Canceled): // the client is gone
	default:
		a.Logger.Error().Err(err).Msg("a lookup failed")
		fail(w, http.StatusInternalServerError, "the lookup failed", "the log of this member says why")
	}
}

func busy(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	fail(w, http.StatusTooManyRequests, "too many lookups at a time", "ask again in a second, or ask another member")
}
