package main

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/inspect"
	"github.com/unecho/unecho/consumer/doctor"
)

// Beside a service at work on real Kafka and PostgreSQL, whose journal was trimmed: the doctor finds it well, and the
// audit proves what there is, from a snapshot on.
func TestDoctorAndAuditBesideAService(t *testing.T) {
	t.Parallel()
	s := newScene(t, 3)
	s.configure(strings.Replace(s.inPostgres(), "every: 2s", "every: 1s", 1), s.consumer(""), noOps)
	p := s.run()
	p.says(`"ready"`)
	for seed := uint64(1); ; seed++ { // until two snapshots have made the journal's head superfluous
		s.produce(500, seed)
		s.settled()
		starts, err := s.admin.ListStartOffsets(s.bounded(), s.name+".journal")
		check(t, err)
		if first, _ := starts.Lookup(s.name+".journal", 0); first.Offset > 0 {
			break
		}
	}
	var looked doctor.Report
	// of 21; an empty one among them is rejected
	judged := regexp.MustCompile("ok the newest of " + regexp.QuoteMeta(s.source) + `: (1\d|2[01]) judged, as `)
	s.until("the doctor finds the last document committed, and has time to read the newest", func(ctx context.Context) bool {
		check(t, json.Unmarshal([]byte(s.exec("doctor", "--json")), &looked))
		return strings.Contains(saysOf(&looked), " 0 documents behind") && judged.MatchString(saysOf(&looked))
	})
	said := saysOf(&looked)
	for _, want := range []string{
		"ok transaction.version 2", "ok PostgreSQL ", "ok the clock of the snapshot store is ",
		"ok the newest is ", "ok group " + s.name + ": 2 sessions",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the doctor does not say %q", want)
		}
	}
	if !looked.Healthy {
		t.Error("the doctor finds problems")
	}
	audited := s.auditLine(s.file)
	if !audited.OK || audited.From == 0 || audited.Records != s.total() || audited.Pending != 0 || audited.Unique == 0 ||
		audited.Duplicate == 0 {
		t.Errorf("the audit says %s", audited.String())
	}
	t.Logf("the doctor says\n%s\nthe audit says %s", said, audited.String())
	stopAll(t, patience, p)
}

func saysOf(r *doctor.Report) string {
	var b strings.Builder
	for _, f := range r.Findings {
		b.WriteString(string(f.Level) + " " + f.What + "\n")
	}
	return b.String()
}

// auditLine audits by a configuration, which must end well.
func (s *scene) auditLine(file string, flags ...string) (line inspect.AuditLine) {
	s.t.Helper()
	p := start(s.t, s.dir, append([]string{"audit", "--config", file, "--json"}, flags...)...)
	check(s.t, json.Unmarshal([]byte(p.endsWell()), &line))
	return line
}

// exec runs a verb with the scene's configuration, which must end well, and returns what it prints.
func (s *scene) exec(verb string, flags ...string) string {
	s.t.Helper()
	return start(s.t, s.dir, append([]string{verb, "--config", s.file}, flags...)...).endsWell()
}
