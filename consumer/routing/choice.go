package routing

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

// Choice chooses the topics that are read, by their names alone: so all members choose alike, and a topic is never a
// source now and an output later.
type Choice struct {
	sources  []document.Source
	named    []string
	patterns []*regexp.Regexp // of those sources that have one
	out      sink.Params
	others   []string // topics of another use: journals
}

// Choose makes a choice. Others are topics that are no sources whatever their names, such as the journal.
func Choose(from []document.Source, out sink.Params, others ...string) (*Choice, error) {
	c := &Choice{sources: from, named: document.Named(from), out: out, others: others}
	for i := range from {
		pattern, err := from[i].Compile()
		if err != nil {
			return nil, fmt.Errorf("%s.pattern: %q: %w", document.KeyOf(i), from[i].Pattern, err)
		}
		if pattern != nil {
			c.patterns = append(c.patterns, pattern)
		}
	}
	return c, nil
}

// Open says that topics may come and go.
func (c *Choice) Open() bool { return len(c.patterns) > 0 }

// Patterns are those of the sources.
func (c *Choice) Patterns() string {
	var all []string
	for i := range c.sources {
		if pattern := c.sources[i].Pattern; pattern != "" {
			all = append(all, pattern)
		}
	}
	return strings.Join(all, " and ")
}

// Latest says that a topic is read from its end where it is new. One that came by a pattern begins at its start: what was
// written to it before it was found is not to be lost.
func (c *Choice) Latest(topic string) bool { return document.Latest(c.sources, topic) }

// Names says that a topic is named, and read whatever the patterns are.
func (c *Choice) Names(topic string) bool { return slices.Contains(c.named, topic) }

// Reads says that a topic is read, if it exists.
func (c *Choice) Reads(topic string) bool {
	return c.Names(topic) || c.fits(topic) && c.Excluded(topic) == ""
}

func (c *Choice) fits(topic string) bool {
	return slices.ContainsFunc(c.patterns, func(p *regexp.Regexp) bool { return p.MatchString(topic) })
}

// would says that a topic is a source, or has the name of one.
func (c *Choice) would(topic string) bool { return c.Names(topic) || c.fits(topic) }

// backfills stands between a source's name and the output of a backfill of it, unless the job names its outputs.
const backfills = ".backfill."

// Excluded says why a topic that a pattern fits is not read all the same. It is empty if the topic is read, or not
// fitted.
func (c *Choice) Excluded(topic string) string {
	if !c.fits(topic) || c.Names(topic) {
		return ""
	}
	if strings.HasPrefix(topic, "__") {
		return "it is internal to Kafka"
	}
	if slices.Contains(c.others, topic) || strings.HasPrefix(topic, "unecho-backfill.") {
		return "it is a journal, or belongs to a backfill"
	}
	if role, of := c.Output(topic); role != "" {
		return "it is outputs." + role + of
	}
	source, _, is := strings.Cut(topic, backfills)
	if is && c.would(source) {
		return "it is the output of a backfill of " + source
	}
	return ""
}

// Output says which output a topic is by its name, and of which source; role is empty if it is none.
func (c *Choice) Output(topic string) (role, of string) {
	source, role, _ := c.out.SourceOf(topic, c.would)
	if source != "" {
		of = " of " + source
	}
	return role, of
}

// Among returns the topics that are read, if these exist: those that are named, in their order, and those that
// patterns bring, sorted.
func (c *Choice) Among(existing []string) []string {
	var brought []string
	for _, name := range existing {
		if !c.Names(name) && c.Reads(name) {
			brought = append(brought, name)
		}
	}
	slices.Sort(brought)
	return append(slices.Clone(c.named), slices.Compact(brought)...)
}

// Find asks the cluster for its topics, and returns those that are read. Kafka shows those that one may describe. It
// asks for nothing if all are named.
func (c *Choice) Find(ctx context.Context, admin *kadm.Client) ([]string, error) {
	if !c.Open() {
		return slices.Clone(c.named), nil
	}
	existing, err := Existing(ctx, admin)
	if err != nil {
		return nil, err
	}
	return c.Among(existing), nil
}

// Ask does what Find does, with a client of its own.
func (c *Choice) Ask(ctx context.Context, opts topic.Options) ([]string, error) {
	if !c.Open() {
		return slices.Clone(c.named), nil
	}
	client, err := broker.Open(ctx, opts...)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	return c.Find(ctx, kadm.NewClient(client))
}

// Existing asks the cluster for the names of its topics, apart from internal ones.
func Existing(ctx context.Context, admin *kadm.Client) (names []string, err error) {
	all, err := admin.ListTopics(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the topics of the cluster: %w", err)
	}
	for _, t := range all.Sorted() {
		if t.Err == nil && !t.IsInternal {
			names = append(names, t.Topic)
		}
	}
	return names, nil
}
