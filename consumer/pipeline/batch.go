package pipeline

import (
	"context"
	"iter"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/outputs"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/signing"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/sink"
)

// Batch is what one poll gave and one transaction forwards.
type Batch struct {
	*protocol.Batch       // nil: it begins none
	Cause           error // the first refusal of an output

	pipeline *Pipeline // whose memory it is in
	fetches  kgo.Fetches
	groups   []group
	present  outputs.Presence // the timestamp of its records that do not have their document's

	began, signed, judged time.Time // zero: that was not done
}

// item is one polled record on its way.
type item struct {
	record  *kgo.Record
	refused signing.Refused // found when it was signed; a held verdict outranks all of it but what is withheld
	protocol.Document
}

// group is the part of a batch that comes from one source partition, ascending by offset.
type group struct {
	protocol.Group
	items []item
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

// Sign decodes and signs all documents of the batch on all cores.
func (b *Batch) Sign(ctx context.Context) error {
	var chunks [][]item
	for i := range b.groups {
		for items := b.groups[i].items; len(items) > 0; {
			n := min(signing.Chunk, len(items))
			chunks = append(chunks, items[:n])
			items = items[n:]
		}
	}
	err := b.pipeline.workers.Each(ctx, len(chunks), func(ctx context.Context, w *signing.Worker, chunk int) error {
		for i := range chunks[chunk] {
			it := &chunks[chunk][i]
			if it.Judged {
				continue
			}
			var err error
			if it.refused, err = w.Sign(ctx, it.record, &it.Entry); err != nil {
				return err
			}
			it.Rejected, it.Withheld, it.Unchecked = !it.refused.Entry(), it.refused.Withheld != nil, it.refused.Unchecked != ""
		}
		return nil
	})
	if err == nil {
		b.signed = time.Now()
	}
	return err
}

// Append appends what it wants in the journal. What is framed for that is good until the next time: the appender has let go
// of it by then.
func (b *Batch) Append(ctx context.Context) error {
	p := b.pipeline
	p.frames.reset()
	if b.Wants() == protocol.WantEntries {
		bounds := protocol.RunLimits{Entries: journal.RunEntries, Bytes: journal.RunBytes}
		b.Runs(p.Log.Header(), bounds, func(_ *protocol.Assignment, run *index.Run) { p.frames.add(run) })
		if err := p.Log.BeforeRepeat(ctx, b.Appends()); err != nil {
			return err
		}
	} else {
		for _, f := range b.Forgets() {
			p.frames.add(f)
		}
	}
	last, err := p.Log.Put(ctx, p.frames.values...)
	if err == nil {
		b.Appended(last)
	}
	return err
}

// Await waits until the replica has applied what it wants it to.
func (b *Batch) Await(ctx context.Context) error {
	err := b.pipeline.Replica.Wait(ctx, b.Until()-1)
	if err == nil {
		b.Reached()
	}
	return err
}

// Rest lets go of its memory. A session does not need that while it waits for the next batch, and some of it is large.
func (b *Batch) Rest() {
	p := b.pipeline
	clear(p.items)
	clear(p.records)
	p.out.Reset()
	p.workers.Rest()
	p.Unpacker.Done(b.fetches)
}

// Took counts how long it took, if all documents were judged. What was passed on before is recorded in no time that
// counts.
func (b *Batch) Took() {
	if !b.judged.IsZero() {
		b.pipeline.Counters.Took(b.signed.Sub(b.began), b.judged.Sub(b.signed), time.Since(b.judged))
	}
}

// Verdicts is how many documents have a verdict.
func (b *Batch) Verdicts() (n uint64) {
	for _, it := range b.items {
		if it.Judged {
			n++
		}
	}
	return n
}

// Slip is what becomes of documents that a wrong setting may be the cause of. The zero Slip is that of all others.
type Slip struct {
	Rejected  sink.Reason          // they are rejected for it
	Unchecked sink.UncheckedReason // they are not checked
	Object    bool                 // they are JSON objects, and compared as they are written: see document.Reader.Overlooked
}

// slip returns that of an item.
func (b *Batch) slip(it *item) Slip {
	switch {
	case it.Judged:
		return Slip{}
	case it.refused.Rejection != nil:
		return Slip{Rejected: it.refused.Rejection.Reason}
	case it.refused.Unchecked != "":
		return Slip{Unchecked: it.refused.Unchecked}
	}
	return Slip{Object: b.pipeline.Signing.Reader.Overlooked(it.record.Topic, it.record.Value)}
}

// Alike is what a batch has of a topic of whose documents all become the same.
type Alike struct {
	Slip
	Documents int
	First     *kgo.Record // one of them
	WereThere bool        // some were there when the session took their partition over
}

// Alike says that of all documents of a topic the same becomes, before any is judged, and that a wrong setting may be the cause.
// It is false where there is none.
func (b *Batch) Alike(topic string) (all Alike, are bool) {
	for g, it := range b.items {
		if g.Topic != topic {
			continue
		}
		slip := b.slip(it)
		if slip == (Slip{}) || all.Documents > 0 && slip != all.Slip {
			return Alike{}, false
		}
		if all.Documents++; all.Documents == 1 {
			all.Slip, all.First = slip, it.record
		}
		all.WereThere = all.WereThere || it.record.Offset < g.There
	}
	return all, all.Documents > 0
}

// New returns the assignments with documents here of which no document was ever committed in the group.
func (b *Batch) New() (of []*protocol.Assignment) {
	for i := range b.groups {
		if g := &b.groups[i]; g.New && len(g.items) > 0 {
			of = append(of, g.Assignment)
		}
	}
	return of
}

// items yields each item with its group.
func (b *Batch) items(yield func(*group, *item) bool) {
	for i := range b.groups {
		for k := range b.groups[i].items {
			if !yield(&b.groups[i], &b.groups[i].items[k]) {
				return
			}
		}
	}
}
