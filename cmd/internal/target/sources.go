package target

import (
	"context"
	"fmt"

	"github.com/unecho/unecho/consumer/routing"
)

// Sources returns the topics that it reads: those that are named, and those of the cluster that fit its pattern.
func (s *Service) Sources(ctx context.Context) ([]string, error) {
	c := s.Config
	choice, err := routing.Choose(c.Sources, c.Sink, s.Journal())
	if err != nil {
		return nil, err
	}
	found, err := choice.Ask(ctx, s.Kafka)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("no topic fits sources.pattern %s, or none that this user may see", choice.Patterns())
	}
	return found, err
}
