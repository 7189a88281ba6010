package audit

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/naive"
)

// Inputs say what is audited.
type Inputs struct {
	Options   []kgo.Opt // how the cluster is reached; nothing about topics or groups
	Sources   []string  // source topics
	Journal   string
	Outputs   func(source string) (unique, duplicate, rejected string) // the output topics of a source topic
	Params    index.Params
	Settings  []byte // canonical text of all settings that decide verdicts
	Index     string // the name in unecho-index
	Algorithm string // what unecho-algorithm says
}

// Run audits what is there when it is called: every source record that is committed by then must be in the outputs, and
// everything in the outputs must be right. So it belongs after the members have caught up, or their last few documents count
// as lost. It waits for transactions that are open when it looks at a topic's end, and holds a digest of each source record
// and the twin's whole index in memory. The error says that the audit could not be done, never what it found.
func Run(ctx context.Context, in Inputs) (Report, error) {
	client, err := kgo.NewClient(in.Options...)
	if err != nil {
		return Report{}, fmt.Errorf("audit: %w", err)
	}
	defer client.Close()
	a := &audit{
		in: in, admin: kadm.NewClient(client), streams: map[place]*stream{}, roles: map[string]roles{}, tracks: map[track]mark{},
		twin: naive.New(in.Params, in.Settings, index.Fingerprint(in.Settings)), bySource: map[entry.Source]*stream{},
	}
	if err := a.run(ctx); err != nil {
		return Report{}, fmt.Errorf("audit: %w", err)
	}
	return a.report, nil
}

// audit is one audit under way.
type audit struct {
	in       Inputs
	admin    *kadm.Client
	twin     *naive.Twin
	streams  map[place]*stream        // by the source topic's name
	bySource map[entry.Source]*stream // the same, by its UUID
	roles    map[string]roles         // of output topics
	tracks   map[track]mark
	misfits  []misfit
	report   Report
}

// place is a partition of a topic.
type place struct {
	topic     string
	partition int32
}

// roles says which verdicts a topic takes: it may take more than one, and from several sources.
type roles struct{ unique, duplicate, rejected bool }

// run reads ends in the order in which things are written backwards, so that what is written meanwhile is no finding: an
// output's verdict is in the part of the journal that is read, and its source record in the part of the source.
func (a *audit) run(ctx context.Context) error {
	owed, err := a.ends(ctx, a.in.Sources)
	if err != nil {
		return err
	}
	outputs, err := a.ends(ctx, a.outputs())
	if err != nil {
		return err
	}
	journal, err := a.ends(ctx, []string{a.in.Journal})
	if err != nil {
		return err
	}
	known, err := a.ends(ctx, a.in.Sources)
	if err != nil {
		return err
	}
	if err := a.open(ctx, owed); err != nil {
		return err
	}
	if err := a.replay(ctx, journal); err != nil {
		return err
	}
	if err := read(ctx, a.in.Options, known, a.source); err != nil {
		return err
	}
	if err := read(ctx, a.in.Options, outputs, a.output); err != nil {
		return err
	}
	a.settle(owed)
	return nil
}

// outputs lists the output topics and remembers their roles.
func (a *audit) outputs() []string {
	var topics []string
	add := func(topic string, set func(*roles)) {
		r, ok := a.roles[topic]
		if !ok {
			topics = append(topics, topic)
		}
		set(&r)
		a.roles[topic] = r
	}
	for _, source := range a.in.Sources {
		unique, duplicate, rejected := a.in.Outputs(source)
		add(unique, func(r *roles) { r.unique = true })
		add(duplicate, func(r *roles) { r.duplicate = true })
		add(rejected, func(r *roles) { r.rejected = true })
	}
	return topics
}

// open makes a stream of each source partition.
func (a *audit) open(ctx context.Context, owed spans) error {
	details, err := a.admin.ListTopics(ctx, a.in.Sources...)
	if err != nil {
		return fmt.Errorf("describe topics: %w", err)
	}
	for p, s := range owed {
		source := entry.Source{Topic: details[p.topic].ID, Partition: p.partition}
		stream := &stream{place: p, first: s.from}
		a.streams[p], a.bySource[source] = stream, stream
	}
	return nil
}
