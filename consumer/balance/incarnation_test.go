package balance

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Of two processes with one name exactly one yields, and nobody yields to itself.
func TestYieldsTo(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_800_000_000_000)
	early, late, other := NewIncarnation(now, false), NewIncarnation(now.Add(time.Millisecond), false), NewIncarnation(now, false)
	if early.YieldsTo(early) {
		t.Error("yields to itself")
	}
	if !early.YieldsTo(late) || late.YieldsTo(early) {
		t.Error("the earlier does not yield to the later, or the later to the earlier")
	}
	if early != other && early.YieldsTo(other) == other.YieldsTo(early) {
		t.Errorf("of %s and %s, started at once, both yield or none", early, other)
	}
	if !late.YieldsTo(foreign) {
		t.Error("does not yield to who is no session")
	}
}

// What a session joins with tells its incarnation, and still all that its partitions are shared out by.
func TestIncarnationInMetadata(t *testing.T) {
	t.Parallel()
	of := NewIncarnation(time.UnixMilli(1_800_000_000_000), false)
	plain := kgo.CooperativeStickyBalancer()
	told := New(of).JoinGroupMetadata([]string{"news"}, map[string][]int32{"news": {1, 2}}, 7)
	for _, c := range []struct {
		name     string
		metadata []byte
		want     Incarnation
	}{
		{"ours", told, of},
		{"of another program", plain.JoinGroupMetadata([]string{"news"}, map[string][]int32{"news": {1, 2}}, 7), foreign},
		{"nothing", nil, foreign},
	} {
		if got := shown(c.metadata); got != c.want {
			t.Errorf("%s: read as %q, want %q", c.name, got, c.want)
		}
	}
	got := kmsg.NewConsumerMemberMetadata()
	if err := got.ReadFrom(told); err != nil || got.Generation != 7 || len(got.OwnedPartitions) != 1 ||
		len(got.Topics) != 1 {
		t.Errorf("the metadata is read as %+v, error %v; want one topic, generation 7 and the partitions of one topic", got, err)
	}
}

// shown is what the group shows of a member that joined with the metadata, as a process reads it.
func shown(metadata []byte) Incarnation {
	var m kmsg.ConsumerMemberMetadata
	_ = m.ReadFrom(metadata) // what is cut short is read as far as it goes
	return IncarnationIn(m.UserData)
}
