package backfill

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

// Document is one of a file.
type Document struct {
	Place string // the file and the record in it, for people
	Value []byte
	Time  time.Time // zero if it has none
}

// Headers of a record in the topic of files. The position is how many documents stand before it; outputs leave it
// out, as all headers that begin with unecho-.
const (
	HeaderFile     = "file"
	headerPosition = sink.Prefix + "position"
)

// A transaction of the loader has up to so many documents, or bytes. So much is sent again after a kill.
const (
	loadDocuments = 10_000
	loadBytes     = 16 << 20
)

// Loader writes the documents of files to the topic that a job replays, each once and in their order, whatever is
// killed meanwhile: documents and their positions are committed together, and a Loader begins behind the last one
// that is committed. Another Loader of the same job ends this one.
type Loader struct {
	client     *kgo.Client
	name       string // of the job
	topic      string
	partitions int64
	maxBytes   int
	now        time.Time
	untimed    time.Time // of documents without a time

	Loaded int64 // documents that are committed
	last   *topic.Record

	next      int64 // position of the next document that is added
	documents int
	bytes     int
	sent      *kgo.FirstErrPromise // of the transaction that is open; nil: none is
}

// LoadParams say how documents are written.
type LoadParams struct {
	Kafka topic.Options
	Name  string // by which the documents are removed: unecho backfill remove NAME
	Topic string // where they go
	// UntimedAreNow has documents without a time be as young as the load. Else such a document stands where the one
	// before it does.
	UntimedAreNow bool

	// Partitions of the topic, among which documents are dealt in turn; 0: one, so that the order of the files is that of
	// the offsets, or as many as a topic has that is there already.
	Partitions int
	// Ordered says that the order of the files decides what is judged first, so that there may be one partition only.
	Ordered           bool
	ReplicationFactor int // of the topic; 0 or less: the broker's default
	MaxRecordBytes    int
	Logger            zerolog.Logger
}

// NewLoader makes the topic, unless it is there, and finds out what is in it.
func NewLoader(ctx context.Context, p LoadParams) (l *Loader, err error) {
	name := p.Topic
	client, err := kgo.NewClient(append(append([]kgo.Opt{}, p.Kafka...),
		kgo.TransactionalID(name), kgo.DefaultProduceTopic(name), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchMaxBytes(int32(min(p.MaxRecordBytes, 64<<20))), // bounded
		kgo.UnknownTopicRetries(20))...)
	if err != nil {
		return nil, fmt.Errorf("open writer: %w", err)
	}
	defer func() {
		if err != nil {
			client.Close()
		}
	}()
	if err := broker.Ping(ctx, client); err != nil {
		return nil, err
	}
	made, err := broker.NewTopics(client, p.Logger).
		EnsureFiles(ctx, name, max(p.Partitions, 1), p.ReplicationFactor, p.MaxRecordBytes)
	if err != nil {
		return nil, err
	}
	if p.Partitions > 0 && p.Partitions != made.Partitions {
		return nil, &stop.Error{
			What: fmt.Sprintf("topic %s has %d partitions, not %d as --partitions says", name, made.Partitions, p.Partitions),
			Remedy: fmt.Sprintf("leave --partitions out to go on; or remove the backfill and begin it again: unecho backfill remove %s",
				p.Name),
		}
	}
	if p.Ordered && made.Partitions > 1 {
		return nil, &stop.Error{
			What: fmt.Sprintf("topic %s has %d partitions, and the order of the files holds in one partition only", name,
				made.Partitions),
			Remedy: fmt.Sprintf("go on with --order arrival, or with --time FIELD, as the first start did; or remove the backfill and "+
				"begin it again: unecho backfill remove %s", p.Name),
		}
	}
	// This ends the transaction of a process that was killed, and all that another one does later.
	if _, _, err := client.ProducerID(ctx); err != nil {
		return nil, fmt.Errorf("write to %s: %w", name, err)
	}
	l = &Loader{
		client: client, name: p.Name, topic: name, partitions: int64(made.Partitions), maxBytes: p.MaxRecordBytes,
		now:     time.Now(),
		untimed: time.UnixMilli(-1),
	}
	if p.UntimedAreNow {
		l.untimed = l.now
	}
	for partition := range l.partitions {
		if err := l.resume(ctx, p.Kafka, int32(partition)); err != nil { // a number of a partition
			return nil, err
		}
	}
	return l, nil
}

// resume takes the last record of a partition for the last document, if it is the last so far: the documents of a
// transaction are committed in all partitions or in none.
func (l *Loader) resume(ctx context.Context, kafka topic.Options, partition int32) error {
	last, err := lastRecord(ctx, kafka, l.topic, partition)
	if err != nil || last == nil {
		return err
	}
	position, err := strconv.ParseInt(last.Header(headerPosition), 10, 64)
	if err != nil {
		return &stop.Error{
			What:   fmt.Sprintf("topic %s holds records that no backfill wrote", l.topic),
			Remedy: "remove the backfill and begin it again: unecho backfill remove " + l.name,
		}
	}
	if position >= l.Loaded {
		l.last, l.Loaded = last, position+1
	}
	return nil
}

// lastRecord returns the last committed record of a partition, or nil if there is none.
func lastRecord(ctx context.Context, opts topic.Options, name string, partition int32) (last *topic.Record, err error) {
	from, to, err := topic.Extent(ctx, opts, name, partition)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	for n := int64(16); ; n *= 8 { // behind it may be the ends of transactions, and what was aborted
		begin := max(from, to-n)
		err := topic.ReadPart(ctx, opts, name, partition, begin, to, func(r *topic.Record) error {
			last = r
			return nil
		})
		if err != nil || last != nil || begin == from {
			return last, err
		}
	}
}

// Add adds the next document of the files. Those that are in the topic already are passed over; the last of them must
// be the same. The value is copied.
func (l *Loader) Add(ctx context.Context, d *Document) error {
	at := l.next
	l.next++
	switch {
	case at < l.Loaded-1:
		return nil
	case at == l.Loaded-1:
		return l.same(d)
	case len(d.Value) > l.maxBytes-recordOverhead-len(d.Place):
		return &stop.Error{
			What:   fmt.Sprintf("%s is larger than a record of topic %s may be: %d bytes", d.Place, l.topic, len(d.Value)),
			Remedy: "take it out of the file, or raise advanced.max_document_bytes and, if the topic is there, its max.message.bytes",
		}
	}
	if l.sent == nil {
		if err := l.client.BeginTransaction(); err != nil {
			return l.failed(err)
		}
		l.sent = kgo.AbortingFirstErrPromise(l.client)
	}
	l.client.Produce(ctx, l.record(d, at), l.sent.Promise())
	l.documents++
	if l.bytes += len(d.Value); l.documents >= loadDocuments || l.bytes >= loadBytes {
		return l.commit(ctx)
	}
	return nil
}

// recordOverhead is an upper bound of what a record and its batch take beside value and place.
const recordOverhead = 256

// record is a document in the topic. The timestamp -1 is that of a document without a time, or of a time to come, that
// stands where the one before it does.
func (l *Loader) record(d *Document, at int64) *kgo.Record {
	r := &kgo.Record{
		Partition: int32(at % l.partitions), // a number of a partition
		Timestamp: l.untimed, Value: bytes.Clone(d.Value), Headers: []kgo.RecordHeader{
			{Key: HeaderFile, Value: []byte(d.Place)}, {Key: headerPosition, Value: strconv.AppendInt(nil, at, 10)},
		},
	}
	if d.Time.UnixMilli() > 0 && !d.Time.After(l.now) {
		r.Timestamp = d.Time
	}
	return r
}

func (l *Loader) same(d *Document) error {
	if !bytes.Equal(d.Value, l.last.Value) || d.Place != l.last.Header(HeaderFile) {
		return l.others(d.Place)
	}
	if was := l.last.Time.UnixMilli(); d.Time.UnixMilli() > 0 && was > 0 && d.Time.UnixMilli() != was {
		return l.others(d.Place + " of another time (--time)")
	}
	return nil
}

func (l *Loader) others(here string) error {
	return &stop.Error{
		What: fmt.Sprintf("these are not the files that the backfill began with: document %d is %s, and was %s", l.Loaded,
			here, l.last.Header(HeaderFile)),
		Remedy: "give it the same files in the same order and as they were; or remove the backfill and begin it again: " +
			"unecho backfill remove " + l.name,
	}
}

func (l *Loader) commit(ctx context.Context) error {
	if l.sent == nil {
		return nil
	}
	if err := l.client.Flush(ctx); err != nil {
		return l.failed(err)
	}
	if err := l.sent.Err(); err != nil {
		return l.failed(err)
	}
	if err := l.client.EndTransaction(ctx, kgo.TryCommit); err != nil {
		return l.failed(err)
	}
	l.Loaded, l.sent, l.documents, l.bytes = l.next, nil, 0, 0
	return nil
}

func (l *Loader) failed(err error) error {
	if errors.Is(err, kerr.ProducerFenced) || errors.Is(err, kerr.InvalidProducerEpoch) {
		return &stop.Error{
			What: "another process loads the files of this backfill", Err: err,
			Remedy: "let that one do it, and start this one again when it has",
		}
	}
	return fmt.Errorf("write to %s: %w", l.topic, err)
}

// Finish commits what was added. All documents of the files were.
func (l *Loader) Finish(ctx context.Context) error {
	if l.next < l.Loaded {
		return l.others("missing")
	}
	if err := l.commit(ctx); err != nil {
		return err
	}
	// A range that is fixed before that would end too early.
	_, err := broker.AwaitCommitted(ctx, kadm.NewClient(l.client), l.topic)
	return err
}

// Close leaves out what is not committed.
func (l *Loader) Close(ctx context.Context) error {
	defer l.client.Close()
	if l.sent == nil {
		return nil
	}
	if err := l.client.AbortBufferedRecords(ctx); err != nil {
		return fmt.Errorf("leave out what is not committed: %w", err)
	}
	if err := l.client.EndTransaction(ctx, kgo.TryAbort); err != nil {
		return l.failed(err)
	}
	return nil
}
