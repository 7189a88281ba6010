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
	// brokerBound is Kafka's default for the greatest time-out of a transaction (transaction.max.timeout.ms). A
	// transaction that is open for longer hangs.
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
	coordinated := map[int64]bool{}
	for _, t := range listed {
		coordinated[t.ProducerID] = coordinated[t.ProducerID] || t.State == ongoing || strings.HasPrefix(t.State, "Prepare")
	}
	var findings []Finding
	unseen := map[string]bool{}
	for _, part := range described.SortedPartitions() {
		if part.Err != nil {
			unseen[part.Topic] = true
		}
	}
	for _, d := range described.SortedProducers() {
		if f, ok := p.hangs(&d, coordinated[d.ProducerID]); ok {
			findings = append(findings, f)
		}
	}
	for _, name := range topics {
		if unseen[name] {
			findings = append(findings, note("topic "+name+": not allowed to see who writes to it",
				"a transaction that hangs there would not be found",
				fmt.Sprintf("kafka-acls.sh --bootstrap-server %s --add --allow-principal User:NAME --operation Read --topic %s",
					p.server, name)))
		}
	}
	if len(findings) == 0 {
		findings = append(findings, fine("none hangs on sources and outputs"))
	}
	return findings, nil
}

// hangs reports a producer's transaction if it is open and no coordinator will end it, or has not ended it for too
// long.
func (p *patient) hangs(d *kadm.DescribedProducer, coordinated bool) (Finding, bool) {
	since := p.now().Sub(time.UnixMilli(d.LastTimestamp))
	switch {
	case d.CurrentTxnStartOffset < 0, coordinated && since < brokerBound, since < unknownBound:
		return Finding{}, false
	}
	return problem(
		fmt.Sprintf("%s/%d: a transaction of producer %d hangs since offset %d, for %v", d.Topic, d.Partition, d.ProducerID,
			d.CurrentTxnStartOffset, since.Round(time.Second)),
		"readers of committed records stand still before it, unecho too where it is the source",
		fmt.Sprintf("kafka-transactions.sh --bootstrap-server %s abort --topic %s --partition %d --start-offset %d", p.server,
			d.Topic, d.Partition, d.CurrentTxnStartOffset)), true
}
