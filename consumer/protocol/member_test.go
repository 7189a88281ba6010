package protocol

import (
	"slices"
	"testing"
	"time"

	"github.com/unecho/unecho/index/entry"
)

// reads is an assignment of a partition of a live group.
func reads(partition int32, base int64) *Assignment {
	return &Assignment{
		TopicPartition: TopicPartition{Topic: "news", Source: entry.Source{Partition: partition}}, Base: base, Mode: live{},
	}
}

// leads is the member of a session that has these partitions.
func leads(mode Mode, now time.Time, of ...*Assignment) *Member {
	m := NewMember(mode, NewIntake(100), 10, now)
	m.Give(of...)
	return m
}

// A client does not tell of each loss. What is given again replaces what there was: its counts and its base are older.
func TestWhatIsGivenAgainReplaces(t *testing.T) {
	before, other, after := reads(0, 100), reads(1, 7), reads(0, 500)
	m := leads(live{}, time.Now(), before, other)
	m.Give(after)
	if got := m.Assigned(); !slices.Equal(got, []*Assignment{other, after}) || m.Find(before.Name()) != after {
		t.Errorf("it has %d partitions, and finds base %d; want two, and base 500", len(got), m.Find(before.Name()).Base)
	}
	m.Take(after.Name())
	if got := m.Assigned(); !slices.Equal(got, []*Assignment{other}) || m.Find(after.Name()) != nil || !m.Revoked() {
		t.Errorf("after the partition was taken away it has %d, revoked %t; want the other one, and true", len(got), m.Revoked())
	}
}

// What is recorded is no output's business: that those refused something, or were slow, makes its polls no smaller.
func TestRecordingPollsTheMost(t *testing.T) {
	now := time.Now()
	a := reads(0, 9)
	a.Unjournaled = 5
	m := leads(live{}, now, a)
	m.intake.split(100)
	if got := m.Next(now, Journal{}); got.Want != WantUnjournaled || got.Records != 100 {
		t.Errorf("it wants %d of %d records, want WantOwed of 100", got.Want, got.Records)
	}
	if got := m.Next(now, Journal{Away: true}); got.Want != WantRecords || got.Records != 12 {
		t.Errorf("in the outage it wants %d of %d records, want WantRecords of 12", got.Want, got.Records)
	}
}

// What is committed is announced after a poll that waited in vain, not after one that had no room for what came.
func TestQuietIsAnnounced(t *testing.T) {
	now := time.Now()
	for waited, want := range map[bool]Want{true: WantAnnouncements, false: WantRecords} {
		m := leads(live{}, now, reads(0, 9))
		m.Fetched(now, Journal{}, Fetch{Waited: waited}, false)
		if got := m.Next(now, Journal{}); got.Want != want {
			t.Errorf("after a poll that brought nothing, and waited %t, it wants %d, want %d", waited, got.Want, want)
		}
	}
}

// Whether anything is left of a range is asked after polls that brought nothing, and not after others.
func TestWhatIsLeftIsAskedAfterNothingCame(t *testing.T) {
	began := time.UnixMilli(1_800_000_000_000)
	late := began.Add(EmptyPatience)
	a := reads(0, 4)
	a.Range = Range{Topic: "news", To: 9}
	mode := backfill{plan: &Plan{Order: ByArrival, Ranges: []Range{a.Range}}}
	a.Mode, a.Announced = mode, 4
	m := leads(mode, began, a)
	m.Fetched(began, Journal{}, Fetch{}, false)
	if got := m.Next(began, Journal{}).Want; got != WantRecords {
		t.Errorf("at once it wants %d, want WantRecords", got)
	}
	if got := m.Next(late, Journal{}); got.Want != WantEnds || len(got.Of) != 1 {
		t.Errorf("when nothing has come for a while it wants %d of %d, want WantEnds of one", got.Want, len(got.Of))
	}
	m.Fetched(late, Journal{}, Fetch{Records: 1}, false)
	if got := m.Next(late.Add(EmptyPatience), Journal{}).Want; got != WantRecords {
		t.Errorf("after records have come it wants %d, want WantRecords", got)
	}
}
