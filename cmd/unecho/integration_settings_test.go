package main

import (
	"encoding/json"
	"testing"

	"github.com/unecho/unecho/cmd/internal/checks"
	"github.com/unecho/unecho/consumer/audit"
)

// Settings are changed as operations.md says: a new journal, and the group goes on at its offsets. What the earlier
// journal decided is no finding of an audit, and what the new one decides is proven.
func TestSettingsChangedByANewJournal(t *testing.T) {
	t.Parallel()
	s := newScene(t, 4)
	s.configure(s.inDirectory(), s.consumer(""), noOps)
	s.produce(400, 31)
	first := s.run()
	s.settled()
	stopAll(t, patience, first)
	earlier := s.total()
	s.configure(s.inDirectory(), s.consumer(""), noOps,
		"similarity: {threshold: 0.9}", "journal: {topic: "+s.name+".second}")
	second := s.run("--set", "source.accept_journal_gap=true")
	second.says(`"ready"`)
	s.produce(300, 32)
	s.settled()
	var report checks.AuditLine
	check(t, json.Unmarshal(s.exec(s.bounded(), "audit", "--json"), &report))
	if !report.OK || report.Outcome != audit.Proven || report.Earlier != earlier || report.Records != s.total()-earlier ||
		report.Different > 0 {
		t.Errorf("of %d documents, %d of them of the earlier journal: %s", s.total(), earlier, report.String())
	}
	stopAll(t, patience, second)
}
