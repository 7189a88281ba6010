package pipeline

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/measure"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/sink"
)

// Produce puts every record into its output, and notes the first refusal as the Cause. It waits for every promise.
func (b *Batch) Produce(ctx context.Context, to *kgo.GroupTransactSession) {
	b.judged = time.Now()
	b.present = b.pipeline.Clock.Presence()
	b.Cause = b.produce(ctx, to)
}

func (b *Batch) produce(ctx context.Context, to *kgo.GroupTransactSession) error {
	p := b.pipeline
	if p.DryRun {
		return nil
	}
	var failed, untold, unclustered firstError
	p.out.Reset()
	p.records = p.records[:0]
	most, tells, clusters := b.Size, p.Signing.Encoder.HasVerdictTopic(), p.Signing.Encoder.HasClusterTopic()
	if tells {
		most += b.Size
	}
	if clusters {
		most += b.Size
	}
	if cap(p.records) < most {
		p.records = make([]kgo.Record, 0, most)
	}
	for g, it := range b.items {
		r := p.record()
		if b.encode(r, g.Assignment, it); r.Topic != "" { // else it is a duplicate that is dropped
			to.Produce(ctx, r, failed.promise)
		}
		if tells {
			r = p.record()
			p.out.VerdictRecord(r, it.record)
			r.Timestamp = b.present.In(r.Topic)
			to.Produce(ctx, r, untold.promise)
		}
		if !clusters {
			continue
		}
		if r = p.record(); p.out.ClusterRecord(r, it.record, it.Verdict.Position) {
			r.Timestamp = b.present.In(r.Topic)
			to.Produce(ctx, r, unclustered.promise)
		}
	}
	if err := to.Client().Flush(ctx); err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	return b.refused(failed.Load(), untold.Load(), unclustered.Load())
}

// record returns the next record of the batch.
func (p *Pipeline) record() *kgo.Record {
	p.records = append(p.records, kgo.Record{}) // produce has made room for all: none of them moves
	return &p.records[len(p.records)-1]
}

// encode makes the output record. Its form depends on what outputs have refused of this document before.
func (b *Batch) encode(dst *kgo.Record, a *protocol.Assignment, it *item) {
	p, src := b.pipeline, it.record
	p.out.RejectAt(p.Clock.Rejected(src, a.Retimed(src.Offset), b.present))
	if it.refused.Withheld != nil { // there is nothing else that could be forwarded, whatever was held of it
		reason, detail := it.reason()
		p.out.SetAside(dst, src, reason, detail, *it.refused.Withheld)
		return
	}
	switch level := a.Level(src.Offset); {
	case level == protocol.Withhold:
		reason, detail := it.reason()
		p.out.Withhold(dst, src, reason, detail)
	case level == protocol.Reject || it.Rejects():
		reason, detail := it.reason()
		p.out.Reject(dst, src, reason, detail)
	case it.Bypassed || !it.Judged:
		p.out.Unchecked(dst, src, it.unchecked())
	default:
		p.out.LeftOut(it.refused.LeftOut)
		p.out.Verdict(dst, src, &it.Verdict)
	}
}

// unchecked returns why a document is forwarded without being judged.
func (it *item) unchecked() sink.UncheckedReason {
	if it.Bypassed {
		return sink.InOutage
	}
	return it.refused.Unchecked
}

func (it *item) reason() (sink.Reason, string) {
	if it.refused.Rejection != nil && (!it.Judged || it.refused.Withheld != nil) {
		return it.refused.Rejection.Reason, it.refused.Rejection.Detail
	}
	if !it.Judged && !it.Unchecked && !it.Bypassed {
		return sink.OutputRefused, "an output would have refused its timestamp when it was fed"
	}
	return sink.OutputRefused, "the output topic refused the record"
}

// Count counts a batch by what was produced, before it is committed: a commit forgets what outputs have refused of it.
func (b *Batch) Count() {
	in := &b.pipeline.counted
	in.Reset()
	for i := range b.groups {
		g := &b.groups[i]
		topic := b.pipeline.Counters.Count(g.Topic)
		for k := range g.items {
			switch it := &g.items[k]; {
			case g.GoesToRejected(&it.Document):
				reason, _ := it.reason()
				in.Rejected(topic, reason, g.example(it))
				if b.pipeline.Counters.Meets(reason) {
					b.logFirst(g, it, reason)
				}
			case !it.Judged:
				in.Unchecked(topic, it.unchecked(), g.example(it))
			default:
				in.Judged(topic, &it.Verdict, it.refused.ByBytes)
			}
		}
	}
}

func (g *group) example(it *item) measure.Example {
	return measure.Example{Source: g.Source, Topic: g.Topic, Offset: it.record.Offset, Time: it.record.Timestamp.UnixMilli()}
}

// Committed adds what was counted, with how long ago the documents were written, and logs which records were rejected
// unread.
func (b *Batch) Committed(now time.Time) {
	in := &b.pipeline.counted
	for _, it := range b.items {
		in.Delay(it.record.Timestamp.UnixMilli(), now.UnixMilli())
	}
	b.pipeline.Counters.Committed(in)
	b.logWithheld()
}

// logFirst logs the first document that this process rejects for a reason.
func (b *Batch) logFirst(g *group, it *item, reason sink.Reason) {
	b.pipeline.Logger.Warn().Str("reason", string(reason)).Str("topic", g.Topic).Int32("partition", g.Source.Partition).
		Int64("offset", it.record.Offset).Str("remedy", reason.Remedy()).
		Msg("a document is rejected, the first for this reason since the start: unecho_rejected_total counts them")
}

// logWithheld logs which records of a batch were rejected unread.
func (b *Batch) logWithheld() {
	for i := range b.groups {
		g := &b.groups[i]
		var n, first, last int64
		for k := range g.items {
			if it := &g.items[k]; it.refused.Withheld != nil {
				if n++; n == 1 {
					first = it.record.Offset
				}
				last = it.record.Offset
			}
		}
		if n == 0 {
			continue
		}
		b.pipeline.Logger.Error().Str("topic", g.Assignment.Topic).Int32("partition", g.Assignment.Source.Partition).
			Int64("offset", first).Int64("last_offset", last).Int64("documents", n).
			Msg("a batch takes more memory when unpacked than one may: its documents are rejected without their values")
	}
}

// Last yields the timestamp of the last document of each partition.
func (b *Batch) Last(yield func(protocol.PartitionName, time.Time) bool) {
	for i := range b.groups {
		g := &b.groups[i]
		if len(g.items) > 0 && !yield(g.Name(), g.items[len(g.items)-1].record.Timestamp) {
			return
		}
	}
}
