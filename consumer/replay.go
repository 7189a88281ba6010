package consumer

import (
	"context"
	"fmt"

	"github.com/unecho/unecho/consumer/replay"
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
	j := replay.Journal{
		Options: setup.Kafka, Topic: name, Params: setup.Journal, Owner: setup.Params.Group, ProducerTime: true,
	}
	return j.Apply(ctx, replica, ends[0].Offset, func(rec index.Record, did *index.Effect) error {
		for i := range did.Judged {
			fn(index.SourceOf(rec, &did.Judged[i]), &did.Judged[i])
		}
		return nil
	})
}
