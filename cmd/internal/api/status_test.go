package api

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// TestStatusHistograms: similarities are told as they were counted, and as empty lists before anything was.
func TestStatusHistograms(t *testing.T) {
	service := newFake(t)
	_, got := serve(t, service, nil).do("GET", "/api/v1/status", "")
	if counts, ok := at(got, "similarity", "counts").([]any); !ok || len(counts) != 0 {
		t.Errorf("similarity is %v", got["similarity"])
	}
	service.stats.Similarity = consumer.Histogram{Bounds: []float64{0.5, 1}, Counts: []uint64{1, 2, 0}, Count: 3}
	_, got = serve(t, service, nil).do("GET", "/api/v1/status", "")
	if at(got, "similarity", "bounds", 1) != 1.0 || at(got, "similarity", "counts", 1) != 2.0 {
		t.Errorf("similarity is %v", got["similarity"])
	}
}

// TestReasons: documents that were rejected or not checked are told by reason, the last ones by their coordinates, and
// each of these answers by itself, with its text.
func TestReasons(t *testing.T) {
	service := newFake(t)
	example := func(partition int32, offset int64) consumer.Example {
		source := fakeSource()
		source.Partition = partition
		return consumer.Example{Source: source, Topic: "news", Offset: offset, Time: 1_700_000_000_000}
	}
	s := &service.stats
	s.Rejected = map[sink.Reason]uint64{sink.Empty: 0, sink.MissingField: 9}
	s.LastRejected = map[sink.Reason][]consumer.Example{sink.MissingField: {example(2, 900), example(0, 7)}}
	s.UncheckedBy = map[sink.UncheckedReason]uint64{sink.ByCondition: 1}
	s.LastUnchecked = map[sink.UncheckedReason][]consumer.Example{sink.ByCondition: {example(2, 899)}}
	d := serve(t, service, func(s *Setup) { s.ShowText = true })
	_, got := d.do("GET", "/api/v1/status", "")
	place := "map[offset:%d partition:%d time:2023-11-14T22:13:20.000Z topic:news]"
	for kind, want := range map[string]string{
		"rejected":  fmt.Sprintf("map[missing_field:map[count:9 last:["+place+" "+place+"] remedy:%s]]", 900, 2, 7, 0, sink.MissingField.Remedy()),
		"unchecked": fmt.Sprintf("map[condition:map[count:1 last:["+place+"] remedy:%s]]", 899, 2, sink.ByCondition.Remedy()),
	} {
		if said := fmt.Sprint(got[kind]); said != want {
			t.Errorf("%s is %s, want %s", kind, said, want)
		}
	}
	service.record = func(int64) (document.Input, error) { return document.Input{Value: []byte("a text")}, nil }
	for path, want := range map[string]string{
		"2/900": "rejected missing_field a text", "2/899": "unchecked condition a text",
	} {
		if _, got = d.do("GET", "/api/v1/document/news/"+path+"?text=1", ""); fmt.Sprint(got["verdict"], " ", got["reason"], " ", at(got, "text", "raw")) != want {
			t.Errorf("%s is %v, want %s", path, got, want)
		}
	}
	for _, reason := range sink.UncheckedReasons() {
		if reason.Remedy() == "" {
			t.Errorf("nobody says what to do about %s", reason)
		}
	}
}

// TestStatusOfAGroup: members, partitions, journal, snapshots and the window beside its bounds.
func TestStatusOfAGroup(t *testing.T) {
	service := newFake(t)
	s := &service.stats
	s.Member, s.SnapshotBy, s.SnapshotErr = "unecho-0", "unecho-1",
		&member.Failure{Err: errors.New("disk full"), At: time.UnixMilli(1_700_000_000_000)}
	s.GroupLags = []consumer.PartitionLag{
		{PartitionName: entry.Name("news", 0), Documents: 7, Seconds: 2.5},
		{PartitionName: entry.Name("news", 1), Documents: 9, Seconds: -1},
	}
	s.Lags = s.GroupLags[:1]
	s.JournalStart, s.JournalEnd, s.StartTime, s.JournalRead = 0, 100, 1_690_000_000_000,
		journal.Stats{Records: 10, Bytes: 1000}
	s.Bounds = consumer.WindowLimits{Age: 24 * time.Hour, Bytes: 1000}
	s.Index.WindowBytes = 960
	service.roster = consumer.Roster{
		State: "Stable", At: time.UnixMilli(1_700_000_000_000),
		Members: []consumer.GroupMember{
			{Process: "unecho-0", Instance: "unecho-0-s0", Client: "unecho", Host: "10.0.0.1", Partitions: []entry.PartitionName{entry.Name("news", 1)}},
			{Client: "<script>", Host: "10.0.0.2"},
		},
	}
	_, got := serve(t, service, func(s *Setup) { s.SnapshotEvery = time.Minute }).do("GET", "/api/v1/status", "")
	for path, want := range map[string]any{
		"member": "unecho-0", "lag.seconds": 2.5, "window.bites": "memory", "window.threshold": 0.8,
		"journal.kept_records": 100.0, "journal.kept_bytes": 10000.0,
		"journal.since": "2023-07-22T04:26:40.000Z", "snapshots.by": "unecho-1", "snapshots.next": "2023-11-14T22:14:20.001Z",
		"snapshots.failed.error": "disk full",
		"snapshots.every_s":      60.0, "members.state": "Stable", "rate": nil,
	} {
		var keys []any
		for key := range strings.SplitSeq(path, ".") {
			keys = append(keys, key)
		}
		if v := at(got, keys...); v != want {
			t.Errorf("%s is %v, want %v", path, v, want)
		}
	}
	if at(got, "members", "sessions", 0, "partitions", 0, "partition") != 1.0 ||
		at(got, "members", "sessions", 1, "client_id") != "<script>" ||
		at(got, "partitions", 1, "lag_documents") != 9.0 || at(got, "partitions", 1, "lag_s") != nil ||
		at(got, "settings", 1, "value") != "***" {
		t.Errorf("the status is %v; want partition 1 held by the first session, the client <script> in the second, a lag of 9 documents "+
			"and of no known time in the second partition, and *** as the second setting", got)
	}
}

// TestStatusOfFiles: a member with a directory for old documents tells of its files, and another one does not.
func TestStatusOfFiles(t *testing.T) {
	service := newFake(t)
	s := &service.stats
	s.Index.Filed, s.Index.FileBytes, s.Index.Blocks.Documents = 900, 1<<20, 700
	s.FileReads, s.FileLate, s.FileWait = 5000, 40, 1500*time.Millisecond
	if _, got := serve(t, service, nil).do("GET", "/api/v1/status", ""); at(got, "window", "files") != nil {
		t.Errorf("without a directory: %v", at(got, "window", "files"))
	}
	d := serve(t, service, func(s *Setup) { s.Index.Duplicates.Remember.Directory = "/old" })
	_, got := d.do("GET", "/api/v1/status", "")
	const want = "map[block_documents:700 bytes:1.048576e+06 documents:900 late_reads:40 reads:5000 wait_s:1.5]"
	if said := fmt.Sprint(at(got, "window", "files")); said != want {
		t.Errorf("files are %s, want %s", said, want)
	}
}

// TestMembersAreNotKnown: Kafka does not answer, and the rest of the status does not wait for it.
func TestMembersAreNotKnown(t *testing.T) {
	service := newFake(t)
	d := serve(t, service, nil)
	if _, got := d.do("GET", "/api/v1/status", ""); got["members"] != nil {
		t.Errorf("not asked yet: %v", got["members"])
	}
	service.fails = errors.New("no coordinator")
	if _, got := d.do("GET", "/api/v1/status", ""); !strings.Contains(at(got, "members", "error").(string),
		"no coordinator") {
		t.Errorf("with a coordinator that fails, members is %v; want the error no coordinator", got["members"])
	}
}

// states are changes of a process that works well, minute by minute, by the warning that they lead to.
func states() map[string]func(s *consumer.Stats, minute int, ready *bool) {
	return map[string]func(s *consumer.Stats, minute int, ready *bool){
		"UnechoNotReady":        func(_ *consumer.Stats, _ int, ready *bool) { *ready = false },
		"UnechoJournalAway":     func(s *consumer.Stats, _ int, _ *bool) { s.Outage = true },
		"UnechoLostToRetention": func(s *consumer.Stats, minute int, _ *bool) { s.Deleted = uint64(minute / 50) },
		"UnechoSkipped":         func(s *consumer.Stats, minute int, _ *bool) { s.Skipped = uint64(minute / 50) },
		"UnechoPartitionWaits":  func(s *consumer.Stats, _ int, _ *bool) { s.Waiting = make([]consumer.Waiting, 2) },
		"UnechoTopicNotTaken": func(s *consumer.Stats, _ int, _ *bool) {
			s.Untaken = []consumer.Untaken{{Topic: "blogs.a", Why: "no outputs"}}
		},
		"UnechoPartitionLeaderless": func(s *consumer.Stats, _ int, _ *bool) { s.Leaderless = 1 },
		"UnechoStands": func(s *consumer.Stats, minute int, _ *bool) {
			s.SourceLag, s.Commits, s.Lags = int64(1000-minute), 7,
				[]consumer.PartitionLag{{PartitionName: entry.Name("news", 0), Documents: 3, Seconds: 9}}
		},
		"UnechoFallsBehind": func(s *consumer.Stats, minute int, _ *bool) {
			s.SourceLag, s.Commits, s.Lags = int64(10+minute), uint64(minute),
				[]consumer.PartitionLag{{PartitionName: entry.Name("news", 0), Seconds: 61}}
		},
		"UnechoPartitionLags": func(s *consumer.Stats, _ int, _ *bool) {
			s.Lags = []consumer.PartitionLag{{PartitionName: entry.Name("news", 0), Seconds: -1}, {PartitionName: entry.Name("news", 2), Seconds: 301}}
		},
		"UnechoLagUnknown":       func(s *consumer.Stats, _ int, _ *bool) { s.SourceLag, s.LagErr = -1, errors.New("no answer") },
		"UnechoRebuildsSessions": func(s *consumer.Stats, _ int, _ *bool) { s.Standing.InARow = 5 },
		"UnechoRejects": func(s *consumer.Stats, minute int, _ *bool) {
			s.Rejected = map[sink.Reason]uint64{sink.TooLarge: uint64(2 * minute)}
		},
		"UnechoUnchecked":      func(s *consumer.Stats, minute int, _ *bool) { s.Unchecked = uint64(2000 * minute) },
		"UnechoOnlyDuplicates": func(s *consumer.Stats, minute int, _ *bool) { s.Duplicate = uint64(20_000 * minute) },
		"UnechoJournalStalls": func(s *consumer.Stats, _ int,
			_ *bool,
		) {
			s.JournalNext, s.JournalEnd, s.AppliedTime = 5, 6, 1
		},
		"UnechoMemberWithdraws": func(s *consumer.Stats, minute int, _ *bool) { s.Withdrawals = uint64(minute / 30) },
		"UnechoClockOff": func(s *consumer.Stats, _ int, _ *bool) {
			s.ClockKnown, s.ClockAhead = true, -61*time.Second
		},
		"UnechoReplicasDiffer": func(s *consumer.Stats, minute int, _ *bool) { s.Divergences = uint64(minute / 30) },
		"UnechoStrayRecords": func(s *consumer.Stats, minute int, _ *bool) {
			s.Strays = map[journal.Reason]uint64{journal.Damaged: uint64(minute / 30)}
		},
		"UnechoWindowShort": func(s *consumer.Stats, _ int, _ *bool) {
			s.Bounds, s.Index.Documents, s.Index.Now, s.Index.OldestApplied = consumer.WindowLimits{Age: time.Hour, Documents: 100},
				99, 60_001, 1
		},
		"UnechoMissesCopies":       func(s *consumer.Stats, minute int, _ *bool) { s.Index.UniqueCut = uint64(5 * minute) },
		"UnechoCertificateExpires": func(*consumer.Stats, int, *bool) {},
		"UnechoSnapshotsFail":      func(s *consumer.Stats, minute int, _ *bool) { s.SnapshotErrs = uint64(minute) },
		"UnechoFilesFail":          func(s *consumer.Stats, minute int, _ *bool) { s.FileErrs = uint64(minute) },
		"UnechoFilesSlow":          func(s *consumer.Stats, _ int, _ *bool) { s.Index.Blocks.Uncovered = 81 },
		"UnechoSnapshotsOld":       func(s *consumer.Stats, _ int, _ *bool) { s.SnapshotTime = 1_699_999_000_000 },
	}
}

// TestWarnings brings a process into the state of each alert.
func TestWarnings(t *testing.T) {
	why := func(consumer.Stats) string { return "restoring" }
	well := consumer.Stats{Ready: true, JournalNext: 5, JournalEnd: 5, SnapshotTime: 1, Partitions: 4}
	tried := map[string]bool{}
	for code, change := range states() {
		tried[code] = true
		t.Run(code, func(t *testing.T) {
			w := watch{}
			if code == "UnechoCertificateExpires" {
				w.certificate = func(now time.Time) string {
					if now.Before(time.UnixMilli(1_700_000_000_000).Add(2 * time.Hour)) {
						return "has expired"
					}
					return ""
				}
			}
			got, pending := []shape.Warning(nil), false
			for minute := range 60 {
				s, ready, now := well, true, time.UnixMilli(1_700_000_000_000).Add(time.Duration(minute)*time.Minute)
				s.Unique, s.Index.Unique, s.Commits, s.SnapshotTime = uint64(100*minute), uint64(100*minute), uint64(minute),
					now.UnixMilli()
				change(&s, minute, &ready)
				w.look(&s, ready, now)
				got = w.warnings(&s, ready, why, now)
				pending = pending || len(got) > 0 && got[0].Pending
			}
			if len(got) != 1 || got[0].Code != code || got[0].Pending || got[0].Text == "" || got[0].Remedy == "" ||
				got[0].Runbook != "runbook.md#"+strings.ToLower(code) {
				t.Errorf("got %+v", got)
			}
			if waits := lastingOf(code) > 0; pending != waits {
				t.Errorf("pending at first: %v, want %v", pending, waits)
			}
			well := well
			well.Unique = 6000
			if w.look(&well, true, time.UnixMilli(1_700_000_000_000).
				Add(3*time.Hour)); len(w.warnings(&well, true, why, time.UnixMilli(1_700_000_000_000).Add(3*time.Hour))) != 0 {
				t.Error("it does not cease")
			}
		})
	}
	for _, c := range conditions() {
		if !tried[c.code] {
			t.Errorf("%s is not tried", c.code)
		}
	}
}

// What a warning says names the cause where the process knows it.
func TestWarningsNameCauses(t *testing.T) {
	const minute = 60.0
	behind := func(s *consumer.Stats, minute int) {
		s.SourceLag, s.Lags = int64(10+minute), []consumer.PartitionLag{{PartitionName: entry.Name("news", 0), Seconds: 61}}
	}
	for want, change := range map[string]func(s *consumer.Stats, at float64){
		"most of its time signing documents: CPU":  func(s *consumer.Stats, at float64) { s.Latency.Sign.Sum = at },
		"most of its time judging: the journal's":  func(s *consumer.Stats, at float64) { s.Latency.Judge.Sum = at },
		"most of its time forwarding: the brokers": func(s *consumer.Stats, at float64) { s.Latency.Forward.Sum = at },
		"most of its time reading: the source's":   func(s *consumer.Stats, at float64) { s.Latency.Forward.Sum = 0.9 * at },
		"behind cannot be read: no answer": func(s *consumer.Stats, _ float64) {
			s.SourceLag, s.LagErr = -1, errors.New("no answer")
		},
		"cannot trim the journal, which grows: the": func(s *consumer.Stats, at float64) { s.TrimErrs = uint64(at / minute) },
		"and can again": func(s *consumer.Stats, at float64) { s.SnapshotErrs = uint64(at / minute) },
		"cannot write snapshots: the disk is full": func(s *consumer.Stats, at float64) {
			s.SnapshotErrs, s.SnapshotErr = uint64(at/minute), &member.Failure{Err: errors.New("the disk is full")}
		},
		"84 segments wait for a block, and judging waited 0s of": func(s *consumer.Stats, _ float64) { s.Index.Blocks.Uncovered = 84 },
		"3 segments wait for a block, and judging waited 13m30s of": func(s *consumer.Stats, at float64) {
			s.Index.Blocks.Uncovered, s.FileWait = 3, time.Duration(0.9*at*float64(time.Second))
		},
		"and are whole again": func(s *consumer.Stats, at float64) { s.FileErrs = uint64(at / minute) },
		"files with old documents fail: no space": func(s *consumer.Stats, at float64) {
			s.FileErrs, s.FileErr = uint64(at/minute), &member.Failure{Err: errors.New("no space")}
		},
	} {
		w := watch{sessions: 8}
		var got []shape.Warning
		for m := range 40 {
			s, now := consumer.Stats{Ready: true, Commits: uint64(m)}, time.UnixMilli(1_700_000_000_000).Add(time.Duration(m)*time.Minute)
			if strings.Contains(want, "time") {
				behind(&s, m)
			}
			change(&s, minute*float64(m))
			w.look(&s, true, now)
			got = w.warnings(&s, true, nil, now)
		}
		if len(got) != 1 || !strings.Contains(got[0].Text, want) {
			t.Errorf("want a warning that has %q, got %+v", want, got)
		}
		if s := (consumer.Stats{}); slowest(w.seen(&s, false, time.Now())) != "; this member is not ready, and /ready says why" {
			t.Error("while the member is not ready no stage may end: none is to be named, but /ready")
		}
	}
}

func lastingOf(code string) time.Duration {
	for _, c := range conditions() {
		if c.code == code {
			return c.lasting
		}
	}
	return 0
}

// TestNothingToWarnOf: a member that works well, and one that has just begun.
func TestNothingToWarnOf(t *testing.T) {
	var w watch
	s := consumer.Stats{Ready: true, SourceLag: 0}
	if got := w.warnings(&s, true, nil, time.UnixMilli(1_700_000_000_000)); len(got) != 0 {
		t.Errorf("a ready service without a lag is warned of %+v; want no warning", got)
	}
}

// TestOthersLag: partitions of another member lag. This one has none, or has read its own to their ends, and commits
// nothing.
func TestOthersLag(t *testing.T) {
	for name, own := range map[string][]consumer.PartitionLag{"no partition": nil, "an idle one": {{PartitionName: entry.Name("news", 0)}}} {
		var w watch
		s := consumer.Stats{Ready: true, Commits: 7, Partitions: len(own), Lags: own}
		for minute := range 60 {
			now := time.UnixMilli(1_700_000_000_000).Add(time.Duration(minute) * time.Minute)
			s.SourceLag = int64(1000 - minute)
			if w.look(&s, true, now); len(w.warnings(&s, true, nil, now)) > 0 {
				t.Fatalf("%s: %+v after %d minutes", name, w.warnings(&s, true, nil, now), minute)
			}
		}
	}
}

// TestInForce: the settings that the journal declares are held against the member's own.
func TestInForce(t *testing.T) {
	service := newFake(t)
	d := serve(t, service, func(s *Setup) {
		s.Own = []byte(`{"duplicates.shingle":"word:3","duplicates.threshold":0.8,"version":"2"}`)
	})
	if _, got := d.do("GET", "/api/v1/status", ""); at(got, "in_force") != nil {
		t.Errorf("before the journal declares any: %v", got["in_force"])
	}
	for text, want := range map[string]string{
		`{"duplicates.shingle":"word:3","duplicates.threshold":0.8,"version":"2"}`: "true []",
		`{"duplicates.shingle":"word:3","duplicates.threshold":0.9,"version":"2"}`: "true []", // a bound is changed in place
		`{"duplicates.shingle":"char:5","duplicates.threshold":0.8,"version":"2"}`: "false [duplicates.shingle: word:3 " +
			"here, char:5 in the journal]",
	} {
		service.stats.Settings = []byte(text)
		_, got := d.do("GET", "/api/v1/status", "")
		if said := fmt.Sprint(at(got, "in_force", "agrees"), at(got, "in_force", "differences")); said != want ||
			at(got, "in_force", "text") != text ||
			at(got, "in_force", "fingerprint") != fmt.Sprintf("%016x", index.Fingerprint([]byte(text))) {
			t.Errorf("with %s in the journal, in_force is %v; want agreement and differences %q, with this text and its fingerprint",
				text, got["in_force"], want)
		}
	}
}
