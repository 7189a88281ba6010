package consumer

import (
	"context"
	"fmt"

	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/index"
)

// settle fixes the settings that the configuration leaves open, before anything is signed: as the journal was begun
// with them, or as planned if it is yet to begin. The journal's settings stand in each snapshot, too. Those of a trimmed
// journal are read there first, because its beginning is gone.
func (s *Service) settle(ctx context.Context, id [16]byte) error {
	if words := s.setup.Index.Similarity.LeastWords(); words > 0 {
		s.setup.Logger.Info().Int("words", words).Msg("a text with one changed word is a duplicate if it has so many words")
	}
	if !s.setup.Index.Open() {
		return nil
	}
	begun := s.stored(ctx, id)
	if begun == nil {
		j := routing.Journal{
			Options: s.setup.Kafka, Topic: s.setup.Journal.Topic, Group: s.setup.Params.Group,
			MaxEntryBytes: s.setup.Journal.MaxEntryBytes,
		}
		var err error
		if begun, err = j.Begun(ctx); err != nil {
			return fmt.Errorf("read the settings of the journal: %w", err)
		}
	}
	p, err := s.setup.Index.AsBegun(begun)
	if err != nil {
		return err
	}
	s.fix(p)
	s.setup.Logger.Info().Bool("new", begun == nil).Int("bands", p.Similarity.Bands).Int("rows", p.Similarity.Rows).
		Int("slots", p.Similarity.Slots).Int("code_bits", p.Similarity.CodeBits).Msg("settings that were left open")
	return nil
}

// fix makes these the settings of the service. They differ from those of the setup only in what that left open.
func (s *Service) fix(p index.Params) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setup.Index, s.setup.Settings = p, p.Written(s.setup.Settings)
	agreed := member.NewAgreed(p, s.setup.Settings, s.setup.routing())
	if s.setup.Plan == nil {
		agreed.Succeeds = s.setup.Params.Succeeds
	}
	s.agreed, s.session.Agreed = agreed, agreed
	s.session.Encoder = s.setup.encoder(agreed.Fingerprint)
}

// stored returns the settings in the newest snapshot of the journal; nil if there is none. What cannot be read has none:
// restoring tells what is wrong with it, and waits for a store that is away.
func (s *Service) stored(ctx context.Context, id [16]byte) []byte {
	if s.setup.Store == nil {
		return nil
	}
	infos, err := s.setup.Store.Manifests(ctx)
	if err != nil {
		return nil
	}
	for _, info := range infos {
		if info.Position.JournalTopic != id {
			continue
		}
		m, err := s.setup.Store.Manifest(ctx, info.Position)
		if err != nil {
			continue
		}
		if settings, err := index.CapturedSettings(m.State); err == nil && settings != nil {
			return settings
		}
	}
	return nil
}
