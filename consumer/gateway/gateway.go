// Package gateway takes documents for a source topic from clients that know no Kafka, and tells them the verdicts.
//
//	Send ──▶ known? ──▶ produce ──▶ wait: the replica has judged the request, and the group has committed it
//	            │                                                                  ▲
//	            └────────────── the request came before: nothing is produced ──────┘
//
// A document that has an idempotency key is a request (design 4, rule 19). All that the gateway knows of it, it asks of
// this member's replica, and each member's replica knows the same. So a client may repeat a request to any member, and
// a gateway remembers nothing itself.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/signing"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// Group is what the gateway asks of the member that it is part of.
type Group interface {
	// Answered returns what the replica knows of requests, by their order, and the journal offset that it applies next. A
	// request that it does not know is the zero Answered.
	Answered(of []entry.Request) (known []index.Answered, next int64, err error)
	// Committed returns what the group has committed.
	Committed(ctx context.Context) (Commits, error)
	// NotForwarding says why the group forwards nothing, as far as this member knows.
	NotForwarding() NotForwarding
	// JournalEnd returns the offset behind the last record of the journal.
	JournalEnd(ctx context.Context) (int64, error)
}

// NotForwarding says why a group forwards nothing. The zero value says that it forwards.
type NotForwarding struct {
	DryRun bool   // it only judges, and nothing of it would ever come out
	Other  string // the group that forwards the documents of the source instead
}

// Setup is what a gateway is made of.
type Setup struct {
	Kafka  []kgo.Opt // how the cluster is reached
	Reader *document.Reader
	Group  Group
	*Counters
}

// Gateway takes documents. It is safe for concurrent use.
type Gateway struct {
	Setup
	client  *kgo.Client
	commits commits
}

// Bounds of what is on its way to the broker.
const (
	mostRecords = 10_000
	mostBytes   = 64 << 20
)

// ProduceTimeout is how long the broker may take to acknowledge a document.
const ProduceTimeout = 10 * time.Second

// MaxBytes bounds a document: what a batch of one record takes by Kafka's default, without its key and headers.
const MaxBytes = 1_000_000 - 2<<10

// New opens a gateway, which connects when a document comes.
func New(setup Setup) (*Gateway, error) {
	client, err := kgo.NewClient(append(append([]kgo.Opt{}, setup.Kafka...),
		kgo.RequiredAcks(kgo.AllISRAcks()), kgo.MaxBufferedRecords(mostRecords), kgo.MaxBufferedBytes(mostBytes),
		kgo.RecordDeliveryTimeout(ProduceTimeout), kgo.ProducerLinger(0))...)
	if err != nil {
		return nil, fmt.Errorf("open gateway: %w", err)
	}
	setup.open.Store(true)
	return &Gateway{Setup: setup, client: client, commits: commits{ask: setup.Group.Committed}}, nil
}

// Close closes the gateway. Documents that nobody has an answer for may come to the source or not.
func (g *Gateway) Close() { g.client.Close() }

// Document is what a client sends.
type Document struct {
	Topic          string
	Key            []byte // of the record; nil: none
	Value          []byte // must not be changed any more
	IdempotencyKey string // empty: none
}

// NotForwarding says why the documents that are sent are not forwarded by this group, which therefore tells no verdicts.
func (g *Gateway) NotForwarding() NotForwarding { return g.Group.NotForwarding() }

// Unchecked is the verdict about a document that goes to unique without being judged. The others are those of package sink.
const Unchecked = "unchecked"

// Unknown is the verdict about a document that the group is done with, and has no verdict that the replica knows.
const Unknown = "unknown"

// Answer is what is known of a document.
type Answer struct {
	// Topic, Partition and Offset are the coordinates of the document that came first with its idempotency key.
	Topic     string
	Partition int32
	Offset    int64
	Repeated  bool // it came before

	Verdict   string       // empty: it is not committed yet
	Match     *index.Match // nil: it matched nothing
	Reemitted bool
	Rejection *document.Rejection // of a rejected one; nil: the reason is in the record in rejected
	Unchecked sink.UncheckedReason

	Err error // it was not taken
}

// sending is a document on its way.
type sending struct {
	Answer
	record  kgo.Record
	request entry.Request // zero: it has no idempotency key, or is not judged
	refused signing.Refused
	known   bool // it came before, and is not brought to the source
	done    bool
	end     int64 // of the journal, some time after the document was committed; 0: it is not, or nobody has asked yet
}

// Send takes documents, and returns an answer to each. It waits as long as it is told to, until all are
// committed.
func (g *Gateway) Send(ctx context.Context, docs []Document, wait time.Duration) []Answer {
	began := time.Now()
	all := make([]sending, len(docs))
	for i := range docs {
		all[i].begin(&docs[i])
		all[i].Err = g.read(ctx, &all[i])
	}
	g.recognise(all)
	g.produce(ctx, all)
	if wait > 0 {
		g.await(ctx, all, wait)
	}
	g.sent(all, began, wait > 0)
	answers := make([]Answer, len(all))
	for i := range all {
		answers[i] = all[i].Answer
	}
	return answers
}

func (s *sending) begin(d *Document) {
	s.Topic, s.Offset = d.Topic, -1
	s.record = kgo.Record{Topic: d.Topic, Key: d.Key, Value: d.Value, Timestamp: time.Now()}
	if d.IdempotencyKey != "" {
		s.record.Headers = []kgo.RecordHeader{{Key: signing.HeaderIdempotencyKey, Value: []byte(d.IdempotencyKey)}}
	}
}

// read reads a document as the group does: for its request, or the reason why it has no verdict.
func (g *Gateway) read(ctx context.Context, s *sending) error {
	if len(s.record.Headers) == 0 {
		return nil // nobody asks
	}
	doc, refused, err := signing.Read(ctx, g.Reader, &s.record, nil)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnread, err)
	}
	if s.refused = refused; refused.Entry() && doc.Empty {
		s.refused.Rejection = g.Reader.EmptyRejection(s.record.Topic)
	}
	if s.refused.Entry() {
		s.request = signing.RequestOf(g.Reader, &s.record, &doc)
	}
	return nil
}

// recognise finds the documents that came before. Where the replica does not answer nothing is recognised: what is
// produced once more is recognised in the journal.
func (g *Gateway) recognise(all []sending) {
	known, _, err := g.answered(all)
	if err != nil {
		return
	}
	for i := range all {
		if first := &known[i]; all[i].request != (entry.Request{}) && first.Request == all[i].request {
			s := &all[i]
			s.known = true
			s.Repeated, s.Topic, s.Partition, s.Offset = true, first.Topic, first.Source.Partition, first.Verdict.Offset
			s.judged(first, protocol.Committed{})
		}
	}
}

func (g *Gateway) answered(all []sending) (known []index.Answered, next int64, err error) {
	of := make([]entry.Request, len(all))
	for i := range all {
		of[i] = all[i].request
	}
	return g.Group.Answered(of)
}

// produced is what became of a record.
type produced struct {
	of        int
	partition int32
	offset    int64
	err       error
}

// produce brings to the source what did not come before.
func (g *Gateway) produce(ctx context.Context, all []sending) {
	ctx, cancel := context.WithTimeout(ctx, ProduceTimeout)
	defer cancel()
	results, open := make(chan produced, len(all)), 0 // a record may be answered when nobody waits any more
	for i := range all {
		s := &all[i]
		if s.Err != nil || s.known { // it is there
			continue
		}
		open++
		record := s.record
		s.Err = ErrAway // until there is an answer
		g.client.TryProduce(ctx, &record, func(r *kgo.Record, err error) {
			results <- produced{i, r.Partition, r.Offset, err}
		})
	}
	for ; open > 0; open-- {
		select {
		case r := <-results:
			s := &all[r.of]
			s.Partition, s.Offset, s.Err = r.partition, r.offset, failed(r.err)
		case <-ctx.Done():
			return
		}
	}
}

// failed says why a record was not taken.
func failed(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, kgo.ErrMaxBuffered):
		return ErrBusy
	case errors.Is(err, kerr.MessageTooLarge):
		return ErrTooLarge
	case errors.As(err, new(*kerr.Error)) && !kerr.IsRetriable(err):
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return fmt.Errorf("%w: %w", ErrAway, err)
}

// verdictOf is the word for a verdict.
func verdictOf(v *index.Verdict) string {
	if v.Unique() {
		return sink.Unique
	}
	return sink.Duplicate
}

// Reasons why a document was not taken.
var (
	// ErrBusy says that too many documents are on their way to the broker. None of this one is.
	ErrBusy = errors.New("too many documents are on their way to the broker")
	// ErrAway says that the broker has not acknowledged the document. It may be in the source, or come there.
	ErrAway = errors.New("the broker has not acknowledged the document in time: it may be in the source or not")
	// ErrTooLarge says that the broker takes no document of this size.
	ErrTooLarge = errors.New("the document is larger than what the broker takes")
	// ErrRefused says that the broker refuses the document for another reason.
	ErrRefused = errors.New("the broker refuses the document")
	// ErrUnread says that what the document is read with does not answer: a registry of schemas.
	ErrUnread = errors.New("the document cannot be read now")
)
