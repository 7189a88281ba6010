package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/unecho/unecho/consumer/balance"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/snapshot"
)

// group checks the members and what they have committed.
func (p *target) group(ctx context.Context) ([]Finding, error) {
	name := p.in.Params.Group
	in, err := cluster.Members(ctx, p.admin, name)
	if err != nil {
		return nil, err
	}
	findings := append(members(name, &in), alone(&in, p.in.Snapshot.For == snapshot.ByOne, p.newest != nil)...)
	more, err := p.offsets(ctx)
	return append(findings, more...), err
}

func members(name string, in *cluster.Membership) []Finding {
	if len(in.Members) == 0 {
		return []Finding{note("group "+name+" has no members", "nothing is read", "start the service, if it is meant to run")}
	}
	var findings []Finding
	guests := in.Guests()
	for _, guest := range guests {
		findings = append(findings, problem(fmt.Sprintf("group %s: member %s is not of unecho", name, guest),
			"it takes partitions, what it reads and commits is not forwarded, and no member of unecho starts",
			"stop that program, or give it a group of its own"))
	}
	if in.State != "Stable" {
		findings = append(findings, note(fmt.Sprintf("group %s is in the state %s", name, in.State),
			"its partitions are being shared out", "look again; it takes seconds"))
	}
	return append(findings, fine("group "+name+": "+several(len(in.Members)-len(guests), "session")))
}

// alone compares who is in the group with what a member that stays alone allows. Only says that this one is to stay alone,
// and known that a snapshot of the journal is here.
func alone(in *cluster.Membership, only, known bool) []Finding {
	processes, alone := map[string]bool{}, ""
	for _, m := range in.Members {
		if m.Process != "" {
			processes[m.Process] = true
		}
		if balance.IncarnationIn(m.Told).StaysAlone() {
			alone = m.Process
		}
	}
	const why = "it trims the journal to its own snapshots, and no second member starts beside it"
	switch {
	case len(processes) > 1 && (only || alone != ""):
		return []Finding{problem(fmt.Sprintf("%s are in the group, and one of them is to stay alone (snapshots.directory.for: only)",
			several(len(processes), "member")), "the journal is not trimmed until the others have gone, and one that starts is refused",
			balance.Together)}
	case alone != "" && !only:
		return []Finding{problem("member "+alone+" stays alone in the group (snapshots.directory.for: only)", why, balance.Together)}
	case only && len(processes) > 0 && !known:
		return []Finding{note("a member is in the group, and no snapshot of it is here", "if that is another than this one: "+why,
			balance.Together)}
	}
	return nil
}

// extent is what a source partition holds, and how much of it was committed.
type extent struct {
	entry.PartitionName
	unknown    error // why nothing below is known
	start, end int64 // of the partition
	stable     int64 // the last stable offset: a reader of committed records gets so far
	committed  protocol.Committed
}

// offsets compares what was committed with what the source holds and what the newest snapshot knows.
func (p *target) offsets(ctx context.Context) ([]Finding, error) {
	extents, err := p.extents(ctx)
	if err != nil || len(extents) == 0 {
		return nil, err
	}
	known, err := p.remembered(ctx)
	if err != nil {
		return nil, err
	}
	var findings []Finding
	lag, begun, ours := int64(0), 0, false
	for i := range extents {
		e := &extents[i]
		ours = ours || e.committed.Ours
		if e.committed.Offset >= 0 {
			begun++
		}
		if e.committed.Offset >= 0 && e.unknown == nil {
			lag += max(0, e.stable-max(e.committed.Offset, e.start))
		}
		if f, wrong := p.offset(e, known); wrong {
			findings = append(findings, f)
		}
	}
	if ours && p.topic[p.in.Journal.Topic] == gone {
		findings = append(findings, withUnseen(p.journalGone(ctx))...)
	}
	if begun == 0 {
		return append(findings, note("nothing is committed yet", "the group has never forwarded anything of these sources",
			"nothing, if the service has never run")), nil
	}
	older, err := p.nearRetention(ctx, extents)
	findings = append(findings, older...)
	return append(findings, fine(fmt.Sprintf("%d of %s begun, %s", begun, several(len(extents), "partition"),
		behind(lag)))), err
}

// journalGone is about a group that has committed, and whose journal Kafka does not have.
func (p *target) journalGone(ctx context.Context) ([]Finding, error) {
	name := p.in.Journal.Topic
	everywhere, err := p.goneEverywhere(ctx, name)
	if err != nil {
		return nil, err
	}
	if !everywhere {
		return []Finding{note("some brokers know journal "+name+", and some do not",
			"a broker that has just started learns of topics a moment later", "look again")}, nil
	}
	return []Finding{costly("journal", "offsets are committed, and there is no journal "+name,
		"the journal was deleted, or another group is meant: without it no member starts",
		"name the right group"+p.acceptGap(ctx, "if it is gone for good", [16]byte{}))}, nil
}

// behind says how many documents are still to be read. Offsets of aborted documents, of markers and of compacted
// records count too, until a member has passed them.
func behind(lag int64) string {
	if lag == 0 {
		return "0 documents behind"
	}
	return "at most " + several(int(lag), "document") + " behind"
}

func (p *target) offset(e *extent, known map[entry.PartitionName]index.SourcePartition) (Finding, bool) {
	c, row := &e.committed, known[e.PartitionName]
	switch {
	case e.unknown != nil && !errors.Is(e.unknown, kerr.LeaderNotAvailable):
		return problem(fmt.Sprintf("%v: where it begins and ends cannot be read: %v", e, e.unknown),
			"what is wrong there stays unknown", "look again; if that stays, check the broker that leads it"), true
	case e.unknown != nil:
		return problem(fmt.Sprintf("%v has no leader", e), "its documents wait for one; the other partitions go on",
			fmt.Sprintf("start the brokers that hold it: kafka-topics.sh --bootstrap-server %s --describe "+
				"--unavailable-partitions --topic %s", p.server, e.Topic)), true
	case c.Offset < 0:
		return Finding{}, false
	case c.Offset < e.start:
		return problem(fmt.Sprintf("%v: committed is %d, and the topic begins at %d", e, c.Offset, e.start),
			"deleted before they were read: at most "+several(int(e.start-c.Offset), "document"),
			"add members, or keep documents longer (retention.ms, retention.bytes)"), true
	case c.Offset > e.end:
		return costly(e.String(), fmt.Sprintf("%v: committed is %d, and the topic ends at %d", e, c.Offset, e.end),
			"the source lost documents, or the offset was set too far; the service stops on it",
			fmt.Sprintf("stop all members, then: kafka-consumer-groups.sh --bootstrap-server %s --group %s --topic %s:%d "+
				"--reset-offsets --to-offset %d --execute",
				p.server, p.in.Params.Group, e.Topic, e.Partition, e.end)), true
	case !c.Ours:
		return note(fmt.Sprintf("%v: committed is %d, by another program or person", e, c.Offset),
			"the next member that takes it forwards from there: documents come out again, or are skipped",
			"nothing, if that was meant"), true
	case c.Lost(row.Partition):
		return costly(e.String(), fmt.Sprintf("%v: committed is %d, and all below %d was forwarded", e, c.Offset, row.Base),
			"the group's offsets were lost; the service stops rather than forward twice",
			"start a member: it stops, and names all that were lost in one --accept-lost-offsets, with which it goes on where "+
				"forwarding ended"), true
	}
	return Finding{}, false
}

// remembered returns what the newest snapshot knows of source partitions whose topics are still the same.
func (p *target) remembered(ctx context.Context) (map[entry.PartitionName]index.SourcePartition, error) {
	known := map[entry.PartitionName]index.SourcePartition{}
	if p.newest == nil {
		return known, nil
	}
	topics, err := p.topics.Describe(ctx, p.existing(p.sources...)...)
	if err != nil {
		return nil, err
	}
	for _, row := range p.newest.Partitions() {
		for _, t := range topics {
			if (entry.Source{Topic: t.ID, Partition: row.Source.Partition}) == row.Source {
				known[entry.Name(t.Name, row.Source.Partition)] = row
			}
		}
	}
	return known, nil
}

func (p *target) extents(ctx context.Context) (extents []extent, err error) {
	topics := p.existing(p.sources...)
	if len(topics) == 0 {
		return nil, nil
	}
	// Committed offsets are read first: read last, they could be ahead of the ends.
	committed, err := broker.Committed(ctx, p.admin, p.in.Params.Group)
	starts, err2 := broker.Offsets(ctx, p.admin.ListStartOffsets, topics...)
	stable, err3 := broker.Offsets(ctx, p.admin.ListCommittedOffsets, topics...)
	ends, err4 := broker.Offsets(ctx, p.admin.ListEndOffsets, topics...)
	if err := errors.Join(err, err2, err3, err4); err != nil {
		return nil, fmt.Errorf("read offsets: %w", err)
	}
	ends.Each(func(o kadm.ListedOffset) {
		start, ok := starts.Lookup(o.Topic, o.Partition)
		readable, ok2 := stable.Lookup(o.Topic, o.Partition)
		e := extent{
			PartitionName: entry.Name(o.Topic, o.Partition), start: start.Offset, stable: readable.Offset, end: o.Offset,
			unknown:   errors.Join(start.Err, readable.Err, o.Err),
			committed: cluster.Committed(committed, o.Topic, o.Partition),
		}
		if !ok || !ok2 {
			e.unknown = errors.Join(e.unknown, broker.ErrNoPartition)
		}
		extents = append(extents, e)
	})
	slices.SortFunc(extents, func(a, b extent) int { return a.Compare(b.PartitionName) })
	return extents, nil
}

// nearPart is the part of the retention after which an unread document is reported.
const nearPart = 0.75

// nearRetention finds partitions whose next document will soon be deleted before it is read.
func (p *target) nearRetention(ctx context.Context, extents []extent) (findings []Finding, err error) {
	for _, name := range p.existing(p.sources...) {
		settings, err := p.topics.Settings(ctx, name)
		if forbidden(err) {
			continue // reported with the topics
		}
		if err != nil {
			return findings, err
		}
		retention, ok := retentionOf(settings["retention.ms"])
		if !ok {
			continue
		}
		young, err := broker.Offsets(ctx, broker.After(p.admin, p.now().Add(-time.Duration(nearPart*float64(retention)))), name)
		if err != nil {
			return findings, fmt.Errorf("read offsets: %w", err)
		}
		for i := range extents {
			e := &extents[i]
			first, ok := young.Lookup(e.Topic, e.Partition)
			if ok && first.Err == nil && e.unknown == nil && e.committed.Offset >= e.start && e.committed.Offset < min(first.Offset, e.stable) {
				findings = append(findings,
					note(fmt.Sprintf("%v: the next document is older than %.0f %% of retention.ms, %v", e, nearPart*100, retention),
						"Kafka will delete it, maybe before it is read", "add members, or keep documents longer"))
			}
		}
	}
	return findings, nil
}
