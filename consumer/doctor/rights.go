package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/document"
)

// need is the set of rights that the service must have on a topic or the group.
type need struct {
	resource   string // as kafka-acls.sh names it
	name       string
	operations []kmsg.ACLOperation
	wishes     []kmsg.ACLOperation // rights that are useful, and that the service can do without
	why        string
}

// needs returns the needs for the topics that exist: see permissions.md.
func (p *target) needs() (all []need) {
	for _, name := range p.existing(p.sources...) {
		all = append(all, need{"topic", name, []kmsg.ACLOperation{kmsg.ACLOperationRead}, nil, "documents are read from it"})
	}
	if p.in.Takes {
		for _, name := range p.existing(document.Named(p.in.Sources)...) {
			all = append(all, need{
				"topic", name,
				[]kmsg.ACLOperation{kmsg.ACLOperationWrite},
				nil,
				"documents that come over HTTP are written to it (http.ingest)",
			})
		}
	}
	for _, name := range p.existing(p.outputs()...) {
		n := need{
			"topic", name,
			[]kmsg.ACLOperation{kmsg.ACLOperationWrite, kmsg.ACLOperationDescribeConfigs},
			nil,
			"documents are forwarded to it",
		}
		if p.in.Sink.Create.Enabled {
			n.wishes = []kmsg.ACLOperation{kmsg.ACLOperationAlter}
		}
		all = append(all, n)
	}
	for _, name := range p.existing(p.in.Journal.Topic) {
		n := need{"topic", name, []kmsg.ACLOperation{
			kmsg.ACLOperationRead, kmsg.ACLOperationWrite,
			kmsg.ACLOperationDescribeConfigs,
		}, nil, "decisions are ordered by it"}
		if p.in.Snapshot.For.Trims() { // members delete what the journal needs no more
			n.operations = append(n.operations, kmsg.ACLOperationDelete)
		}
		all = append(all, n)
	}
	return all
}

// rights checks what Kafka says this user may do. Kafka says nothing of transactional ids.
func (p *target) rights(ctx context.Context) ([]Finding, error) {
	allowed, err := p.topicRights(ctx)
	if err != nil {
		return nil, err
	}
	var findings []Finding
	lacking, told := 0, true
	for _, n := range p.needs() {
		may, known := allowed[n.name]
		told = told && known
		if !known {
			continue
		}
		for _, op := range n.operations {
			if !slices.Contains(may, op) {
				lacking++
				findings = append(findings,
					problem(fmt.Sprintf("%s %s: the right %s is missing", n.resource, n.name, operation(op)), n.why, p.grant(&n, op)))
			}
		}
		for _, op := range n.wishes {
			if !slices.Contains(may, op) {
				findings = append(findings, note(fmt.Sprintf("%s %s: the right %s is missing", n.resource, n.name, operation(op)),
					"when the source gets more partitions the outputs do not by themselves", p.grant(&n, op)))
			}
		}
	}
	more, err := p.groupRights(ctx)
	switch {
	case err != nil:
		return findings, err
	case !told:
		findings = append(findings, note("Kafka does not tell what this user may do",
			"a missing right shows only when it is needed", "compare with permissions.md"))
	case lacking+len(more) == 0:
		findings = append(findings, fine("all that Kafka lists; those of transactional ids it does not list"))
	}
	return append(findings, more...), nil
}

func (p *target) topicRights(ctx context.Context) (map[string][]kmsg.ACLOperation, error) {
	req := kmsg.NewPtrMetadataRequest()
	req.IncludeTopicAuthorizedOperations = true
	req.Topics = []kmsg.MetadataRequestTopic{}
	asked := map[string]bool{}
	for _, n := range p.needs() {
		if asked[n.name] {
			continue
		}
		asked[n.name] = true
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = &n.name
		req.Topics = append(req.Topics, t)
	}
	resp, err := req.RequestWith(ctx, p.client)
	if err != nil {
		return nil, fmt.Errorf("ask for rights: %w", err)
	}
	allowed := map[string][]kmsg.ACLOperation{}
	for _, t := range resp.Topics {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil && t.Topic != nil {
			return nil, fmt.Errorf("ask for rights on topic %s: %w", *t.Topic, err)
		}
		if may := kadm.DecodeACLOperations(t.AuthorizedOperations); t.Topic != nil && len(may) > 0 {
			allowed[*t.Topic] = may
		}
	}
	return allowed, nil
}

func (p *target) groupRights(ctx context.Context) ([]Finding, error) {
	req := kmsg.NewPtrDescribeGroupsRequest()
	req.Groups, req.IncludeAuthorizedOperations = []string{p.in.Params.Group}, true
	resp, err := req.RequestWith(ctx, p.client)
	if err != nil {
		return nil, fmt.Errorf("ask for rights: %w", err)
	}
	n := need{resource: "group", name: p.in.Params.Group}
	for _, g := range resp.Groups {
		may := kadm.DecodeACLOperations(g.AuthorizedOperations)
		refused := kerr.ErrorForCode(g.ErrorCode)
		if forbidden(refused) || len(may) > 0 && !slices.Contains(may, kmsg.ACLOperationRead) {
			return []Finding{problem("group "+n.name+": the right Read is missing",
				"members cannot share the partitions, nor commit", p.grant(&n, kmsg.ACLOperationRead))}, nil
		}
		if refused != nil && !broker.NoGroup(refused) {
			return nil, fmt.Errorf("ask for rights on group %s: %w", n.name, refused)
		}
	}
	return nil, nil
}

func (p *target) grant(n *need, op kmsg.ACLOperation) string {
	return fmt.Sprintf("kafka-acls.sh --bootstrap-server %s --add --allow-principal User:NAME --operation %s --%s %s",
		p.server, operation(op), n.resource, n.name)
}

// operation returns an operation's name as Kafka's tools write it: DescribeConfigs.
func operation(op kmsg.ACLOperation) string {
	var b strings.Builder
	for word := range strings.SplitSeq(op.String(), "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + strings.ToLower(word[1:]))
		}
	}
	return b.String()
}
