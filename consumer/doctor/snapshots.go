package doctor

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
)

// oldSnapshot times snapshots.every is the age from which a snapshot is reported as old, if the journal goes on.
const oldSnapshot = 10

// snapshots checks the store, and whether the journal continues the snapshot that a start would restore.
func (p *target) snapshots(ctx context.Context) ([]Finding, error) {
	if p.store == nil {
		store, err := p.in.Snapshots(ctx)
		if err != nil && !errors.Is(err, snapshot.ErrNoStore) {
			return []Finding{problem(err.Error(), "from here no snapshot can be taken or restored, and the journal is not trimmed",
				"what the message says")}, nil
		}
		p.store = store
	}
	var findings []Finding
	if p.in.Probe != nil {
		remark, err := p.in.Probe(ctx)
		if err != nil {
			findings = append(findings, problem(err.Error(), "no member starts with this store", "what the message says"))
		}
		if remark != "" {
			findings = append(findings, note(remark, "snapshots become unusable, or more is kept than should be",
				"except the objects below snapshots.s3.prefix from it, or give unecho a bucket of its own"))
		}
	}
	if p.store != nil && !p.in.Snapshot.For.Trims() {
		findings = append(findings, note("the store is not shared by all members",
			"the journal is never trimmed, and grows for ever",
			"snapshots.directory.for: only, if this member stays alone; else a store that all members see: for: all, or "+
				"snapshots.postgres, snapshots.s3"))
	}
	more, err := p.restorable(ctx)
	return append(findings, more...), err
}

func (p *target) none() []Finding {
	return []Finding{note("there is no snapshot yet", "a start reads the journal from its first record",
		"nothing, if the service has not run for snapshots.every yet")}
}

// journalTail is where the journal begins and ends.
type journalTail struct{ start, end int64 }

// journalWhole reads where the journal begins and ends.
func (p *target) journalWhole(ctx context.Context) error {
	name := p.in.Journal.Topic
	if p.tail != nil || p.topic[name] != there {
		return nil
	}
	start, err := p.journalOffset(ctx, p.admin.ListStartOffsets)
	if err != nil {
		return err
	}
	end, err := p.journalOffset(ctx, p.admin.ListEndOffsets)
	if err != nil {
		return err
	}
	p.tail = &journalTail{start: start, end: end}
	return nil
}

func (p *target) journalOffset(ctx context.Context, list broker.Listing) (int64, error) {
	o, err := broker.OffsetOf(ctx, list, p.in.Journal.Topic, 0)
	return o.Offset, err
}

// restorable checks the newest snapshot of this journal.
func (p *target) restorable(ctx context.Context) ([]Finding, error) {
	p.tail, p.newest = nil, nil
	switch p.topic[p.in.Journal.Topic] {
	case unknown:
		return nil, nil // reported with the topics
	case gone:
		return p.none(), nil
	case there:
	}
	if err := p.journalWhole(ctx); err != nil { // before the snapshots: members take one before they trim
		return nil, err
	}
	var infos []snapshot.Info
	if p.store != nil {
		var err error
		if infos, err = p.store.Manifests(ctx); err != nil {
			return nil, err
		}
	}
	topics, err := p.topics.Describe(ctx, p.in.Journal.Topic)
	if err != nil {
		return nil, err
	}
	var findings []Finding
	for _, info := range infos {
		if info.Position.JournalTopic != topics[0].ID {
			continue
		}
		m, err := p.store.Manifest(ctx, info.Position)
		if snapshot.Damaged(err) {
			findings = append(findings, problem(err.Error(), "a start skips it",
				"look at the disk; members that run write new ones"))
			continue
		}
		if err != nil {
			return findings, err
		}
		if p.newest, err = p.restore(m.State); err != nil {
			return append(findings, problem(fmt.Sprintf("the snapshot at %d: %v", info.Position.Offset, err),
				"a start stops at it", "what the message says")), nil
		}
		more, err := p.newestSnapshot(ctx, &info)
		return append(findings, more...), err
	}
	if p.tail.start > 0 {
		return append(findings, costly("journal", fmt.Sprintf("journal %s begins at %d, and no usable snapshot of it is here",
			p.in.Journal.Topic, p.tail.start),
			"a member cannot start", "give this member the store that the others use (snapshots), or the directory of the one that was alone"+
				p.acceptGap(ctx, "if there is none left", topics[0].ID))), nil
	}
	return append(findings, p.none()...), nil
}

// restore begins a restore as a member does: settings that are left open are those of the snapshot.
func (p *target) restore(state []byte) (*index.Restore, error) {
	settings, err := index.CapturedSettings(state)
	if err != nil {
		return nil, err
	}
	begun, err := p.in.Index.AsBegun(settings)
	if err != nil {
		return nil, err
	}
	return index.NewRestore(begun, index.Fingerprint(begun.Written(p.in.Settings)), state)
}

func (p *target) newestSnapshot(ctx context.Context, info *snapshot.Info) ([]Finding, error) {
	// The end is read again: what was snapshotted by now is in the journal by now.
	end, err := p.journalOffset(ctx, p.admin.ListEndOffsets)
	if err != nil {
		return nil, err
	}
	p.tail.end = end
	at, age := info.Position.Offset, p.now().Sub(time.UnixMilli(info.Taken)).Round(time.Second)
	switch rest := p.tail.end - at; {
	case at < p.tail.start:
		return []Finding{costly("journal", fmt.Sprintf("the newest snapshot is at %d, and the journal begins at %d", at,
			p.tail.start), "a member cannot start", "give this member the store that the others use (snapshots), or the directory of the one that was alone"+
			p.acceptGap(ctx, "if there is none left", info.Position.JournalTopic))}, nil
	case at > p.tail.end:
		return []Finding{costly("journal", fmt.Sprintf("the newest snapshot is at %d, and the journal ends at %d", at, p.tail.end),
			"the journal lost records; no member starts",
			"restore the journal; if it is lost for good, stop all members, and delete it, the snapshots and the group's "+
				"offsets to begin anew")}, nil
	case age > oldSnapshot*p.in.Snapshot.Every && rest > 1: // a snapshot is followed by its own checkpoint
		return []Finding{note(fmt.Sprintf("the newest snapshot is %v old, %d records of the journal follow it", age, rest),
			"a start has to replay them, and the journal is not trimmed", "see the members' logs for messages about snapshots")}, nil
	case -age > noticeable:
		return []Finding{note(fmt.Sprintf("the newest snapshot is of %v from now, by the clock of the member that took it", -age),
			"the age of a snapshot is wrong by as much", synchronise)}, nil
	default:
		return []Finding{fine(fmt.Sprintf("the newest is %v old, of %s; %s of the journal follow", age,
			several(int(info.Documents), "document"), several(int(rest), "record")))}, nil
	}
}

// retentionOf reads retention.ms. ok is false if records are not deleted by age.
func retentionOf(text string) (time.Duration, bool) {
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil || ms <= 0 || ms > int64(10*365*24*time.Hour/time.Millisecond) {
		return 0, false
	}
	return time.Duration(ms) * time.Millisecond, true
}
