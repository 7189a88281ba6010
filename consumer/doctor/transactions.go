package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
)

const (
	ongoing = "Ongoing"
	// brokerBound is Kafka's default for the greatest time-out of a transaction (transaction.max.timeout.ms). One that
	// is open for longer hangs, unless its coordinator says that it may last longer.
	brokerBound = 15 * time.Minute
	// unknownBound is how long a transaction that no coordinator knows may still be about to end.
	unknownBound = time.Minute
	// abortGrace is how late a coordinator may abort a transaction that has timed out: it looks every ten seconds.
	abortGrace = 20 * time.Second
)

// transactions checks our transactions, and all that are open on our topics, whoever began them.
func (p *patient) transactions(ctx context.Context) ([]Finding, error) {
	listed, err := p.admin.ListTransactions(ctx, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("list transactions: %w", err)
	}
	findings, err := p.ours(ctx, listed)
	if err != nil {
		return findings, err
	}
	more, err := p.hanging(ctx, listed)
	return append(findings, more...), err
}

// ours checks the transactional ids of the group's slots.
func (p *patient) ours(ctx context.Context, listed kadm.ListedTransactions) ([]Finding, error) {
	prefix := p.in.Params.Group + "/"
	var ids []string
	for _, t := range listed.Sorted() {
		if strings.HasPrefix(t.TxnID, prefix) {
			ids = append(ids, t.TxnID)
		}
	}
	if len(ids) == 0 {
		return []Finding{fine("no transactional id begins with " + prefix + ", or none may be seen")}, nil
	}
	described, err := p.admin.DescribeTransactions(ctx, ids...)
	if err != nil {
		return nil, fmt.Errorf("describe transactions: %w", err)
	}
	var findings []Finding
	open := 0
	for _, t := range described.Sorted() {
		if t.Err != nil {
			findings = told(findings, fmt.Errorf("describe transactional id %s: %w", t.TxnID, t.Err))
		}
		if t.State != ongoing {
			continue
		}
		open++
		since := p.now().Sub(time.UnixMilli(t.StartTimestamp))
		if bound := time.Duration(t.TimeoutMillis) * time.Millisecond; since > bound+abortGrace {
			findings = append(findings,
				problem(fmt.Sprintf("%s: its transaction is open for %v, and times out after %v", t.TxnID, since.Round(time.Second), bound),
					"readers of the outputs stand still before it, and offsets stay uncommitted",
					fmt.Sprintf("see the log of broker %d, its coordinator; a start of a member that takes this id ends the "+
						"transaction", t.Coordinator)))
		}
	}
	return append(findings, fine(fmt.Sprintf("%d transactional ids begin with %s, %d with a transaction open", len(ids),
		prefix, open))), nil
}

// hanging finds open transactions on our topics that will not end by themselves.
func (p *patient) hanging(ctx context.Context, listed kadm.ListedTransactions) ([]Finding, error) {
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
	terms, err := p.terms(ctx, listed)
	if err != nil {
		return nil, err
	}
	findings := p.unseenProducers(described)
	for _, d := range described.SortedProducers() {
		if f, ok := p.hangs(&d, terms[d.ProducerID]); ok {
			findings = append(findings, f)
		}
	}
	if len(findings) == 0 && len(p.unasked(append(p.outputs(), p.sources...)...)) == 0 {
		findings = append(findings, fine("none hangs on sources and outputs"))
	}
	return findings, nil
}

// unseenProducers returns a finding for each topic that does not tell who writes to it.
func (p *patient) unseenProducers(described kadm.DescribedProducersTopics) (findings []Finding) {
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
			findings = told(findings, fmt.Errorf("describe who writes to %s/%d: %w", part.Topic, part.Partition, part.Err))
		}
		said[part.Topic] = true
	}
	return findings
}

// terms returns how long the coordinators let the open transactions of producers last.
func (p *patient) terms(ctx context.Context, listed kadm.ListedTransactions) (map[int64]time.Duration, error) {
	terms := map[int64]time.Duration{}
	var ids []string
	for _, t := range listed {
		if t.State == ongoing || strings.HasPrefix(t.State, "Prepare") {
			ids, terms[t.ProducerID] = append(ids, t.TxnID), brokerBound
		}
	}
	if len(ids) == 0 {
		return terms, nil
	}
	described, err := p.admin.DescribeTransactions(ctx, ids...)
	if err != nil {
		return nil, fmt.Errorf("describe transactions: %w", err)
	}
	for _, t := range described {
		if t.Err == nil {
			terms[t.ProducerID] = max(brokerBound, time.Duration(t.TimeoutMillis)*time.Millisecond+abortGrace)
		}
	}
	return terms, nil
}

// hangs reports a producer's transaction that is open for longer than its coordinator lets it last. One that no
// coordinator tells of is also reported, but that is no proof: this user may not be allowed to see it. Only after the
// greatest time-out that brokers allow has it two proofs.
func (p *patient) hangs(d *kadm.DescribedProducer, term time.Duration) (Finding, bool) {
	since := p.now().Sub(time.UnixMilli(d.LastTimestamp))
	at := fmt.Sprintf("%s/%d", d.Topic, d.Partition)
	const why = "readers of committed records stand still before it, unecho too where it is the source"
	switch {
	case d.CurrentTxnStartOffset < 0, term > 0 && since < term, since < unknownBound:
		return Finding{}, false
	case since < brokerBound:
		return note(fmt.Sprintf("%s: no coordinator tells of a transaction of producer %d, open since offset %d, for %v", at,
			d.ProducerID, d.CurrentTxnStartOffset, since.Round(time.Second)), why,
			fmt.Sprintf("nothing if its program is at work, and this user may only not see it; else look again in %v",
				brokerBound)), true
	}
	remedy := fmt.Sprintf("kafka-transactions.sh --bootstrap-server %s abort --topic %s --partition %d --start-offset %d",
		p.server, d.Topic, d.Partition, d.CurrentTxnStartOffset)
	if term == 0 {
		remedy = "if no program with a transaction.timeout.ms above " + brokerBound.String() + " writes there: " + remedy
	}
	return costly(fmt.Sprintf("%s/%d", at, d.CurrentTxnStartOffset),
		fmt.Sprintf("%s: a transaction of producer %d hangs since offset %d, for %v", at, d.ProducerID,
			d.CurrentTxnStartOffset, since.Round(time.Second)), why, remedy), true
}
