package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/document/registry"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/sink"
)

// Inputs are the configuration of the service that is looked at.
type Inputs struct {
	Options  []kgo.Opt
	Brokers  []string // for the commands in remedies
	Params   consumer.Params
	Journal  journal.Params // its topic is named
	Sink     sink.Params
	Snapshot snapshot.Params
	Index    index.Params
	Sources  []document.Source
	Registry registry.Params // of schemas
	Settings []byte          // canonical text
	Takes    bool            // members take documents over HTTP, and write them to the topics that the source names
	// Snapshots opens the store, which must exist already. The doctor closes it.
	Snapshots func(context.Context) (snapshot.Store, error)
	// Probe tries the store, with what a snapshot.Prober returns; nil: there is nothing to try.
	Probe func(context.Context) (remark string, err error)
	// Certificates are those that the service shows.
	Certificates []Certificate
	// Disk is told how far measuring the disk of old documents is, from 0 to 1; nil: it is not measured
	Disk func(share float64)

	now   func() time.Time // for tests; nil: the clock
	after func()           // for tests: called between two looks; nil: nothing
}

// checkBound is how long one check may take.
const checkBound = 20 * time.Second

// Run checks everything. The error says that Kafka could not be reached; a *broker.Fault says what to do.
func Run(ctx context.Context, in Inputs) (Report, error) {
	options := append(append([]kgo.Opt{}, in.Options...), kgo.RequestRetries(2), kgo.RetryTimeout(checkBound))
	client, err := broker.Open(ctx, options...)
	if err != nil {
		return Report{}, err
	}
	defer client.Close()
	p := &target{
		in: in, client: client, admin: kadm.NewClient(client), topics: broker.NewTopics(client, zerolog.Nop()),
		server: strings.Join(in.Brokers, ","), now: in.now,
	}
	if p.now == nil {
		p.now = time.Now
	}
	report := Report{Healthy: true}
	for _, c := range checks() {
		report.add(c.name, p.examine(ctx, c.look))
		if ctx.Err() != nil {
			return Report{}, context.Cause(ctx)
		}
	}
	if p.store == nil {
		return report, nil
	}
	return report, p.store.Close()
}

// check is one part of the examination. An error says that the check could not be made.
type check struct {
	name string
	look func(*target, context.Context) ([]Finding, error)
}

func checks() []check {
	return []check{
		{"cluster", (*target).cluster},
		{"topics", (*target).allTopics},
		{"rights", (*target).rights},
		{"schemas", (*target).schemas},
		{"documents", (*target).documents},
		{"outputs", (*target).writers},
		{"transactions", (*target).transactions},
		{"snapshots", (*target).snapshots}, // before those that use what the newest says
		{"old documents", (*target).oldDocuments},
		{"group", (*target).group},
		{"settings", (*target).settings},
		{"short texts", (*target).shortTexts},
		{"routing", (*target).routing},
		{"clocks", (*target).clocks},
		{"certificate", (*target).certificates},
	}
}

// target is a service that is looked at.
type target struct {
	in     Inputs
	client *kgo.Client
	admin  *kadm.Client
	topics *broker.Topics
	server string
	now    func() time.Time

	brokers int
	sources []string            // topics that are read
	named   bool                // no pattern can bring others
	must    int                 // how large a record outputs must take
	store   snapshot.Store      // nil: there is none, or it does not answer
	newest  *index.Restore      // the state of the newest snapshot of this journal; nil: none
	tail    *journalTail        // nil: not read yet
	topic   map[string]presence // what Kafka answered about each
}

func (p *target) examine(ctx context.Context, look func(*target, context.Context) ([]Finding, error)) []Finding {
	ctx, cancel := context.WithTimeout(ctx, checkBound)
	defer cancel()
	var findings []Finding
	waited := time.Duration(0)
	err := retry.While(ctx, coordinatorPause, func() (err error) {
		findings, err = p.twice(ctx, look)
		return err
	}, func(err error, since time.Duration) bool {
		waited = since
		return uncoordinated(err) && since < coordinatorBound
	})
	switch {
	case err != nil:
		findings = append(findings, unseen(err))
	case waited > 0:
		findings = append(findings, note(fmt.Sprintf("Kafka had no coordinator at first, and was asked again for %v",
			waited.Round(100*time.Millisecond)),
			"until there is one, no member can join the group or commit",
			"nothing, if the cluster or this group is new, or a broker has just ended; else see the brokers' logs"))
	}
	return findings
}

// Kafka has no coordinator while it makes its internal topics for the first group, and while another broker takes over.
const (
	coordinatorBound = 15 * time.Second // how long a check is repeated for that
	coordinatorPause = 500 * time.Millisecond
)

// uncoordinated says that Kafka has no coordinator at the moment.
func uncoordinated(err error) bool {
	return broker.Uncoordinated(err) || errors.Is(err, kerr.NotCoordinator)
}

// unseen is the finding that something could not be checked.
func unseen(err error) Finding {
	var fault *broker.Fault
	switch {
	case forbidden(err):
		return note("not allowed to look: "+err.Error(), "what is wrong there stays unknown",
			"look as a user who has the right Describe there: see permissions.md")
	case uncoordinated(err):
		return problem("Kafka has no coordinator: "+err.Error(), "no member can join the group or commit",
			"start the brokers that hold __consumer_offsets and __transaction_state; kafka-topics.sh --describe "+
				"--unavailable-partitions names what has no leader")
	case errors.As(err, &fault):
		return problem((&broker.Fault{What: fault.What, Err: fault.Err}).Error(), "what is wrong there stays unknown", fault.Remedy)
	case errors.Is(err, context.DeadlineExceeded):
		return problem("no answer within "+checkBound.String()+": "+err.Error(), "the service would wait as long",
			"see that what the message names is up: the brokers, the store of snapshots")
	}
	return problem("cannot look: "+err.Error(), "what is wrong there stays unknown",
		"check what the message names, and look again")
}

func forbidden(err error) bool {
	return broker.Forbidden(err) || errors.Is(err, kerr.GroupAuthorizationFailed) || errors.Is(err, kerr.TransactionalIDAuthorizationFailed)
}

// outputs returns the output topics of all sources.
func (p *target) outputs() (names []string) {
	for _, source := range p.sources {
		names = append(names, p.in.Sink.All(source)...)
	}
	return names
}
