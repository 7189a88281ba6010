package main

import (
	"bufio"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/unecho/unecho/cmd/internal/inspect"
)

// trimmed waits until a snapshot has what the group's journal holds now, and trims the journal to it. It sends a few
// documents, because no snapshot is taken where nothing has come since the last one.
func (s *scene) trimmed(file, journal string) {
	s.t.Helper()
	ends, err := s.admin.ListEndOffsets(s.bounded(), journal)
	check(s.t, err)
	end, newest := ends[journal][0].Offset, int64(-1)
	s.produce(20, 99)
	s.settled()
	s.until("a snapshot has what the journal holds", func(context.Context) bool {
		list := start(s.t, s.dir, "snapshot", "list", "--config", file, "--json")
		if code := list.exits(patience); code != 0 {
			s.t.Fatalf("the list of snapshots ends with %d: %s", code, list.log)
		}
		for lines := bufio.NewScanner(strings.NewReader(list.out.String())); lines.Scan(); {
			var one struct{ Offset int64 }
			check(s.t, json.Unmarshal(lines.Bytes(), &one))
			newest = max(newest, one.Offset)
		}
		return newest >= end
	})
	below := kadm.Offsets{}
	below.AddOffset(journal, 0, newest, -1)
	_, err = s.admin.DeleteRecords(s.bounded(), below)
	check(s.t, err)
}

// provesAll audits by the configuration, and demands that each document that was sent came out and is checked, but for
// the verdicts that a trimmed journal would prove.
func (s *scene) provesAll() {
	s.t.Helper()
	p := start(s.t, s.dir, "audit", "--config", s.file, "--json")
	code := p.exits(patience)
	var report inspect.AuditLine
	check(s.t, json.Unmarshal([]byte(p.out.String()), &report))
	s.t.Logf("the audit says %s", p.out)
	if code != 0 || !report.OK || report.Records != s.total() || report.Unjudged == 0 || report.Absent != 0 {
		s.t.Errorf("%d documents were sent and came out right; the audit ends with %d: %s%s", s.total(), code, p.log, p.out)
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
	s.trimmed(s.file, s.name+".journal")
	s.provesAll()
	stopAll(t, patience, p)
	s.empty()
	s.reset("--to-earliest")
	p = s.run()
	p.says("the offset was set by someone else")
	s.settled()
	s.trimmed(s.file, s.name+".journal")
	s.provesAll()
	stopAll(t, patience, p)
}
