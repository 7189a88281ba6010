package api

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/consumer/gateway"
)

// Gateway takes documents.
type Gateway interface {
	Send(ctx context.Context, docs []gateway.Document, wait time.Duration) []gateway.Answer
	NotForwarding() gateway.NotForwarding
	Answered(what gateway.Outcome)
}

// Bounds of requests with documents. With the time that producing takes a request lasts less than one may.
const (
	maxDocuments   = 1000
	maxSending     = 1000 // requests at a time
	maxIdempotency = 200  // bytes of a key; the number of a document follows
	maxRecordKey   = 1 << 10
	defaultWait    = 5 * time.Second
	maxWait        = 15 * time.Second
	sendTimeout    = 25 * time.Second // reading, producing and waiting: the server gives an answer 30 s
)

// headerIdempotency is that of draft-ietf-httpapi-idempotency-key-header.
const headerIdempotency = "Idempotency-Key"

func (l Limits) documents() *rate.Limiter {
	return rate.NewLimiter(rate.Limit(l.DocumentsPerS), max(l.DocumentsPerS, maxDocuments))
}

// sendOrder is what a request with documents asks for beside its body.
type sendOrder struct {
	topic string
	key   []byte
	idem  string
	wait  time.Duration // 0: not
}

// coded tells the code of its answer, before the client hears of it.
type coded struct {
	http.ResponseWriter
	tell func(code int)
}

// WriteHeader implements http.ResponseWriter.
func (c *coded) WriteHeader(code int) {
	c.tell(code)
	c.ResponseWriter.WriteHeader(code)
}

// outcome is what an answer means for who counts them.
func outcome(code int, waited bool) gateway.Outcome {
	switch code {
	case http.StatusOK:
		return gateway.Answered
	case http.StatusAccepted:
		if waited {
			return gateway.Pending
		}
		return gateway.Taken
	case http.StatusTooManyRequests:
		return gateway.Busy
	case http.StatusServiceUnavailable:
		return gateway.Away
	case http.StatusBadGateway:
		return gateway.Failed
	}
	return gateway.Refused
}

// counted counts what requests with documents are answered, also those that are wrong.
func (a *api) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.Gateway != nil {
			waits := r.URL.Query().Get("wait") != ""
			w = &coded{w, func(code int) { a.Gateway.Answered(outcome(code, waits)) }}
		}
		next.ServeHTTP(w, r)
	})
}

// send answers POST /api/v1/documents. It writes to the source, so to reach a loopback address is not enough for it.
func (a *api) send(w http.ResponseWriter, r *http.Request) {
	if a.Gateway == nil {
		fail(w, http.StatusForbidden, "this member accepts no documents", "set http.ingest.enabled: true, or ask another member")
		return
	}
	if a.Access.Token == nil {
		fail(w, http.StatusForbidden, "documents are accepted only from callers with a token, and this member has no token",
			"set http.token, or http.token_file")
		return
	}
	o, what, remedy := a.sendOrder(r)
	if what != "" {
		fail(w, http.StatusBadRequest, what, remedy)
		return
	}
	if what, remedy := a.conflict(&o); what != "" {
		fail(w, http.StatusConflict, what, remedy)
		return
	}
	if !a.sending.TryAcquire(1) {
		crowded(w, fmt.Errorf("%d requests with documents are open", maxSending))
		return
	}
	defer a.sending.Release(1)
	values, ok := a.readDocuments(w, r, o.topic)
	if !ok || !allows(w, a.documents, len(values), "documents", "http.ingest.rate") {
		return
	}
	docs := make([]gateway.Document, len(values))
	for i, value := range values {
		docs[i] = gateway.Document{Topic: o.topic, Key: o.key, Value: value}
		if o.idem != "" {
			docs[i].IdempotencyKey = fmt.Sprintf("%s/%d", o.idem, i)
		}
	}
	a.answerSent(w, &o, a.toGateway(r.Context(), docs, o.wait))
}

// conflict says why the group cannot do what is asked for, as it is at work now.
//
// A document that nobody would ever forward is not taken at all. The source of a group that fills its window is read by
// the group before it, so that a document without a question may go to a member of either.
func (a *api) conflict(o *sendOrder) (what, remedy string) {
	switch is := a.Gateway.NotForwarding(); {
	case is.DryRun:
		return "this group is a dry run: it would not forward the documents",
			"send them to a member of a group that forwards, or end the dry run: unecho routing apply, and members without --dry-run"
	case o.idem == "":
		return "", ""
	case is.Other != "":
		return fmt.Sprintf("this group forwards nothing and returns no verdicts: group %s forwards the documents", is.Other),
			"ask a member of group " + is.Other + ", or send neither " + headerIdempotency + " nor wait"
	case a.inForce().Duplicates.Remember.Keys == 0:
		return "the group remembers no idempotency keys, which verdicts need",
			"put duplicates.remember.keys in force (unecho settings apply), or send neither " + headerIdempotency + " nor wait"
	}
	return "", ""
}

// toGateway sends documents. At the end of the process nobody waits any more: who did is told so, and may ask another
// member.
func (a *api) toGateway(ctx context.Context, docs []gateway.Document, wait time.Duration) []gateway.Answer {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	var beside sync.WaitGroup
	beside.Go(func() {
		defer cancel()
		select {
		case <-a.ended:
		case <-ctx.Done():
		}
	})
	defer beside.Wait()
	defer cancel()
	return a.Gateway.Send(ctx, docs, wait)
}

// sendOrder reads what a request asks for, or says what is wrong with it.
func (a *api) sendOrder(r *http.Request) (o sendOrder, what, remedy string) {
	q := r.URL.Query()
	o.topic, o.idem = q.Get("topic"), r.Header.Get(headerIdempotency)
	if o.topic == "" && len(a.Topics) > 0 {
		o.topic = a.Topics[0]
	}
	if key := q.Get("key"); key != "" {
		o.key = []byte(key)
	}
	if len(o.idem) > 1 && o.idem[0] == '"' && strings.HasSuffix(o.idem, `"`) {
		o.idem = o.idem[1 : len(o.idem)-1] // a string of RFC 8941
	}
	switch {
	case len(a.Topics) == 0:
		return o, "the group names no source topic, and the API sends no documents to topics of sources.pattern",
			"name topics in sources.topics, beside the pattern"
	case !slices.Contains(a.Topics, o.topic):
		return o, fmt.Sprintf("%q is not a source topic of the group", o.topic), "name one of " + strings.Join(a.Topics, ", ")
	case len(o.key) > maxRecordKey:
		return o, fmt.Sprintf("key has more than %d bytes", maxRecordKey), "send a shorter one"
	case len(r.Header.Values(headerIdempotency)) > 1 || len(o.idem) > maxIdempotency ||
		strings.ContainsFunc(o.idem, func(c rune) bool { return c <= ' ' || c > '~' || c == '"' || c == '\\' }) ||
		o.idem == "" && len(r.Header.Values(headerIdempotency)) > 0:
		return o, headerIdempotency + " cannot be read",
			fmt.Sprintf("send one of 1 to %d letters, digits and signs, such as a UUID", maxIdempotency)
	case q.Get("wait") != "" && q.Get("wait") != "verdict":
		return o, "wait has a value other than verdict", "write wait=verdict, or leave it out"
	case q.Get("wait") == "":
		return o, "", ""
	}
	o.wait = defaultWait
	if text := q.Get("timeout"); text != "" {
		var err error
		if o.wait, err = time.ParseDuration(text); err != nil || o.wait <= 0 || o.wait > maxWait {
			return o, "timeout is not a duration of up to " + maxWait.String(), "write for example timeout=5s"
		}
	}
	if o.idem == "" {
		o.idem = rand.Text()
	}
	return o, "", ""
}

type sentDocument struct {
	Topic     string       `json:"topic"`
	Partition *int32       `json:"partition,omitempty"`
	Offset    *int64       `json:"offset,omitempty"`
	Repeated  bool         `json:"repeated,omitempty"`
	Verdict   string       `json:"verdict,omitempty"`
	Reemitted bool         `json:"reemitted,omitempty"`
	Match     *shape.Match `json:"match,omitempty"`
	Reason    string       `json:"reason,omitempty"`
	Detail    string       `json:"detail,omitempty"`
	Error     string       `json:"error,omitempty"`
}

type sentDocuments struct {
	Error     string         `json:"error,omitempty"`
	Remedy    string         `json:"remedy,omitempty"`
	Documents []sentDocument `json:"documents"`
}

func newSentDocument(of *gateway.Answer) sentDocument {
	d := sentDocument{Topic: of.Topic, Repeated: of.Repeated, Verdict: of.Verdict, Reemitted: of.Reemitted}
	if of.Offset >= 0 && of.Err == nil {
		d.Partition, d.Offset = &of.Partition, &of.Offset
	}
	if of.Match != nil {
		m := newMatch(of.Match)
		d.Match = &m
	}
	d.Reason = string(of.Unchecked)
	if of.Rejection != nil {
		d.Reason, d.Detail = string(of.Rejection.Reason), of.Rejection.Detail
	}
	if of.Err != nil {
		d.Error = reasonOf(of.Err).Error()
	}
	return d
}

func (a *api) answerSent(w http.ResponseWriter, o *sendOrder, answers []gateway.Answer) {
	code, told := http.StatusAccepted, sentDocuments{Documents: make([]sentDocument, len(answers))}
	if o.wait > 0 {
		code = http.StatusOK
	}
	var first error
	for i := range answers {
		told.Documents[i] = newSentDocument(&answers[i])
		if answers[i].Verdict == "" {
			code = http.StatusAccepted
		}
		if err := answers[i].Err; err != nil && first == nil {
			first = err
		}
	}
	if o.idem != "" {
		w.Header().Set(headerIdempotency, o.idem)
	}
	if first != nil {
		a.untaken.Warn().Err(first).Msg("documents of the API are not accepted")
		code = codeOf(first)
		told.Error = reasonOf(first).Error()
		told.Remedy = "send all of it again with the same " + headerIdempotency + ": documents that were accepted are not accepted twice"
		if o.idem == "" {
			told.Remedy = "send those again that have an error; with the header " + headerIdempotency +
				" nothing is judged twice"
		}
	}
	if code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable || code == http.StatusAccepted && o.wait > 0 {
		w.Header().Set("Retry-After", "1")
	}
	answer(w, code, told)
}

// reasonOf is what a client is told of an error: not what the broker says, which may name hosts.
func reasonOf(err error) error {
	for _, reason := range []error{
		gateway.ErrBusy, gateway.ErrAway, gateway.ErrTooLarge, gateway.ErrRefused, gateway.ErrUnread,
	} {
		if errors.Is(err, reason) {
			return reason
		}
	}
	return gateway.ErrRefused
}

func codeOf(err error) int {
	switch {
	case errors.Is(err, gateway.ErrBusy):
		return http.StatusTooManyRequests
	case errors.Is(err, gateway.ErrTooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, gateway.ErrAway), errors.Is(err, gateway.ErrUnread):
		return http.StatusServiceUnavailable
	}
	return http.StatusBadGateway
}
