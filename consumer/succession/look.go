package succession

import (
	"context"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
)

// Standing is how two groups stand of which one is to take over from the other.
type Standing struct {
	Old, New     protocol.Side
	Older, Newer routing.State // what the journals say
	Places       []protocol.Standpoint
}

// Look reads both journals, and how far both groups are with the topics that the old one reads. It writes nothing.
// There are no places if the old group has declared no routing.
func (t *Takeover) Look(ctx context.Context) (s Standing, err error) {
	r, err := t.open(ctx)
	if err != nil {
		return s, err
	}
	defer r.client.Close()
	if s.New, err = r.side(ctx, t.NewGroup, &s.Newer); err != nil {
		return s, err
	}
	if s.Old, err = r.side(ctx, t.OldGroup, &s.Older); err != nil || s.Old.Number == 0 {
		return s, err
	}
	if pattern := routing.Pattern(s.Older.Routes.Text); pattern != "" {
		return s, Patterned(t.OldGroup.Name, pattern)
	}
	r.Old, r.sources = s.Old, routing.Sources(s.Older.Routes.Text)
	s.Places, err = r.places(ctx)
	return s, err
}
