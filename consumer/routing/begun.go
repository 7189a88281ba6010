package routing

import (
	"context"
	"errors"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
)

// Begun returns the settings text that the journal was begun with; nil if there is none yet, or no journal. Of a
// journal that was never trimmed it reads the first records only.
func (j *Journal) Begun(ctx context.Context) ([]byte, error) {
	start, end, err := topic.Extent(ctx, j.Options, j.Topic, 0)
	if errors.Is(err, broker.ErrMissing) || err == nil && end == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if start == 0 {
		settings, err := j.head(ctx, end)
		if !journal.OutOfRange(err) && (settings != nil || err != nil) { // else it was trimmed meanwhile
			return settings, err
		}
	}
	state, err := j.Read(ctx)
	return state.Settings, err
}

// headRecords is how many records are read in search of the settings with which a whole journal begins. Records of
// others may stand before them.
const headRecords = 64

// head returns the settings among the first records; nil if they are not there.
func (j *Journal) head(ctx context.Context, end int64) ([]byte, error) {
	r := reading{whole: true}
	err := j.follow(ctx, 0, min(end, headRecords), r.find)
	if errors.Is(err, errFound) {
		err = nil
	}
	return r.state.Settings, err
}

// AsBegun returns settings with what they leave open as the journal was begun with it: see index.Params.AsBegun.
func (j *Journal) AsBegun(ctx context.Context, p index.Params) (index.Params, error) {
	if !p.Open() {
		return p, nil
	}
	settings, err := j.Begun(ctx)
	if err != nil {
		return p, err
	}
	return p.AsBegun(settings)
}
