package main

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/unecho/unecho/cmd/internal/inspect"
)

// A member that stays alone trims the journal. A second process of its name with a copy of its directory is refused, and
// the first goes on. It is killed, and goes on when it is started again, with nobody's help. Then two take over with its
// snapshots in PostgreSQL. Behind the trimmed journal each of them remembers all that was sent before.
func TestOnlyOneOfAName(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	store, twin := filepath.Join(s.dir, "snapshots"), filepath.Join(s.dir, "twin")
	s.configure("snapshots: {directory: {path: "+store+", for: only}, every: 1s}", s.consumer("member: m"), noOps)
	only := s.run()
	only.says(`"ready"`)
	s.produce(300, 1)
	s.settled()
	_, first := s.journal(t.Context())
	s.until("the journal is trimmed behind them", func(ctx context.Context) bool {
		s.produce(1, rand.Uint64()) // an idle service takes no snapshots
		start, _ := s.journal(ctx)
		return start >= first
	})
	s.settled()
	before := s.allOut()
	s.until("the directory is copied", func(context.Context) bool { // a snapshot may be deleted meanwhile
		check(t, os.RemoveAll(twin))
		return os.CopyFS(twin, os.DirFS(store)) == nil
	})
	s.run("--set", "snapshots.directory.path="+twin).refuses("m-s", "is to stay alone", "snapshots.postgres")
	s.produce(300, 1)
	s.settled()
	only.kill()
	only = s.run()
	s.produce(300, 1)
	s.settled()
	stopAll(t, startBound, only)

	snapshot := filepath.Join(s.dir, "one.tar")
	start(t, s.dir, "snapshot", "export", "--config", s.file, "-o", snapshot).endsWell()
	s.configure(s.inPostgres(), s.consumer(""), noOps)
	start(t, s.dir, "snapshot", "import", "--config", s.file, snapshot).endsWell()
	two := []*process{s.run("--set", "advanced.member=m"), s.run("--set", "advanced.member=other")}
	s.members(4, 2)
	s.produce(300, 1)
	s.settled()
	if after := s.allOut(); after.Unique != before.Unique {
		t.Errorf("%d documents are unique after all were sent again, and %d before", after.Unique, before.Unique)
	}
	stopAll(t, startBound, two...)
}

// allOut audits behind a trimmed journal, and demands that each document came out.
func (s *scene) allOut() (report inspect.AuditLine) {
	s.t.Helper()
	report = s.auditLine(s.file)
	if report.Records != s.total() || report.Absent != 0 {
		s.t.Errorf("%d documents were sent, and the audit finds %+v", s.total(), report.Report)
	}
	return report
}
