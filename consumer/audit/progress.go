package audit

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/unpack"
)

// Stage is a part of an audit.
type Stage string

// Stages, in their order.
const (
	StageWait     Stage = "waiting for open transactions"
	StageCopy     Stage = "copying the journal"
	StageSnapshot Stage = "restoring the snapshot"
	StageJournal  Stage = "replaying the journal"
	StageSource   Stage = "reading the source"
	StageOutputs  Stage = "reading the outputs"
	StageCompare  Stage = "settling up"
)

// Progress is how far a stage has come, in records.
type Progress struct {
	Stage       Stage
	Done, Total int64 // Total 0: unknown
}

// stride is how many source records are settled between two reports of progress.
const stride = 10_000

// progress tells the caller how far a stage is. It returns an error if the audit was interrupted, which between two
// calls to Kafka nothing else notices.
func (a *audit) progress(stage Stage, done, total int64) error {
	if a.in.Progress != nil {
		a.in.Progress(Progress{Stage: stage, Done: done, Total: total})
	}
	return a.interrupted()
}

// each reads spans and reports its progress. Offsets without a record for the reader, such as those of control records,
// count as read.
func (a *audit) each(ctx context.Context, stage Stage, all spans, u *unpack.Unpacker,
	fn func(*kgo.Record) error,
) error {
	total := int64(0)
	for _, s := range all {
		total += s.to - s.from
	}
	if err := a.progress(stage, 0, total); err != nil {
		return err
	}
	err := read(ctx, a.client, u, all, fn, func(left spans) error {
		rest := int64(0)
		for _, s := range left {
			rest += s.to - s.from
		}
		return a.progress(stage, total-rest, total)
	})
	if err == nil {
		err = a.progress(stage, total, total)
	}
	return err
}
