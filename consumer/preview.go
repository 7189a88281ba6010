package consumer

import (
	"cmp"
	"context"
	"time"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/preview"
)

// previewFor is how long a start may be held up by previews.
const previewFor = 5 * time.Second

// preview logs what this configuration makes of the newest documents of each source, before a session reads any. It ends no
// start: what cannot be read, or not in time, is left out, and the log tells.
func (r *reached) preview(ctx context.Context, sources []string) {
	s := r.setup
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(s.previewFor, previewFor))
	defer cancel()
	setup := &preview.Setup{
		Reader: r.reader, Index: s.Index, Encoder: r.encoder(), MaxEntryBytes: int(s.Journal.MaxEntryBytes),
		MaxBatchBytes: int(s.Params.MaxBatchBytes),
	}
	topics := broker.NewTopics(r.cluster.Client, s.Logger)
	done := 0
	for _, topic := range sources[:min(len(sources), preview.Topics)] {
		seen, err := setup.Of(ctx, topics, topic)
		if ctx.Err() != nil {
			break
		}
		if done++; err != nil {
			s.Logger.Warn().Err(err).Str("topic", topic).Msg("the newest documents of a source cannot be read: the start goes on")
			continue
		}
		switch trouble := seen.Trouble(); {
		case trouble == nil:
			s.Logger.Info().EmbedObject(seen).Msg("the newest documents of a source, as they are read")
		case trouble.Grave:
			s.Logger.Warn().EmbedObject(seen).Msg("the newest documents of a source would all be rejected")
		default:
			s.Logger.Warn().EmbedObject(seen).Msg("the newest documents of a source may not be read as they are meant")
		}
	}
	if left := len(sources) - done; left > 0 {
		s.Logger.Info().Int("sources", left).Msg("the newest documents of further sources were not looked at: the start goes on")
	}
}
