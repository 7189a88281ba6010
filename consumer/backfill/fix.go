package backfill

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/entry"
)

// Request is what a backfill is to read.
type Request struct {
	Topics   []string
	From, To Bound
	Order    protocol.Order
	// Gapless refuses a range that leaves partitions out, or ends before the end: a live group is to go on behind it.
	Gapless bool
}

// Fix turns a request into a plan, by the offsets that Kafka has now. `end` is where a reader of committed records
// comes to now. An offset that was deleted or does not exist yet is refused. A time before the first record is the
// first record. If nothing lies in the range, the plan has ranges of no offsets.
func Fix(ctx context.Context, opts topic.Options, r Request, now time.Time) (*protocol.Plan, error) {
	if err := r.check(now); err != nil {
		return nil, err
	}
	client, err := broker.Open(ctx, opts...)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	names := sorted(r.Topics)
	topics, err := broker.NewTopics(client, zerolog.Nop()).Describe(ctx, names...)
	if err != nil {
		return nil, err
	}
	f := fixing{request: r}
	if err := f.read(ctx, kadm.NewClient(client), names); err != nil {
		return nil, fmt.Errorf("fix range: %w", err)
	}
	if err := f.known(topics); err != nil {
		return nil, err
	}
	plan := &protocol.Plan{Order: r.Order, Fixed: now.UnixMilli(), From: r.From.Text, To: r.To.Text}
	for _, t := range topics {
		for p := range int32(t.Partitions) { // Kafka's own number
			found, err := f.rangeOf(t, p)
			if err != nil {
				return nil, err
			}
			plan.Ranges = append(plan.Ranges, found)
		}
	}
	return plan, nil
}

// check refuses what is wrong whatever the topics hold.
func (r *Request) check(now time.Time) error {
	for _, b := range r.ends() {
		if b.kind == atTime && b.at.After(now) {
			return &stop.Error{
				What:   fmt.Sprintf("%s %s lies in the future: %s", b.flag, b.Text, b.at.UTC().Format(time.RFC3339)),
				Remedy: "a backfill ends where the topic ends when it first starts: write --to end",
			}
		}
	}
	switch {
	case r.From.kind == atEnd:
		return &stop.Error{What: "--from end leaves nothing to read", Remedy: "write where the range begins"}
	case r.To.kind == atStart:
		return &stop.Error{What: "--to start leaves nothing to read", Remedy: "write where the range ends, or end"}
	case r.From.kind == atTime && r.To.kind == atTime && r.To.at.Before(r.From.at):
		return reversed("the range", r.From.Text, r.To.Text)
	}
	return nil
}

type flagged struct {
	Bound
	flag string
}

func (r *Request) ends() []flagged { return []flagged{{r.From, "--from"}, {r.To, "--to"}} }

func reversed(what, from, to string) error {
	return &stop.Error{
		What:   fmt.Sprintf("%s is reversed: it begins at %s and ends at %s", what, from, to),
		Remedy: "exchange --from and --to",
	}
}

// fixing has what Kafka says of the topics.
type fixing struct {
	request      Request
	starts, ends kadm.ListedOffsets
	from, to     kadm.ListedOffsets // of bounds that are times
}

func (f *fixing) read(ctx context.Context, admin *kadm.Client, names []string) (err error) {
	list := func(ask broker.Listing) (listed kadm.ListedOffsets) {
		if err == nil {
			listed, err = broker.AllOffsets(ctx, ask, names...)
		}
		return listed
	}
	after := func(b Bound) kadm.ListedOffsets {
		if b.kind != atTime {
			return nil
		}
		return list(broker.After(admin, b.at))
	}
	f.starts = list(admin.ListStartOffsets)
	f.from, f.to = after(f.request.From), after(f.request.To)
	f.ends = list(admin.ListCommittedOffsets)
	return err
}

// known refuses offsets of partitions that there are not, and lists that do not name the same partitions.
func (f *fixing) known(topics []broker.Topic) error {
	r := &f.request
	for _, b := range r.ends() {
		for p := range b.each {
			i := slices.IndexFunc(topics,
				func(t broker.Topic) bool { return t.Name == p.Topic || p.Topic == "" && len(topics) == 1 })
			switch {
			case i < 0 && p.Topic == "":
				return &stop.Error{
					What:   fmt.Sprintf("%s %s does not say of which topic partition %d is", b.flag, b.Text, p.Partition),
					Remedy: fmt.Sprintf("write %s/%d=OFFSET", topics[0].Name, p.Partition),
				}
			case i < 0:
				return &stop.Error{
					What:   fmt.Sprintf("%s %s names topic %s, which is not read", b.flag, b.Text, p.Topic),
					Remedy: "add --topic " + p.Topic + ", or take it out",
				}
			case int(p.Partition) >= topics[i].Partitions:
				return &stop.Error{
					What: fmt.Sprintf("%s %s names partition %d, and topic %s has %d, numbered from 0", b.flag, b.Text, p.Partition,
						topics[i].Name, topics[i].Partitions),
					Remedy: "correct the number",
				}
			}
		}
	}
	return f.samePartitions(topics)
}

func (f *fixing) samePartitions(topics []broker.Topic) error {
	r := &f.request
	for _, t := range topics {
		named := 0
		for p := range int32(t.Partitions) { // Kafka's own number
			_, from := r.From.in(t.Name, p)
			_, to := r.To.in(t.Name, p)
			switch {
			case from && to:
				named++
			case from != to && r.From.kind == r.To.kind: // both are lists
				return &stop.Error{
					What:   fmt.Sprintf("only one of --from and --to has an offset of %s/%d", t.Name, p),
					Remedy: "name the same partitions in both: those that neither names are not read",
				}
			}
		}
		switch {
		case named == 0:
			return &stop.Error{
				What:   fmt.Sprintf("no partition of topic %s is named", t.Name),
				Remedy: "name one, or take the topic out",
			}
		case r.Gapless && named < t.Partitions:
			return &stop.Error{
				What: fmt.Sprintf("%d of the %d partitions of topic %s are named, and the group is to go on with all", named,
					t.Partitions, t.Name),
				Remedy: "name all partitions, or write a time",
			}
		}
	}
	return nil
}

// in returns the offset that a bound has for a partition. ok is false if the bound leaves the partition out.
func (b Bound) in(topic string, partition int32) (offset int64, ok bool) {
	if b.kind != atOffsets {
		return b.all, true
	}
	if offset, ok = b.each[entry.Name(topic, partition)]; !ok {
		offset, ok = b.each[entry.Name("", partition)]
	}
	return offset, ok
}

// rangeOf returns what is read of a partition: nothing if the bounds leave it out.
func (f *fixing) rangeOf(t broker.Topic, p int32) (protocol.Range, error) {
	out := protocol.Range{Topic: t.Name, Source: entry.Source{Topic: t.ID, Partition: p}}
	start, known := f.starts.Lookup(t.Name, p)
	end, ends := f.ends.Lookup(t.Name, p)
	if !known || !ends {
		return out, fmt.Errorf("fix range: Kafka says nothing of %s/%d", t.Name, p)
	}
	out.From, out.To = start.Offset, start.Offset
	_, from := f.request.From.in(t.Name, p)
	_, to := f.request.To.in(t.Name, p)
	if !from || !to {
		return out, nil
	}
	e := extent{fmt.Sprintf("%s/%d", t.Name, p), start.Offset, max(start.Offset, end.Offset)}
	var err error
	if out.From, err = e.offset("--from", f.request.From, f.from, t.Name, p); err != nil {
		return out, err
	}
	if out.To, err = e.offset("--to", f.request.To, f.to, t.Name, p); err != nil {
		return out, err
	}
	if out.From > out.To {
		return out, reversed("the range of "+e.name, fmt.Sprint(out.From), fmt.Sprint(out.To))
	}
	return out, nil
}

// extent is what a partition holds.
type extent struct {
	name       string
	start, end int64
}

func (e extent) offset(flag string, b Bound, times kadm.ListedOffsets, topic string, partition int32) (int64, error) {
	switch b.kind {
	case atStart:
		return e.start, nil
	case atEnd:
		return e.end, nil
	case atTime:
		first, ok := times.Lookup(topic, partition)
		if !ok || first.Offset < 0 { // no record is as late
			return e.end, nil
		}
		return min(max(first.Offset, e.start), e.end), nil
	case atOffset, atOffsets:
	}
	at, _ := b.in(topic, partition)
	switch {
	case at < e.start:
		return 0, &stop.Error{
			What: fmt.Sprintf("the range is partly deleted: %s begins at offset %d, and %s says %d", e.name, e.start, flag, at),
			Remedy: fmt.Sprintf("begin with what is there: --from start, or offset %d; with a copy of the deleted part, "+
				"replay that: --files", e.start),
		}
	case at > e.end:
		return 0, &stop.Error{
			What: fmt.Sprintf("the range lies beyond the end: %s ends at offset %d for readers of committed records, and %s "+
				"says %d", e.name, e.end, flag, at),
			Remedy: "write --to end, or an offset up to there",
		}
	}
	return at, nil
}
