package consumer

import (
	"context"
	"fmt"

	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/index"
)

// resolveSettings returns the settings, and fixes those that the configuration leaves open, before anything is signed:
// as the journal was begun with them, or as planned if it is yet to begin. The journal's settings stand in each
// snapshot, too. Those of a trimmed journal are read there first, because its beginning is gone.
func (s *Setup) resolveSettings(ctx context.Context, id [16]byte) (index.Params, error) {
	if words := s.Index.Duplicates.LeastWords(); words > 0 {
		s.Logger.Info().Int("words", words).Msg("a text with one changed word is a duplicate if it has so many words")
	}
	if !s.Index.Open() {
		return s.Index, nil
	}
	begun := s.stored(ctx, id)
	if begun == nil {
		j := routing.Journal{
			Options: s.Kafka, Topic: s.Journal.Topic, Group: s.Params.Group,
			MaxEntryBytes: s.Journal.MaxEntryBytes,
		}
		var err error
		if begun, err = j.Begun(ctx); err != nil {
			return s.Index, fmt.Errorf("read the settings of the journal: %w", err)
		}
	}
	p, err := s.Index.AsBegun(begun)
	if err != nil {
		return p, err
	}
	s.Logger.Info().Bool("new", begun == nil).Int("bands", p.Duplicates.Bands).Int("rows", p.Duplicates.Rows).
		Int("slots", p.Duplicates.Slots).Msg("chosen settings")
	return p, nil
}

// stored returns the settings in the newest snapshot of the journal; nil if there is none. What cannot be read has none:
// restoring tells what is wrong with it, and waits for a store that is away.
func (s *Setup) stored(ctx context.Context, id [16]byte) []byte {
	if s.Store == nil {
		return nil
	}
	infos, err := s.Store.Manifests(ctx)
	if err != nil {
		return nil
	}
	for _, info := range infos {
		if info.Position.JournalTopic != id {
			continue
		}
		m, err := s.Store.Manifest(ctx, info.Position)
		if err != nil {
			continue
		}
		if settings, err := index.CapturedSettings(m.State); err == nil && settings != nil {
			return settings
		}
	}
	return nil
}
