// Package balance deals the partitions of the group among its sessions, and tells processes of one name apart.
//
// A Balancer deals as the client's cooperative sticky balancer does. It puts a tag into what it deals, and takes nothing
// without one, so that no other program shares the group unnoticed (decision 71). An Incarnation is in the metadata with
// which a session joins: of two processes with one name the one that started later stays. What a session does with the
// partitions that it gets is for package takeover.
package balance

import (
	"bytes"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/stop"
)

// dealtTag stands in every assignment that a session deals as the leader of the group. Kafka does not convert a group
// with such assignments for a consumer of the new protocol, because what they say would be lost. And what Kafka deals
// itself, in a group of the new protocol, has no tag.
const dealtTag = "unecho1"

// ErrStranger says that the partitions were dealt by somebody else: the group is shared with another program.
var ErrStranger = errors.New("another program than unecho assigned the partitions")

// Shared is the error that ends a process where another program is in its group.
func Shared(group, who string, because error) *stop.Error {
	return &stop.Error{
		What: fmt.Sprintf("another program is a member of group %s, and takes documents that are then not judged: %s",
			group, who),
		Remedy: "stop that program, or give it a group of its own, and start again; the log then names what it " +
			"has committed, with the command that judges it",
		Err: because,
	}
}

// Together is what several members need where one stays alone.
const Together = "for several members, stop the one that is alone, and give all of them a store that all see, with its " +
	"snapshots: its directory with snapshots.directory.for: all, snapshots.postgres or snapshots.s3 (unecho snapshot export, import)"

// ErrSecond is wrapped by what ends a second member of a group in which one stays alone.
var ErrSecond = errors.New("one of the two is to stay alone (snapshots.directory.for: only), and trims the journal to its " +
	"own snapshots")

// Second is the error that ends such a member.
func Second(group string, first *cluster.Member) *stop.Error {
	return &stop.Error{What: fmt.Sprintf("%s is in group %s", first, group), Remedy: Together, Err: ErrSecond}
}

// Balancer is the balancer of the group (decision 71). It adds the session's incarnation to what the session tells when it joins,
// and the tag to what it deals.
type Balancer struct {
	kgo.GroupBalancer
	of    Incarnation
	stale atomic.Bool // this session leads the group, and has made no plan for it
}

// New lets a session join with the incarnation of its process, and with none but sessions.
func New(of Incarnation) *Balancer {
	return &Balancer{GroupBalancer: kgo.CooperativeStickyBalancer(), of: of}
}

// ProtocolName implements kgo.GroupBalancer. No other program offers the name, so Kafka refuses its consumers while a
// session is in the group.
func (b *Balancer) ProtocolName() string { return cluster.BalancedAs }

// JoinGroupMetadata implements kgo.GroupBalancer.
func (b *Balancer) JoinGroupMetadata(topics []string, assigned map[string][]int32, generation int32) []byte {
	plain := b.GroupBalancer.JoinGroupMetadata(topics, assigned, generation)
	metadata := kmsg.NewConsumerMemberMetadata()
	if err := metadata.ReadFrom(plain); err != nil {
		return plain
	}
	metadata.UserData = append(append(metadata.UserData, incarnationTag...), b.of...)
	return metadata.AppendTo(nil)
}

// MemberBalancer implements kgo.GroupBalancer. The client asks the leader of the group for it, also where the group
// keeps the plan that it has.
func (b *Balancer) MemberBalancer(members []kmsg.JoinGroupResponseMember) (kgo.GroupMemberBalancer, map[string]struct{}, error) {
	b.stale.Store(true)
	deals, err := kgo.NewConsumerBalancer(b, members)
	if err != nil {
		return nil, nil, fmt.Errorf("read what members tell: %w", err)
	}
	return deals, deals.MemberTopics(), nil
}

// Balance implements kgo.ConsumerBalancerBalance.
func (b *Balancer) Balance(members *kgo.ConsumerBalancer, partitions map[string]int32) kgo.IntoSyncAssignment {
	b.stale.Store(false)
	sticky, ok := b.GroupBalancer.(kgo.ConsumerBalancerBalance)
	if !ok {
		members.SetError(errors.New("the client's balancer deals no partitions"))
		return nil
	}
	return dealt(sticky.Balance(members, partitions).IntoSyncAssignment())
}

// ParseSyncAssignment implements kgo.GroupBalancer.
func (b *Balancer) ParseSyncAssignment(assignment []byte) (map[string][]int32, error) {
	var a kmsg.ConsumerMemberAssignment
	if err := a.ReadFrom(assignment); err != nil {
		return nil, fmt.Errorf("read the assignment: %w", err)
	}
	if !bytes.Equal(a.UserData, []byte(dealtTag)) {
		return nil, ErrStranger
	}
	return b.GroupBalancer.ParseSyncAssignment(assignment) // as the client's own balancer answers
}

// Again says, once, that the group is to be balanced again. Kafka has a leader that was away keep the plan of before,
// and the client tells only balancers of its own that topics or partitions came meanwhile.
func (b *Balancer) Again() bool { return b.stale.Swap(false) }

// dealt is a plan whose assignments have the tag.
type dealt []kmsg.SyncGroupRequestGroupAssignment

// IntoSyncAssignment implements kgo.IntoSyncAssignment.
func (d dealt) IntoSyncAssignment() []kmsg.SyncGroupRequestGroupAssignment {
	for i := range d {
		var a kmsg.ConsumerMemberAssignment
		if a.ReadFrom(d[i].MemberAssignment) == nil { // else it is refused for want of the tag
			a.UserData = []byte(dealtTag)
			d[i].MemberAssignment = a.AppendTo(nil)
		}
	}
	return d
}
