package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/index/entry"
)

// BalancedAs is the name of the way in which sessions share out partitions. No other program offers it, so Kafka lets
// none of their consumers of the classic protocol in while a session is in the group.
const BalancedAs = "unecho"

// Member is a member of a group, whatever program it is of.
type Member struct {
	Name       string // its instance id, or what Kafka calls it
	Process    string // whose session it is; empty: of none of unecho's
	Instance   string // its instance id; empty: it has none
	Client     string
	Host       string
	Partitions []entry.PartitionName // that it reads, in order; not known of a group of the new protocol
	Guest      bool                  // it is none of unecho's
	Told       []byte                // what it added to its request to join; nothing while the group shares out partitions
}

// String tells a person which member that is.
func (m Member) String() string {
	return fmt.Sprintf("%s (client %s at %s)", m.Name, m.Client, m.Host)
}

// Membership is who is in a group.
type Membership struct {
	State   string // as Kafka calls it
	Members []Member
}

// Stable says that each member shows what it told.
func (m *Membership) Stable() bool { return m.State == "Stable" || len(m.Members) == 0 }

// Guests lists the members that are none of unecho's.
func (m *Membership) Guests() (names []string) {
	for _, one := range m.Members {
		if one.Guest {
			names = append(names, one.String())
		}
	}
	return names
}

// Members asks who is in a group, by either of Kafka's protocols: the answer to each says nothing of the other's. A
// group that does not exist has no members.
func Members(ctx context.Context, admin *kadm.Client, group string) (Membership, error) {
	classic, err := admin.DescribeGroups(ctx, group)
	g := classic[group]
	if err == nil {
		err = g.Err
	}
	if err != nil && !broker.NoGroup(err) {
		return Membership{}, fmt.Errorf("describe group %s: %w", group, err)
	}
	if len(g.Members) > 0 {
		return sessions(&g), nil
	}
	modern, err := admin.DescribeConsumerGroups(ctx, group)
	m := modern[group]
	if err == nil {
		err = m.Err
	}
	switch {
	case err == nil && len(m.Members) > 0:
		return consumers(&m), nil
	case err == nil, broker.NoGroup(err), errors.Is(err, kerr.UnsupportedVersion):
		return Membership{State: g.State}, nil
	case errors.As(err, new(*kerr.Error)), broker.Transient(err), ctx.Err() != nil:
		return Membership{}, fmt.Errorf("describe group %s: %w", group, err)
	}
	return Membership{State: g.State}, nil // the brokers are older than the new protocol, so nobody takes part by it
}

// sessions are the members of a group of the classic protocol. While it shares out partitions it does not say how, and
// all are taken for sessions. If they are not, Kafka lets no session in.
func sessions(g *kadm.DescribedGroup) Membership {
	all := Membership{State: g.State}
	for _, m := range g.Members {
		is := memberOf(m.InstanceID, m.MemberID, m.ClientID, m.ClientHost)
		is.Process, is.Guest = Process(m.InstanceID), g.Protocol != "" && g.Protocol != BalancedAs
		if dealt, ok := m.Assigned.AsConsumer(); ok {
			for _, t := range dealt.Topics {
				for _, partition := range t.Partitions {
					is.Partitions = append(is.Partitions, entry.Name(t.Topic, partition))
				}
			}
			slices.SortFunc(is.Partitions, entry.PartitionName.Compare)
		}
		if told, ok := m.Join.AsConsumer(); ok {
			is.Told = told.UserData
		}
		all.Members = append(all.Members, is)
	}
	slices.SortFunc(all.Members, byName)
	return all
}

// classicMember is what Kafka calls a member of the classic protocol in a group of the new one. A session may be one
// for a moment, until it sees that the group is shared.
const classicMember = 0

func consumers(g *kadm.DescribedConsumerGroup) Membership {
	all := Membership{State: g.State}
	for _, m := range g.Members {
		is := memberOf(m.InstanceID, m.MemberID, m.ClientID, m.ClientHost)
		is.Guest = m.MemberType != classicMember
		all.Members = append(all.Members, is)
	}
	slices.SortFunc(all.Members, byName)
	return all
}

func memberOf(instance *string, id, client, host string) Member {
	is := Member{Name: id, Client: client, Host: strings.TrimPrefix(host, "/")}
	if instance != nil {
		is.Name, is.Instance = *instance, *instance
	}
	return is
}

func byName(a, b Member) int { return strings.Compare(a.Name, b.Name) }
