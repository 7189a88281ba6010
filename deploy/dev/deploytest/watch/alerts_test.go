package watch

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// state is one that members are brought into, and the alerts that must fire for it.
type state struct {
	name   string
	alerts []string
	bring  func(s *scene) (targets []*member, meanwhile func())
}

func states() []state {
	return []state{
		{"no member is there", []string{"UnechoAbsent"}, func(*scene) ([]*member, func()) { return nil, idle }},
		{"a group is gone, and another is there", []string{"UnechoAbsent"}, removed},
		{"a member was killed", []string{"UnechoNotReady"}, killed},
		{"a member cannot forward", []string{"UnechoNotReady"}, unready},
		{"the outputs take nothing", []string{"UnechoNotReady", "UnechoStands", "UnechoFallsBehind", "UnechoPartitionLags"}, outputsClosed},
		{"offsets cannot be read", []string{"UnechoLagUnknown"}, offsetsHidden},
		{"retention was quicker", []string{"UnechoLostToRetention"}, deleted},
		{"somebody else has committed", []string{"UnechoSkipped"}, skipped},
		{"a batch cannot be read", []string{"UnechoPartitionWaits"}, unreadable},
		{"a topic has outputs that take too little", []string{"UnechoTopicNotTaken"}, untaken},
		{"a partition has no leader", []string{"UnechoPartitionLeaderless"}, leaderless},
		{"transactions do not end", []string{"UnechoRebuildsSessions"}, transactionsFail},
		{"the journal cannot be read", []string{"UnechoJournalStalls", "UnechoMemberWithdraws"}, journalClosed},
		{"a member is wrong", []string{"UnechoReplicasDiffer"}, different},
		{"somebody writes to the journal", []string{"UnechoStrayRecords"}, stray},
		{"the window is too small", []string{"UnechoWindowShort"}, windowFull},
		{"documents have most of their text in common", []string{"UnechoMissesCopies"}, cut},
		{"documents are no JSON", []string{"UnechoRejects"}, notJSON},
		{"no condition holds", []string{"UnechoUnchecked"}, unchecked},
		{"copies come no more", []string{"UnechoDuplicatesCease"}, copiesCease},
		{"all are copies", []string{"UnechoOnlyDuplicates"}, onlyCopies},
		{"the journal is away, and documents are passed on", []string{"UnechoJournalAway"}, journalAway},
		{"a clock is off", []string{"UnechoClockOff"}, clockOff},
		{"a member is killed again and again", []string{"UnechoRestarts"}, restarted},
		{"nobody trims the journal", []string{"UnechoJournalGrows"}, untrimmed},
		{"memory is at its limit", []string{"UnechoMemoryNearLimit"}, nearLimit},
		{"the certificate has expired", []string{"UnechoCertificateExpires"}, expired},
		{"the snapshot store is gone", []string{"UnechoSnapshotsFail", "UnechoSnapshotsOld"}, storeGone},
		{"files of old documents cannot be written", []string{"UnechoFilesFail"}, filesFail},
		{"a disk is too slow for blocks", []string{"UnechoFilesSlow"}, filesSlow},
	}
}

// Each alert fires for a member that is in the state it is about.
func TestAlertsFire(t *testing.T) {
	t.Parallel()
	for _, st := range states() {
		t.Run(st.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			targets, meanwhile := st.bring(s)
			newLapse(t, targets...).until(meanwhile, st.alerts...)
		})
	}
}

// There is a state for each alert.
func TestAlertsAreAllMadeToFire(t *testing.T) {
	t.Parallel()
	made := map[string]bool{}
	for _, st := range states() {
		for _, alert := range st.alerts {
			made[alert] = true
		}
	}
	if there := slices.Sorted(maps.Keys(alerting(t))); !slices.Equal(there, slices.Sorted(maps.Keys(made))) {
		t.Errorf("the alerts are %v, and these are made to fire: %v", there, slices.Sorted(maps.Keys(made)))
	}
}

// Nothing fires for members that are well, with work and without, nor when one is restarted. Time goes on only when
// they have done what members do in it, so that a machine with other work shows no trouble that is none of theirs.
func TestAlertsAreSilentInHealth(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	patient := []string{"advanced.session_timeout=20s"}
	one, two := s.start("one", patient...), s.start("two", patient...)
	s.produce(200)
	s.settled(one)
	s.settled(two)
	l := newLapse(t, one, two)
	l.waits = 1 // lags are read once a second, also when the lapse is quick
	ready := func() {
		for _, m := range l.targets {
			s.until(m.name+" is ready", func() bool { _, is := m.get("/ready"); return is })
		}
	}
	work := func() {
		s.produce(3)
		ready()
		s.until("the group has committed all", func() bool { return s.behind() == 0 })
		s.until("there is a fresh snapshot", func() bool { return time.Since(newestSnapshot(one, two)) < 4*time.Second })
	}
	l.steps(60, work)
	for _, m := range l.targets {
		s.until("it has seen that nothing is behind", func() bool {
			text, _ := m.scrape()
			return strings.Contains(string(text), "\nunecho_source_lag_documents 0\n")
		})
	}
	l.steps(80, ready)
	two.stop()
	l.steps(3, idle)
	two = s.start("two", patient...)
	s.settled(two)
	l.targets = []*member{one, two}
	l.steps(80, work)
	if len(l.firing) > 0 {
		t.Errorf("%v fire", slices.Sorted(maps.Keys(l.firing)))
	}
}

// newestSnapshot is when the newest snapshot of which members know was taken.
func newestSnapshot(members ...*member) (at time.Time) {
	for _, m := range members {
		text, _ := m.scrape()
		_, rest, _ := strings.Cut(string(text), "\nunecho_snapshot_timestamp_seconds ")
		line, _, _ := strings.Cut(rest, "\n")
		seconds, err := strconv.ParseFloat(line, 64)
		if taken := time.UnixMilli(int64(1000 * seconds)); err == nil && taken.After(at) {
			at = taken
		}
	}
	return at
}
