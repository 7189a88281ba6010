package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
)

const (
	ongoing = "Ongoing"
	// brokerBound is Kafka's default for the greatest time-out of a transaction (transaction.max.timeout.ms).
	brokerBound = 15 * time.Minute
	// unknownBound is how long a transaction that no coordinator knows may still be about to end.
	unknownBound = time.Minute
	// abortGrace is how late a coordinator may abort a transaction that has timed out: it looks every ten seconds.
	abortGrace = 20 * time.Second
)

// transactions checks our transactions, and all that are open on our topics, whoever began them.
func (p *target) transactions(ctx context.Context) ([]Finding, error) {
	listed, err := p.admin.ListTransactions(ctx, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("list transactions: %w", err)
	}
	prefix := p.in.Params.Group + "/"
	var ids []string
	for _, t := range listed.Sorted() {
		if strings.HasPrefix(t.TxnID, prefix) || unfinished(t.State) {
			ids = append(ids, t.TxnID)
		}
	}
	described := kadm.DescribedTransactions{}
	if len(ids) > 0 {
		if described, err = p.admin.DescribeTransactions(ctx, ids...); err != nil {
			return nil, fmt.Errorf("describe transactions: %w", err)
		}
	}
	for id, t := range described {
		if t.Err != nil { // then only the list says whose it is
			t.ProducerID = listed[id].ProducerID
			described[id] = t
		}
	}
	findings := p.ours(described, prefix)
	more, err := p.hanging(ctx, described)
	return append(findings, more...), err
}

// unfinished says that a transaction is open, or that its end was decided and not all partitions know it.
func unfinished(state string) bool { return state == ongoing || strings.HasPrefix(state, "Prepare") }

// ours checks the transactional ids of the group's slots.
func (p *target) ours(described kadm.DescribedTransactions, prefix string) []Finding {
	var findings []Finding
	open, ids := 0, 0
	for _, t := range described.Sorted() {
		if !strings.HasPrefix(t.TxnID, prefix) {
			continue
		}
		ids++
		if t.Err != nil {
			findings = withUnseen(findings, undescribed(&t))
		}
		if t.State == ongoing {
			open++
		}
		if f, late := p.overdue(&t); late {
			findings = append(findings, f)
		}
	}
	if ids == 0 {
		return []Finding{fine("no transactional id begins with " + prefix + ", or none may be seen")}
	}
	return append(findings, fine(fmt.Sprintf("%d transactional ids begin with %s, %d with a transaction open", ids, prefix, open)))
}

func undescribed(t *kadm.DescribedTransaction) error {
	return fmt.Errorf("describe transactional id %s: %w", t.TxnID, t.Err)
}

// overdue reports a transaction that its coordinator should have ended. It is not known how far the coordinator's clock
// is off, by which the transaction has begun, so a second look has to find the same one.
func (p *target) overdue(t *kadm.DescribedTransaction) (Finding, bool) {
	since, bound := p.now().Sub(time.UnixMilli(t.StartTimestamp)), time.Duration(t.TimeoutMillis)*time.Millisecond
	if !unfinished(t.State) || since <= bound+abortGrace {
		return Finding{}, false
	}
	place := fmt.Sprintf("%s since %d", t.TxnID, t.StartTimestamp)
	const why = "readers of its topics stand still before it, and offsets stay uncommitted"
	if t.State != ongoing {
		return costly(place, fmt.Sprintf("%s: its transaction is in %s, %v after it began by this machine's clock: a partition does "+
			"not learn how it ended", t.TxnID, t.State, since.Round(time.Second)), why,
			fmt.Sprintf("start the brokers whose partitions kafka-topics.sh --bootstrap-server %s --describe "+
				"--unavailable-partitions names; if it names none, see the log of broker %d, its coordinator, and restart that: "+
				"who coordinates then tells them again", p.server, t.Coordinator)), true
	}
	return costly(place,
		fmt.Sprintf("%s: its transaction is open for %v by this machine's clock, and times out after %v", t.TxnID,
			since.Round(time.Second), bound), why,
		fmt.Sprintf("see the log and the clock of broker %d, its coordinator; a start of a member that takes this id ends the "+
			"transaction", t.Coordinator)), true
}

// hanging finds open transactions on our topics that will not end by themselves, or should have.
func (p *target) hanging(ctx context.Context, known kadm.DescribedTransactions) ([]Finding, error) {
	topics := p.existing(append(p.outputs(), p.sources...)...)
	if len(topics) == 0 {
		return nil, nil
	}
	set := kadm.TopicsSet{}
	for _, name := range topics {
		set.Add(name)
	}
	described, err := p.admin.DescribeProducers(ctx, set)
	if err != nil {
		return nil, fmt.Errorf("describe producers: %w", err)
	}
	findings, told, unsure := p.unseenProducers(described), map[string]bool{}, false
	var orphans []Finding
	for _, d := range described.SortedProducers() {
		t := coordinated(known, &d)
		if t == nil {
			if f, found := p.hangs(&d); found {
				orphans = append(orphans, f)
			}
			continue
		}
		unsure = unsure || t.Err != nil
		if told[t.TxnID] || strings.HasPrefix(t.TxnID, p.in.Params.Group+"/") { // ours says that
			continue
		}
		told[t.TxnID] = true
		if t.Err != nil {
			findings = append(findings, unseen(undescribed(t)))
		} else if f, late := p.overdue(t); late {
			findings = append(findings, f)
		}
	}
	if len(orphans) > 0 {
		orphans, err = p.unlisted(ctx, orphans)
		return append(findings, orphans...), err
	}
	unasked := func(name string) bool { return p.topic[name] == unknown }
	if len(findings) == 0 && !unsure && !slices.ContainsFunc(append(p.outputs(), p.sources...), unasked) {
		findings = append(findings, fine("none hangs on sources and outputs"))
	}
	return findings, nil
}

// unlisted returns findings about transactions that no coordinator tells of, or that some coordinators are missing: what they
// know is in no list, and no error says so.
func (p *target) unlisted(ctx context.Context, unknown []Finding) ([]Finding, error) {
	const topic = "__transaction_state"
	listed, err := p.admin.ListTopicsWithInternal(ctx, topic)
	if err != nil && !forbidden(err) {
		return nil, fmt.Errorf("list %s: %w", topic, err)
	}
	without := 0
	listed.EachPartition(func(d kadm.PartitionDetail) {
		if d.Leader < 0 || d.Err != nil {
			without++
		}
	})
	if without == 0 { // or this user may not see it: the remedies say so
		return unknown, nil
	}
	return []Finding{problem(fmt.Sprintf("%d partitions of %s have no leader: nobody tells of the transactions that are noted there",
		without, topic), "they do not end, and readers of committed records stand still before them",
		fmt.Sprintf("start the brokers that hold them: kafka-topics.sh --bootstrap-server %s --describe --unavailable-partitions "+
			"--topic %s", p.server, topic))}, nil
}

// coordinated returns the transaction of a producer on a partition, if a coordinator knows it: that ends it, at the latest
// when it times out. nil: none does. Its Err is set where the coordinator has it in its list, and does not say more.
func coordinated(known kadm.DescribedTransactions, d *kadm.DescribedProducer) *kadm.DescribedTransaction {
	for _, t := range known {
		if t.ProducerID == d.ProducerID && (t.Err != nil || unfinished(t.State) && t.Topics.Lookup(d.Topic, d.Partition)) {
			return &t
		}
	}
	return nil
}

// unseenProducers returns a finding for each topic that does not tell who writes to it.
func (p *target) unseenProducers(described kadm.DescribedProducersTopics) (findings []Finding) {
	said := map[string]bool{}
	for _, part := range described.SortedPartitions() {
		switch {
		case part.Err == nil || said[part.Topic]:
			continue
		case forbidden(part.Err):
			findings = append(findings, note("topic "+part.Topic+": not allowed to see who writes to it",
				"a transaction that hangs there would not be found",
				fmt.Sprintf("kafka-acls.sh --bootstrap-server %s --add --allow-principal User:NAME --operation Read --topic %s",
					p.server, part.Topic)))
		default:
			findings = withUnseen(findings, fmt.Errorf("describe who writes to %s/%d: %w", part.Topic, part.Partition, part.Err))
		}
		said[part.Topic] = true
	}
	return findings
}

// hangs reports a producer's open transaction that no coordinator tells of. That is no proof: this user may not be allowed
// to see it. Nor is its age known, for the timestamp of its last record is the document's own. A second look has to find the
// same one: it may have begun after transactions were listed, or its coordinator was just moving.
func (p *target) hangs(d *kadm.DescribedProducer) (Finding, bool) {
	since := p.now().Sub(time.UnixMilli(d.LastTimestamp))
	at := fmt.Sprintf("%s/%d", d.Topic, d.Partition)
	place := fmt.Sprintf("%s/%d", at, d.CurrentTxnStartOffset)
	const why = "readers of committed records stand still before it, unecho too where it is the source"
	switch {
	case d.CurrentTxnStartOffset < 0, since < unknownBound:
		return Finding{}, false
	case since < brokerBound:
		f := note(fmt.Sprintf("%s: no coordinator tells of a transaction of producer %d, open since offset %d, with a record of %v ago",
			at, d.ProducerID, d.CurrentTxnStartOffset, since.Round(time.Second)), why,
			fmt.Sprintf("nothing if its program is at work, and this user may only not see it; else look again in %v",
				brokerBound))
		f.costs = place
		return f, true
	}
	return costly(place,
		fmt.Sprintf("%s: a transaction of producer %d hangs since offset %d, with a record of %v ago: no coordinator tells of it", at,
			d.ProducerID, d.CurrentTxnStartOffset, since.Round(time.Second)), why,
		fmt.Sprintf("if no program is at work there whose transactions this user may not see: kafka-transactions.sh "+
			"--bootstrap-server %s abort --topic %s --partition %d --start-offset %d", p.server, d.Topic, d.Partition,
			d.CurrentTxnStartOffset)), true
}
