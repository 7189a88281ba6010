package session

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// item is one polled record on its way.
type item struct {
	record    *kgo.Record
	rejection *document.Rejection // found before signing; a held verdict outranks it
	withheld  *unpack.Sizes       // of what did not come with it; never forwarded but as rejected
	protocol.Document
}

// group is the part of a batch that comes from one source partition, ascending by offset.
type group struct {
	protocol.Group
	begins int64 // the partition's first offset when this was fetched; -1: the broker does not say
	items  []item
}

// batch is what one poll gave and one transaction forwards.
type batch struct {
	*protocol.Batch
	groups []group
	begun  time.Time // its transaction; zero: it has none
	cause  error     // the first refusal of an output
	why    error     // the session is built anew, where the batch wants that
}

// documents are what the protocol sees of items.
func documents(items []item) iter.Seq[*protocol.Document] {
	return func(yield func(*protocol.Document) bool) {
		for i := range items {
			if !yield(&items[i].Document) {
				return
			}
		}
	}
}

// newBatch sorts the polled records by partition. A record of a partition that was taken away meanwhile is a reason to
// abort: ok is false.
func (s *Session) newBatch(fetches kgo.Fetches) (b *batch, ok bool) {
	reach := s.reaches()
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok = &batch{}, true
	var groups []protocol.Group
	items := s.reuseItems(fetches.NumRecords())[:0]
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		if len(p.Records) == 0 {
			return
		}
		a := s.assigned[key{p.Topic, p.Partition}]
		if a == nil {
			ok = false
			return
		}
		from := len(items)
		g := group{begins: p.LogStartOffset}
		for _, r := range p.Records {
			if !g.Polled(r.Offset, reach(a)) {
				break
			}
			if !r.Attrs.IsControl() {
				items = items[:len(items)+1]
				items[len(items)-1].record = r
			}
		}
		g.items = items[from:len(items):len(items)]
		g.Assignment, g.Documents = a, documents(g.items)
		b.groups, groups = append(b.groups, g), append(groups, g.Group)
	})
	b.Batch = protocol.NewBatch(groups, len(items), s.intake)
	return b, ok
}

// overtaken returns a group whose partition lost what was to be read before it, if there is one.
func (b *batch) overtaken() *group {
	for i := range b.groups {
		if g := &b.groups[i]; g.begins > g.Base {
			return g
		}
	}
	return nil
}

// reuseItems returns n items in the memory of those of the batch before.
func (s *Session) reuseItems(n int) []item {
	clear(s.items)
	if cap(s.items) < n {
		s.items = make([]item, n)
	}
	s.items = s.items[:n]
	return s.items
}

// signChunk is how many documents a worker takes at a time: enough to forget the cost of taking, few enough to share fairly.
const signChunk = 32

// sign decodes and signs all documents of the batch on all cores.
func (s *Session) sign(ctx context.Context, b *batch) error {
	var chunks [][]item
	for i := range b.groups {
		for items := b.groups[i].items; len(items) > 0; {
			n := min(signChunk, len(items))
			chunks = append(chunks, items[:n])
			items = items[n:]
		}
	}
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for _, w := range s.workers[:min(len(s.workers), len(chunks))] {
		w.rest()
		group.Go(func() error {
			for {
				n := int(next.Add(1)) - 1
				if n >= len(chunks) {
					return nil
				}
				for i := range chunks[n] {
					if chunks[n][i].Judged {
						continue
					}
					if err := w.sign(ctx, &chunks[n][i]); err != nil {
						return err
					}
				}
			}
		})
	}
	return group.Wait()
}

// worker is what one signing goroutine needs; the entries of a batch live in its memory until the next batch is signed.
type worker struct {
	*Setup
	unpacker *unpack.Unpacker // of the session's clients: any of theirs
	signer   *index.Signer
	buffer   []byte
	headers  []document.Header
	ids      []byte
}

// keptBuffer is the largest buffer for rewritten documents that a worker keeps.
const keptBuffer = index.LargeDocument

// rest lets go of the entries, and of memory that only few documents need.
func (w *worker) rest() {
	w.signer.Reset()
	clear(w.headers[:cap(w.headers)])
	if w.ids = w.ids[:0]; cap(w.buffer) > keptBuffer {
		w.buffer = nil
	}
}

func newWorkers(setup *Setup, u *unpack.Unpacker) ([]*worker, error) {
	workers := make([]*worker, runtime.GOMAXPROCS(0))
	for i := range workers {
		signer, err := index.NewSigner(setup.Agreed.Index)
		if err != nil {
			return nil, err
		}
		workers[i] = &worker{Setup: setup, signer: signer, unpacker: u}
	}
	return workers, nil
}

// sign signs a document that can be judged, or finds the reason why it cannot be.
func (w *worker) sign(ctx context.Context, it *item) (err error) {
	it.Entry = entry.Entry{Offset: it.record.Offset, Time: it.record.Timestamp.UnixMilli()}
	if sizes, ok := w.unpacker.Withheld(it.record); ok {
		it.withheld, it.Withheld, it.rejection = &sizes, true, tooLargeBatch()
	} else if it.rejection, err = w.reject(ctx, it); err != nil {
		return err
	}
	it.Rejected = it.rejection != nil
	return nil
}

func (w *worker) reject(ctx context.Context, it *item) (*document.Rejection, error) {
	r := it.record
	w.headers = w.headers[:0]
	for _, h := range r.Headers {
		w.headers = append(w.headers, document.Header(h))
	}
	doc, rejection, err := w.Reader.Read(ctx, document.Input{
		Key: r.Key, Value: r.Value, Headers: w.headers, Partition: r.Partition,
	}, w.buffer)
	if err != nil {
		return nil, fmt.Errorf("read %s/%d/%d: %w", r.Topic, r.Partition, r.Offset, err)
	}
	if rejection != nil {
		return rejection, nil
	}
	w.buffer = doc.Buffer
	return w.refuse(it, &doc), nil
}

// refuse signs a document, or says why it cannot be judged or forwarded.
func (w *worker) refuse(it *item, doc *document.Document) *document.Rejection {
	r := it.record
	if !w.Encoder.Fits(r) {
		return &document.Rejection{Reason: sink.TooLarge, Detail: "with its headers the record would exceed sink.max_record_bytes"}
	}
	if detail, refused := w.Times.untimely(r, time.Now()); refused {
		return &document.Rejection{Reason: sink.OutputRefused, Detail: detail}
	}
	from := len(w.ids)
	w.ids = append(w.ids, doc.ID...)
	it.Entry.ID = w.ids[from:len(w.ids):len(w.ids)]
	it.Entry.Scope = doc.Scope
	signed := w.signAlone(&it.Entry, doc.Text)
	switch {
	case !signed:
		return &document.Rejection{Reason: sink.TooLarge, Detail: "its normalised text is longer than 64 MiB"}
	case it.Entry.Empty():
		return w.Reader.EmptyRejection()
	case entry.Size(&it.Entry) > w.MaxEntryBytes:
		w.signer.Unsign()
		it.Entry.Keys, it.Entry.Evidence = nil, nil
		return &document.Rejection{Reason: sink.TooLarge, Detail: "its entry would exceed journal.max_entry_bytes"}
	}
	return nil
}

// signAlone signs large documents one after the other, as many as a mebibyte of them at a time in all sessions: signing takes up
// to a hundred times a document's bytes.
func (w *worker) signAlone(e *entry.Entry, text []byte) bool {
	if len(text) <= index.LargeDocument {
		return w.signer.Sign(e, text)
	}
	weight := min(int64(len(text)), LargeAtOnce)
	if err := w.Large.Acquire(context.Background(), weight); err == nil { // it does not fail
		defer w.Large.Release(weight)
	}
	return w.signer.Sign(e, text)
}

// LargeAtOnce is how many bytes of large documents are signed at a time.
const LargeAtOnce = 1 << 20

// runs frames the documents of the batch that have no verdict yet. The values are good until the next call: the appender
// has let go of them by then.
func (s *Session) runs(b *batch) [][]byte {
	s.frames.reset()
	bounds := protocol.Bounds{Entries: journal.RunEntries, Bytes: journal.RunBytes}
	b.Runs(s.Log.Header(), bounds, func(_ *assignment, run *index.Run) { s.frames.add(run) })
	return s.frames.values
}
