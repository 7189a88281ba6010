package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

// trimmed waits until a snapshot has what the group's journal holds now, and trims the journal to it. A snapshot holds
// the verdicts whose commit the journal has not announced, and the next run of a partition announces it. So a few
// documents are sent first, and after them a few more, because no snapshot is taken where nothing has come since the last
// one.
func (s *scene) trimmed() {
	s.t.Helper()
	s.produce(20, 98)
	s.settled()
	_, end := s.journal(s.bounded())
	newest := int64(-1)
	s.produce(20, 99)
	s.settled()
	s.until("a snapshot has what the journal holds", func(context.Context) bool {
		for line := range strings.Lines(s.exec("snapshot", "list", "--json")) {
			var one struct{ Offset int64 }
			check(s.t, json.Unmarshal([]byte(line), &one))
			newest = max(newest, one.Offset)
		}
		return newest >= end
	})
	s.deleteBelow(s.name+".journal", map[int32]int64{0: newest})
	if start, _ := s.journal(s.bounded()); start < newest {
		s.t.Fatalf("the journal begins at %d, and it was to be trimmed below %d", start, newest)
	}
}

// provesAll audits by the configuration, and demands that each document that was sent came out and is checked, but for
// the verdicts that a trimmed journal would prove.
func (s *scene) provesAll() {
	s.t.Helper()
	report := s.auditLine(s.file)
	if !report.OK || report.Records != s.total() || report.Unjudged == 0 || report.Absent != 0 {
		s.t.Errorf("%d documents were sent and came out right; the audit says ok %v, %d unjudged, %d absent: %s", s.total(),
			report.OK, report.Unjudged, report.Absent, report.String())
	}
}

// A backfill goes on as a live group, and later its offsets are set back by the recipe. Each time the journal is trimmed
// to a snapshot of the present. The audit finds all documents in the outputs, and nothing wrong with them.
func TestAuditBehindATrimmedJournal(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	s.configure(s.consumer("member: m"), s.inDirectory(), noOps, "duplicates: {remember: {clock: event}}")
	s.produce(1000, 1)
	p := s.replays("--into", s.name)
	s.settled()
	s.produce(500, 2)
	s.settled()
	s.trimmed()
	s.provesAll()
	stopAll(t, patience, p)
	s.empty()
	s.reset("--to-earliest")
	p = s.run()
	p.says("the offset was set by someone else")
	s.settled()
	s.trimmed()
	s.provesAll()
	stopAll(t, patience, p)
}
