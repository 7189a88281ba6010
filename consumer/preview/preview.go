// Package preview says what a configuration makes of the newest documents of a source, before any of them is forwarded. It reads
// and signs some of them as a session does, by signing.Worker, and keeps counts, coordinates, names of fields, and of one document what a condition is not met by. It keeps no
// text, forwards and remembers nothing, joins no group and commits no offset.
package preview

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/semaphore"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/signing"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// Setup is what a service reads and signs by.
type Setup struct {
	Reader        *document.Reader
	Index         index.Params
	Encoder       *sink.Encoder
	MaxEntryBytes int
	MaxBatchBytes int
}

// documents is how many of a topic are looked at: enough to show what all of them have in common.
const documents = 20

// First is how many documents of a source are looked at where the first ones leave open whether it is read as it is meant.
const First = 1000

// Topics is of how many topics a preview is made: a pattern may bring thousands.
const Topics = 20

// heldBatches is how many of the largest batches are unpacked of a topic. What there is no room for is left out: texts of one
// letter take a thousandth of their size until they are unpacked.
const heldBatches = 4

// Preview is what becomes of the newest documents of a topic.
type Preview struct {
	Topic     string
	Read      int
	Judged    Outcome
	Unchecked Outcome
	Rejected  []Rejected // by reason, the most frequent first

	// Of those that are judged.
	Shortest, Longest int // characters of their texts
	Blank             int // how many have no text
	IDs, Scopes       int // how many different ones they have
	Missing           []Count

	key     string   // of the source that reads the topic
	names   []string // of the documents' own fields, in order
	texts   []string // what is looked up in them
	others  []document.Lookup
	objects int    // how many are JSON objects that are read as raw text, though no setting says so
	unmet   string // the condition that one does not meet
}

// Outcome is of the documents of which the same becomes.
type Outcome struct {
	Count   int
	Example string // coordinates of one
}

// Rejected are the documents of one reason. The detail is the example's.
type Rejected struct {
	Outcome
	Reason sink.Reason
	Detail string
}

// Count says how many documents lack a field of the text.
type Count struct {
	Field string
	Count int
}

// Of reads the newest documents of a topic, and more of them where those meet no condition. An error says that they cannot be
// read now, and nothing of them.
func (s *Setup) Of(ctx context.Context, topics *broker.Topics, topic string) (*Preview, error) {
	p, err := s.newest(ctx, topics, topic, documents)
	if err != nil || p.Read == 0 || p.Unchecked.Count < p.Read {
		return p, err
	}
	return s.newest(ctx, topics, topic, First)
}

func (s *Setup) newest(ctx context.Context, topics *broker.Topics, topic string, most int) (*Preview, error) {
	u := unpack.New(unpack.Limits{Batch: s.MaxBatchBytes, Held: heldBatches * s.MaxBatchBytes})
	records, err := topics.Newest(ctx, u, topic, most)
	if err != nil {
		return nil, err
	}
	return s.of(ctx, u, topic, records)
}

// OfRecord says what becomes of one document.
func (s *Setup) OfRecord(ctx context.Context, r *kgo.Record) (*Preview, error) {
	return s.of(ctx, unpack.New(unpack.Limits{Batch: s.MaxBatchBytes}), r.Topic, []*kgo.Record{r})
}

func (s *Setup) signing() *signing.Setup {
	return &signing.Setup{
		Index: s.Index, Reader: s.Reader, Encoder: s.Encoder, MaxEntryBytes: s.MaxEntryBytes,
		Large:    semaphore.NewWeighted(signing.LargeAtOnce),
		Untimely: func(*kgo.Record) (string, bool) { return "", false }, // the outputs are looked at by themselves
	}
}

func (s *Setup) of(ctx context.Context, u *unpack.Unpacker, topic string, records []*kgo.Record) (*Preview, error) {
	workers, err := signing.NewWorkers(s.signing(), u)
	if err != nil {
		return nil, err
	}
	p := &Preview{Topic: topic, Read: len(records)}
	p.key = s.Reader.Key(topic)
	p.texts, p.others = s.Reader.Paths(topic)
	ids, scopes := map[string]bool{}, map[uint64]bool{}
	err = workers.Each(ctx, 1, func(ctx context.Context, w *signing.Worker, _ int) error {
		for _, r := range records {
			var e entry.Entry
			refused, err := w.Sign(ctx, r, &e)
			if err != nil {
				return err
			}
			doc, _, err := s.Reader.Read(ctx, p.input(s.Reader, r), nil)
			if err != nil {
				return err
			}
			at := fmt.Sprintf("%s/%d/%d", r.Topic, r.Partition, r.Offset)
			switch {
			case refused.Rejection != nil:
				p.reject(refused.Rejection, at)
			case refused.Unchecked != "":
				p.Unchecked.add(at)
			default:
				p.judge(&doc, at)
				ids[string(doc.ID)], scopes[doc.Scope] = true, true
			}
		}
		return nil
	})
	delete(ids, "")
	delete(scopes, 0)
	p.IDs, p.Scopes = len(ids), len(scopes)
	slices.Sort(p.names)
	p.names = slices.Compact(p.names)
	slices.SortStableFunc(p.Rejected, func(a, b Rejected) int { return cmp.Compare(b.Count, a.Count) })
	return p, err
}

// input is a record for the reader. The names of its fields are noted.
func (p *Preview) input(reader *document.Reader, r *kgo.Record) document.Input {
	in := document.Input{
		Key: r.Key, Value: r.Value, Headers: r.Headers, Topic: r.Topic, Partition: r.Partition, Names: &p.names, Unmet: &p.unmet,
	}
	var object map[string]json.RawMessage
	if reader.Overlooked(r.Topic, r.Value) && json.Unmarshal(r.Value, &object) == nil {
		p.objects++
		for name := range object {
			p.names = append(p.names, name)
		}
	}
	return in
}

func (o *Outcome) add(at string) {
	if o.Count++; o.Example == "" {
		o.Example = at
	}
}

func (p *Preview) reject(bad *document.Rejection, at string) {
	i := slices.IndexFunc(p.Rejected, func(r Rejected) bool { return r.Reason == bad.Reason })
	if i < 0 {
		i = len(p.Rejected)
		p.Rejected = append(p.Rejected, Rejected{Reason: bad.Reason, Detail: bad.Detail})
	}
	p.Rejected[i].add(at)
}

func (p *Preview) judge(doc *document.Document, at string) {
	long := utf8.RuneCount(doc.Text)
	if p.Judged.Count == 0 || long < p.Shortest {
		p.Shortest = long
	}
	p.Longest = max(p.Longest, long)
	if p.Judged.add(at); doc.Empty {
		p.Blank++
	}
	for i, field := range p.texts {
		if doc.Missing>>i&1 == 0 {
			continue
		}
		at := slices.IndexFunc(p.Missing, func(c Count) bool { return c.Field == field })
		if at < 0 {
			at = len(p.Missing)
			p.Missing = append(p.Missing, Count{Field: field})
		}
		p.Missing[at].Count++
	}
}

// rejected is how many are rejected, whatever the reason.
func (p *Preview) rejected() (n int) {
	for _, r := range p.Rejected {
		n += r.Count
	}
	return n
}
