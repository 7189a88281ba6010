package audit

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
