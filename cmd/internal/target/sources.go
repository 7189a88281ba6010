package target

import (
	"context"
	"fmt"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/topic"
)

// Sources returns the topics that a service reads: those that are named, and those of the cluster that fit its pattern.
func Sources(ctx context.Context, opts topic.Options, c config.Config) ([]string, error) {
	choice, err := routing.Choose(c.Source.Choice(), c.Sink, c.Journal.Name(c.Consumer.Group))
	if err != nil {
		return nil, err
	}
	found, err := choice.Ask(ctx, opts)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("no topic fits source.pattern %s, or none that this user may see", c.Source.Pattern)
	}
	return found, err
}
