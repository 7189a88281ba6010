package audit

import (
	"context"

	"github.com/unecho/unecho/consumer/replay"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
)

// restore restores the oldest snapshot that the journal still continues.
func (a *audit) restore(ctx context.Context, journal topic.Part) (*index.Replica, error) {
	start := replay.Start{
		Params: a.in.Params, Settings: a.in.Settings, Snapshots: a.in.Snapshots,
		Restoring: func(documents int64) error { return a.progress(StageSnapshot, 0, documents) },
	}
	replica, _, err := start.Restore(ctx, a.journalID, journal.From, journal.To)
	return replica, err
}
