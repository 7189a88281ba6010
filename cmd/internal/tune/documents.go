package tune

import (
	"io"
	"slices"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// Documents are the documents of eval, as far as they are compared.
type Documents struct {
	judge    index.Params
	signer   *index.Signer
	empty    *document.Rejection // rejection of a document without text; nil if it is not rejected
	numbers  Numbers
	refs     []Ref
	entries  []entry.Entry // that of a rejected document is empty
	rejected report.Rejections
	raw      [][]byte // documents as they came in, if they are kept
	keepsRaw bool
}

// New builds an empty Documents for documents that are judged by these settings, as `unecho dedup` does.
func New(judge index.Params, p document.Params) (*Documents, error) {
	judge, err := judge.ForFiles(nil)
	if err != nil {
		return nil, err
	}
	signer, err := index.NewSigner(judge)
	if err != nil {
		return nil, err
	}
	reader, err := document.New(p)
	if err != nil {
		return nil, err
	}
	return &Documents{judge: judge, signer: signer, empty: reader.EmptyRejection("")}, nil
}

// KeepTexts has the documents that come be kept as they come in, to be shown.
func (d *Documents) KeepTexts() { d.keepsRaw = true }

// Len returns the number of documents.
func (d *Documents) Len() int { return len(d.refs) }

// ReportRejected reports how many would be rejected, and why the first of them.
func (d *Documents) ReportRejected(out io.Writer) { d.rejected.Report(out, ", and so like no other") }

// Add takes the next document.
func (d *Documents) Add(name string, r *corpus.Record) {
	ref := RefOf(name, r)
	if d.numbers.Add(ref, len(d.refs)); len(d.refs) == 0 {
		d.numbers.First = name
	}
	d.refs = append(d.refs, ref)
	e := entry.Entry{Scope: r.Scope}
	d.rejected.Add(name, d.sign(&e, r))
	e = e.Clone()
	d.signer.Reset()
	d.entries = append(d.entries, e)
	if d.keepsRaw {
		d.raw = append(d.raw, slices.Clone(r.Text))
	}
}

func (d *Documents) sign(e *entry.Entry, r *corpus.Record) *document.Rejection {
	switch {
	case r.Bad != nil:
		return r.Bad
	case !d.signer.Sign(e, r.Text):
		return &document.Rejection{Reason: sink.TooLarge, Detail: "the text is too long when normalised"}
	case e.Empty():
		return d.empty
	}
	return nil
}
