package signing

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// Worker is what one signing goroutine needs. The entries that it signs live in its memory until the next call of
// Workers.Each.
type Worker struct {
	setup    *Setup
	unpacker *unpack.Unpacker
	signer   *index.Signer
	buffer   []byte
	ids      []byte
}

// keptBuffer is the largest buffer for rewritten documents that a worker keeps.
const keptBuffer = index.LargeDocument

func (w *Worker) rest() {
	w.signer.Reset()
	if w.ids = w.ids[:0]; cap(w.buffer) > keptBuffer {
		w.buffer = nil
	}
}

// Refused says why a record has no entry.
type Refused struct {
	Rejection *document.Rejection  // it is rejected; nil: it is not
	Withheld  *sink.Sizes          // of what did not come with the record; never forwarded but as rejected
	Unchecked sink.UncheckedReason // it is forwarded as unique without being judged; "": it is not
	ByBytes   bool                 // it is compared by its bytes, because too much of it cannot be read
	LeftOut   compare.Similarity   // share of its shingles that do not count; 0/0 is none
}

// Entry says that the record has an entry.
func (r *Refused) Entry() bool { return r.Rejection == nil && r.Unchecked == "" }

// Sign makes the entry of a record that can be judged, or finds the reason why it cannot be.
func (w *Worker) Sign(ctx context.Context, r *kgo.Record, e *entry.Entry) (refused Refused, err error) {
	*e = entry.Entry{Offset: r.Offset, Time: r.Timestamp.UnixMilli()}
	if sizes, ok := w.unpacker.Withheld(r); ok {
		return Refused{Rejection: tooLargeBatch(), Withheld: &sizes}, nil
	}
	if !sink.Writable(e.Time) {
		return Refused{Rejection: badTimestamp(e.Time)}, nil
	}
	return w.reject(ctx, r, e)
}

// tooLargeBatch is the rejection of a record that came in a batch beyond what one may take. All members find the
// same: the batch and advanced.max_document_bytes alone decide.
func tooLargeBatch() *document.Rejection {
	return &document.Rejection{
		Reason: sink.TooLarge,
		Detail: "its batch takes more memory when unpacked than one may (advanced.max_document_bytes)",
	}
}

// badTimestamp is the rejection of a document that no output could have with its own timestamp. All members find the
// same: the timestamp alone decides.
func badTimestamp(ms int64) *document.Rejection {
	return &document.Rejection{
		Reason: sink.BadTimestamp,
		Detail: fmt.Sprintf("its timestamp is %d ms since 1970, which lies outside the years 1678 to 2261", ms),
	}
}

func (w *Worker) reject(ctx context.Context, r *kgo.Record, e *entry.Entry) (refused Refused, err error) {
	doc, refused, err := Read(ctx, w.setup.Reader, r, w.buffer)
	if err != nil {
		return refused, fmt.Errorf("read %s/%d/%d: %w", r.Topic, r.Partition, r.Offset, err)
	}
	if refused.Rejection != nil {
		return refused, nil
	}
	if w.buffer = doc.Buffer; refused.Unchecked != "" {
		if rejection := w.unforwarded(r, w.setup.Encoder.FitsUnchecked(r)); rejection != nil {
			return Refused{Rejection: rejection}, nil
		}
		return refused, nil
	}
	refused.Rejection = w.refuse(r, e, &doc)
	refused.ByBytes = refused.Rejection == nil && w.signer.ByBytes()
	if ignored, all := w.signer.LeftOut(); refused.Rejection == nil && ignored > 0 {
		refused.LeftOut = compare.Similarity{Num: uint32(ignored), Den: uint32(all)}
	}
	return refused, nil
}

// Read reads the document of a record, or finds the reason that its content and the settings give not to judge it. It uses
// buffer as a document.Reader does.
func Read(ctx context.Context, reader *document.Reader, r *kgo.Record, buffer []byte) (document.Document, Refused, error) {
	doc, rejection, err := reader.Read(ctx, document.Input{
		Key: r.Key, Value: r.Value, Headers: r.Headers, Topic: r.Topic, Partition: r.Partition,
	}, buffer)
	return doc, Refused{Rejection: rejection, Unchecked: doc.Unchecked}, err
}

// unforwarded says why no output would take a document, if that is known before it is judged.
func (w *Worker) unforwarded(r *kgo.Record, fits bool) *document.Rejection {
	if !fits {
		return &document.Rejection{
			Reason: sink.TooLarge,
			Detail: "with its headers the record would be larger than an output takes (its max.message.bytes, or advanced.max_document_bytes)",
		}
	}
	if detail, refused := w.setup.Untimely(r); refused {
		return &document.Rejection{Reason: sink.OutputRefused, Detail: detail}
	}
	return nil
}

// refuse signs a document, or says why it cannot be judged or forwarded.
func (w *Worker) refuse(r *kgo.Record, e *entry.Entry, doc *document.Document) *document.Rejection {
	if rejection := w.unforwarded(r, w.setup.Encoder.Fits(r)); rejection != nil {
		return rejection
	}
	from := len(w.ids)
	w.ids = append(w.ids, doc.ID...)
	e.ID = w.ids[from:len(w.ids):len(w.ids)]
	e.Scope, e.Request = doc.Scope, RequestOf(w.setup.Reader, r, doc)
	signed := w.signAlone(e, doc.Text)
	switch {
	case !signed:
		return &document.Rejection{Reason: sink.TooLarge, Detail: "its normalised text is longer than 64 MiB"}
	case e.Empty():
		return w.setup.Reader.EmptyRejection(r.Topic)
	case entry.Size(e) > w.setup.MaxEntryBytes:
		w.signer.Unsign()
		e.Keys, e.Digest, e.Evidence = nil, nil, nil
		return &document.Rejection{Reason: sink.TooLarge, Detail: "its entry would be larger than the journal takes (advanced.max_document_bytes)"}
	}
	return nil
}

// signAlone signs large documents one after the other, as many as a mebibyte of them at a time in the process:
// signing takes up to a hundred times a document's bytes.
func (w *Worker) signAlone(e *entry.Entry, text []byte) bool {
	if len(text) <= index.LargeDocument {
		return w.signer.Sign(e, text)
	}
	weight := min(int64(len(text)), LargeAtOnce)
	if err := w.setup.Large.Acquire(context.Background(), weight); err == nil { // it does not fail
		defer w.setup.Large.Release(weight)
	}
	return w.signer.Sign(e, text)
}

// LargeAtOnce is how many bytes of large documents are signed at a time.
const LargeAtOnce = 1 << 20
