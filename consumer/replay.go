package consumer

import (
	"context"
	"fmt"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// Replay reads a whole journal that was never trimmed, up to its present end. It calls fn with the verdicts in the
// order in which they were reached.
func Replay(ctx context.Context, setup Setup, fn func(entry.Source, *index.Verdict)) error {
	name := setup.Journal.Name(setup.Params.Group)
	begun := routing.Journal{Options: setup.Kafka, Topic: name, Group: setup.Params.Group}
	settings, err := begun.AsBegun(ctx, setup.Index)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	replica, err := index.NewReplica(settings, index.Fingerprint(settings.Written(setup.Settings)))
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	ends, err := topic.Ends(ctx, setup.Kafka, name)
	if err != nil || len(ends) == 0 {
		return err
	}
	part := journal.Part{
		Options: setup.Kafka, Topic: name, Params: setup.Journal, From: journal.Begin{LeaderEpoch: -1}, End: ends[0].Offset,
	}
	by := journal.Reader{Owner: setup.Params.Group, ProducerTime: true}
	return part.Read(ctx, by, func(at index.Stamp, rec index.Record) error {
		if rec == nil {
			replica.Skip(at)
			return nil
		}
		did := replica.Apply(at, rec)
		for i := range did.Judged {
			fn(index.SourceOf(rec, &did.Judged[i]), &did.Judged[i])
		}
		return nil
	})
}
