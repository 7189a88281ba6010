package comparison

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

// output is a topic that the old group forwards to.
type output struct {
	name   string
	number uint16
	parts  []*part        // those whose documents may go there
	below  map[*part]bool // a record of an offset below the part was seen: there is no need to read further back
	whole  bool           // it was read from its beginning
}

// enough says that nothing that matters stands further back in the topic. The outputs of a source partition are in its
// order, apart from offsets that were set back.
func (o *output) enough() bool {
	return o.whole || !slices.ContainsFunc(o.parts, func(p *part) bool { return p.missing() && !o.below[p] })
}

// Outputs are read from their newest part on, and a larger part each time until that is enough.
const (
	further  = 4  // how many times as much is read each time
	furthest = 64 // how many times as many records as there are documents are read at most
)

// read keeps what the old group's outputs say.
func (c *comparison) read(ctx context.Context) error {
	outputs := c.outputs()
	names := slices.Sorted(maps.Keys(outputs))
	if err := topic.Reach(ctx, c.Kafka, names...); err != nil { // one that was deleted would be waited for
		return err
	}
	if err := c.settled(ctx, names); err != nil {
		return fmt.Errorf("read outputs of group %s: %w", c.Old.Name, err)
	}
	counts, err := topic.Counts(ctx, c.Kafka, names...)
	if err != nil {
		return err
	}
	documents := int64(0)
	for _, p := range c.parts {
		documents += p.To - p.From + p.ahead
	}
	for last := documents; last <= furthest*documents; last *= further {
		for _, name := range names {
			if o := outputs[name]; last == documents || !o.enough() {
				if err := c.newest(ctx, o, last, counts[name]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// silence is how long transactions are waited for before that is told.
const silence = time.Second

// settled waits until what was committed to the outputs can be read.
func (c *comparison) settled(ctx context.Context, outputs []string) error {
	admin := kadm.NewClient(c.client)
	soon, enough := context.WithTimeout(ctx, silence)
	err := broker.Settled(soon, admin, outputs...)
	if enough(); !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return err
	}
	c.Progress(stageWait, 0, 0)
	return broker.Settled(ctx, admin, outputs...)
}

// outputs are the topics of the old group's routing.
func (c *comparison) outputs() map[string]*output {
	all := map[string]*output{}
	for _, p := range c.parts {
		toUnique, toDuplicate, toRejected, _ := routing.Outputs(c.standing.Older.Routes.Text, p.Topic)
		for _, name := range []string{toUnique, toDuplicate, toRejected} {
			o := all[name]
			if o == nil {
				o = &output{name: name, number: uint16(len(all)), below: map[*part]bool{}}
				all[name] = o
			}
			if !slices.Contains(o.parts, p) {
				o.parts = append(o.parts, p)
			}
		}
	}
	return all
}

// newest reads the newest records of an output.
func (c *comparison) newest(ctx context.Context, o *output, last, there int64) error {
	done, span := int64(0), topic.Span{Last: last}
	if o.whole = last >= there; o.whole {
		span = topic.Span{} // with what has come since
	}
	return topic.ReadSpan(ctx, c.Kafka, o.name, span, func(r *topic.Record) error {
		done++
		c.Progress(stageOutputs, done, min(last, there))
		name, partition, offset, ok := parse(r.Header(sink.HeaderSource))
		p := c.byPlace[place{name, partition}]
		if !ok || p == nil {
			return nil
		}
		if offset < p.From {
			o.below[p] = true
		}
		if to := p.older.at(offset); to != nil {
			c.told(o, to, r)
		}
		return nil
	})
}

// told keeps what an output says. In one topic the last output of a document holds. Nothing tells which of two topics
// has the last one.
func (c *comparison) told(o *output, to *verdict, r *topic.Record) {
	says := c.matches.said(r.Header)
	says.output = o.number
	switch {
	case to.kind == unclear, says.kind == unsaid:
	case to.kind != unsaid && to.output != o.number && to.kind != says.kind:
		to.kind = unclear
	default:
		*to = says
	}
}
