package api

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/unecho/unecho/consumer"
)

// condition is that of an alert of the same name, for one process: what it sees of the group, and of itself.
type condition struct {
	code    string
	lasting time.Duration // the alert waits for so long
	holds   func(*seen) bool
	text    func(*seen) string
	remedy  string
}

// anchor is the name of the alert's section in the runbook.
func anchor(code string) string { return strings.ToLower(code) }

type seen struct {
	*consumer.Stats
	now  reading
	kept []reading
	why  func(consumer.Stats) string

	sessions    int    // of this process
	certificate string // what is wrong with that of http.listen; empty: nothing
}

// back returns the reading of that long ago, or the first one; ok is false if there is none.
func (s *seen) back(by time.Duration) (r reading, ok bool) {
	for _, r := range s.kept {
		if s.now.at.Sub(r.at) <= by+readEvery {
			return r, true
		}
	}
	return reading{}, false
}

// rose returns by how much a counter has risen within a time.
func (s *seen) rose(within time.Duration, of func(*reading) uint64) uint64 {
	before, ok := s.back(within)
	if !ok || of(&s.now) < of(&before) {
		return 0
	}
	return of(&s.now) - of(&before)
}

// old says whether there are readings of that long ago.
func (s *seen) old(by time.Duration) bool {
	return len(s.kept) > 0 && s.now.at.Sub(s.kept[0].at) >= by
}

const quarter = 15 * time.Minute

func constant(text string) func(*seen) string { return func(*seen) string { return text } }

// conditions lists them, the most urgent first.
func conditions() []condition {
	return slices.Concat(haltConditions(), lagConditions(), verdictConditions(), replicaConditions(), storeConditions())
}

func haltConditions() []condition {
	return []condition{
		{
			"UnechoNotReady", 5 * time.Minute, func(s *seen) bool { return !s.now.ready },
			func(s *seen) string { return "this member forwards nothing: " + s.why(*s.Stats) },
			"look at the last lines of the log",
		},
		{
			"UnechoJournalAway", 2 * time.Minute, func(s *seen) bool { return s.Outage },
			constant("the journal does not answer: documents are passed on unchecked, and copies among them are not found"),
			"bring the journal's broker back, and restart no member meanwhile",
		},
		{
			"UnechoLostToRetention", 0,
			func(s *seen) bool { return s.rose(quarter, func(r *reading) uint64 { return r.deleted }) > 0 },
			func(s *seen) string {
				return fmt.Sprintf("retention deleted %d documents of the source before they were read",
					s.rose(quarter, func(r *reading) uint64 { return r.deleted }))
			},
			"keep the source longer (retention.ms, retention.bytes), or add members",
		},
		{
			"UnechoSkipped", 0,
			func(s *seen) bool { return s.rose(quarter, func(r *reading) uint64 { return r.skipped }) > 0 },
			func(s *seen) string {
				return fmt.Sprintf("somebody else has committed in the group: up to %d documents may be judged by nobody",
					s.rose(quarter, func(r *reading) uint64 { return r.skipped }))
			},
			"unecho audit names them, and the command that has them judged",
		},
		{
			"UnechoPartitionWaits", 5 * time.Minute, func(s *seen) bool { return len(s.Waiting) > 0 },
			func(s *seen) string {
				return fmt.Sprintf("%d partitions of this member wait for a person", len(s.Waiting))
			},
			"the log names them, and has the command",
		},
		{
			"UnechoPartitionLeaderless", 5 * time.Minute, func(s *seen) bool { return s.Leaderless > 0 },
			func(s *seen) string { return fmt.Sprintf("%d partitions of the source have no leader", s.Leaderless) },
			"start the brokers that hold them",
		},
		{
			"UnechoTopicNotTaken", quarter, func(s *seen) bool { return len(s.Untaken) > 0 },
			func(s *seen) string {
				return fmt.Sprintf("%d topics fit sources.pattern and are not read, %s among them: %s", len(s.Untaken),
					s.Untaken[0].Topic, s.Untaken[0].Why)
			},
			"correct its outputs; the log says how",
		},
		{
			"UnechoCertificateExpires", 5 * time.Minute, func(s *seen) bool { return s.certificate != "" },
			func(s *seen) string {
				return "the certificate of http.listen " + s.certificate + ": probes, Prometheus and people who check it do not connect"
			},
			"renew the files of http.tls: they are read again without a restart",
		},
	}
}

func lagConditions() []condition {
	return []condition{
		{
			"UnechoStands", 5 * time.Minute,
			func(s *seen) bool {
				return backlogOf(s) > 0 && s.old(10*time.Minute) &&
					s.rose(10*time.Minute, func(r *reading) uint64 { return r.commits }) == 0
			},
			func(s *seen) string {
				return fmt.Sprintf("%d documents wait in partitions of this member, and it has committed nothing for ten minutes", backlogOf(s))
			},
			"unecho doctor finds what holds it up; the log's last line says more",
		},
		{
			"UnechoFallsBehind", quarter,
			func(s *seen) bool {
				before, ok := s.back(quarter)
				return ok && s.old(quarter) && s.SourceLag > 0 && before.lag >= 0 && s.SourceLag >= before.lag && worst(s).
					Seconds > 60
			},
			func(s *seen) string {
				return fmt.Sprintf("the group is %d documents behind, and does not catch up%s", s.SourceLag, slowest(s))
			},
			"mend what is named; where it is CPU, add members or sessions",
		},
		{
			"UnechoPartitionLags", 10 * time.Minute, func(s *seen) bool { return worst(s).Seconds > 300 },
			func(s *seen) string {
				l := worst(s)
				return fmt.Sprintf("a document of %s/%d has waited for %v", l.Topic, l.Partition,
					time.Duration(l.Seconds*float64(time.Second)).Round(time.Second))
			},
			"if one partition lags alone, look at its broker and at the size of its documents; else add members",
		},
		{
			"UnechoLagUnknown", quarter, func(s *seen) bool { return s.now.ready && s.LagErr != nil },
			func(s *seen) string { return fmt.Sprintf("how far the group is behind cannot be read: %v", s.LagErr) },
			"look at Kafka, and at the group's rights",
		},
		{
			"UnechoRebuildsSessions", 0, func(s *seen) bool { return s.Standing.InARow >= 5 },
			func(s *seen) string { return "sessions are rebuilt again and again: " + s.Standing.Trouble },
			"the log's field because says what Kafka refuses",
		},
	}
}

func verdictConditions() []condition {
	return []condition{
		{
			"UnechoRejects", quarter,
			func(s *seen) bool {
				rejected := s.rose(quarter, func(r *reading) uint64 { return r.rejected })
				return rejected > 0 && 100*rejected > s.rose(quarter, func(r *reading) uint64 { return r.documents })
			},
			constant("more than 1 % of the documents are rejected"), "read unecho-reason and unecho-detail in the rejected topic",
		},
		{
			"UnechoUnchecked", quarter,
			func(s *seen) bool {
				unchecked := s.rose(quarter, func(r *reading) uint64 { return r.unchecked })
				return 10*unchecked > 9*s.rose(quarter, func(r *reading) uint64 { return r.documents })
			},
			constant("more than 90 % of the documents are forwarded unchecked"), "read unecho-unchecked in the unique topic",
		},
		{
			"UnechoOnlyDuplicates", quarter,
			func(s *seen) bool {
				all := s.rose(quarter, func(r *reading) uint64 { return r.documents })
				return all > 100 && 100*s.rose(quarter, func(r *reading) uint64 { return r.duplicates }) > 99*all
			},
			constant("more than 99 % of the documents are duplicates: next to nothing reaches the unique topic"),
			"look whether what the headers of some name is a copy; else mend the producer, or sources.text",
		},
	}
}

// slowest says on what the sessions of this process spent most of the last quarter of an hour, and what that waits for: on a
// stage if it took an eighth of the time of each session, as in the alert where a member has two. A stage counts when it is
// over, so none is named while the member is not ready.
func slowest(s *seen) string {
	if !s.now.ready {
		return "; this member is not ready, and /ready says why"
	}
	before, _ := s.back(quarter)
	sign, judge, forward := s.now.sign-before.sign, s.now.judge-before.judge, s.now.forward-before.forward
	on := "reading: the source's brokers, or the network to them"
	switch max(quarter.Seconds()*float64(s.sessions)/8, sign, judge, forward) {
	case sign:
		on = "signing documents: CPU"
	case judge:
		on = "judging: the journal's broker, or the network to it"
	case forward:
		on = "forwarding: the brokers of the outputs, or the network to them"
	}
	return "; this member spent most of its time " + on
}

// backlogOf returns how many documents wait in the partitions that this process reads. What waits in those of another
// process is for that one to commit.
func backlogOf(s *seen) (documents int64) {
	for _, l := range s.Lags {
		documents += l.Documents
	}
	return documents
}

// worst returns the lag of the partition whose oldest document has waited the longest.
func worst(s *seen) (l consumer.PartitionLag) {
	for _, other := range s.Lags {
		if other.Seconds > l.Seconds {
			l = other
		}
	}
	return l
}
