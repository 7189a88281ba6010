package consumer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/time/rate"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/measure"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/session"
	"github.com/unecho/unecho/consumer/standing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/sink"
)

// Params are the settings of the group. The package that reads them defines them, as it does the types that follow.
type Params = session.Params

// Membership says how this process is a member of its group.
type Membership = session.Membership

// Accepted is what a person permits a process once.
type Accepted = protocol.Accepted

// Waiting is a partition that waits for a person.
type Waiting = standing.Waiting

// Standing says whether the process would forward a document that came now.
type Standing = standing.Summary

// Latency is how long batches took, by stage.
type Latency = measure.Latency

// Histogram counts durations by their length, or other values by their size.
type Histogram = measure.Histogram

// Verdicts say how many documents of a source topic were committed.
type Verdicts = measure.Verdicts

// Example is a document that was rejected, or forwarded unchecked.
type Example = measure.Example

// StopError ends the process because a person is needed.
type StopError = stop.Error

// DefaultParams are the defaults of the group's settings.
func DefaultParams() Params { return session.DefaultParams() }

// Setup is everything a service is made of. The caller closes the store.
type Setup struct {
	Kafka    []kgo.Opt // how the cluster is reached
	Sessions []kgo.Opt // more for the clients that documents pass
	Params   Params
	Sources  []document.Source // which topics are read, and how
	Index    index.Params
	Journal  journal.Params
	Sink     sink.Params
	Snapshot snapshot.Params
	Store    snapshot.Store
	Leases   snapshot.Leaser // nil: there are none, and Params.Member is set
	Settings []byte          // canonical text of all settings that decide verdicts
	Accepted Accepted        // what a person permits this process once
	Plan     *protocol.Plan  // of a backfill; nil is a live group
	MaxRate  int             // documents a second that a backfill judges at most; 0 is no bound
	fills    bool            // the group begins by being filled
	GoesOn   bool            // the backfill goes on as a live group, which begins with the last snapshot of the backfill
	Logger   zerolog.Logger
	// ProducerTime accepts a journal whose records carry the appender's time: a broker of the demo or of a test, which lives
	// in the appender's process, stamps no time of its own.
	ProducerTime bool

	lagEvery time.Duration // for tests; 0: the constant
	// sourcesEvery is for tests; 0: the constant
	sourcesEvery time.Duration
	forbidden    time.Duration // for tests; 0: journal.ForbiddenPatience
	previewFor   time.Duration // for tests; 0: the constant
	waited       time.Duration // for tests: how long a partition has waited already when it begins to wait
	lastSteps    time.Duration // for tests; 0: the constant
	// openFiles is for tests; nil: files.Open
	openFiles func(path string, of files.Owner) (*files.Directory, error)
}

// build makes what needs no cluster. It completes the setup, which does not change after that.
func (s *Setup) build() (*document.Reader, *routing.Choice, error) {
	s.Sources = slices.Clone(s.Sources)
	for i := range s.Sources {
		s.Sources[i].Reading.Registry.Logger = s.Logger
	}
	s.Journal.Topic = s.Journal.Name(s.Params.Group)
	reader, err := document.NewSources(s.Sources)
	if err != nil {
		return nil, nil, fmt.Errorf("build service: %w", err)
	}
	choice, err := routing.Choose(s.Sources, s.Sink, s.Journal.Topic)
	if err != nil {
		return nil, nil, fmt.Errorf("build service: %w", err)
	}
	return reader, choice, nil
}

// fixed returns the setup with these settings. They differ from its own only in what it leaves open.
func (s *Setup) fixed(p index.Params) *Setup {
	fixed := *s
	fixed.Index, fixed.Settings = p, p.Written(s.Settings)
	return &fixed
}

// agreed is what members agree on by the setup: its settings, and the canonical text of its routing.
func (s *Setup) agreed() *member.Agreed {
	text := routing.Text(s.Sources, s.Sink)
	if s.Plan != nil {
		return member.NewAgreed(s.Index, s.Settings, routing.WithPlan(text, s.Plan))
	}
	agreed := member.NewAgreed(s.Index, s.Settings, text)
	agreed.Succeeds, agreed.Fills = s.Params.Succeeds, s.fills
	return agreed
}

// limit is the bound on the rate, or nil if there is none.
func (s *Setup) limit() *rate.Limiter {
	if s.MaxRate <= 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(s.MaxRate), max(1, s.MaxRate/10))
}

// closed refuses to start if the topics make a loop: each forwarded document would come back.
func (s *Setup) closed() error {
	loops := Loops(s.Params, s.Sources, s.Sink)
	if len(loops) == 0 {
		return nil
	}
	what := "topics cannot be used so:"
	for _, m := range loops {
		what += "\n    " + m.String()
	}
	return &stop.Error{
		What:   what,
		Remedy: "correct the configuration: source, outputs and journal are topics of their own",
	}
}

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
