package audit_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/consumer/replay"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/localdir"
	"github.com/unecho/unecho/sink"
)

// trimmedStory is a story whose journal begins with a snapshot. The group has announced that news/0/0 and news/1/0 are
// forwarded, the snapshot holds the verdicts of news/0/1 and news/1/1, and one document of each kind follows.
func trimmedStory(t *testing.T) (s *scene, in audit.Inputs) {
	t.Helper()
	s = story(t)
	s.announce(0, 1, 1)
	s.announce(1, 1, 1)
	directory := t.TempDir()
	s.snapshot(directory)
	s.trim("journal", s.replica.Next())
	r := s.document(1, "a text that was read after the snapshot had been taken")
	s.forward(r, 1)
	s.forward(s.document(0, "A text that was read after the snapshot had been taken!"), 1)
	s.forward(s.document(0, string(s.sources[0].Value)), 1) // a copy of a document that only the snapshot remembers
	in = s.inputs()
	in.Snapshots = func(ctx context.Context) (snapshot.Store, error) {
		return localdir.Params{Path: directory}.OpenExisting(ctx, "main")
	}
	return s, in
}

// snapshot stores the state at the journal's end.
func (s *scene) snapshot(directory string) {
	s.t.Helper()
	store, err := localdir.Params{Path: directory}.Open(s.t.Context(), "main")
	if err != nil {
		s.t.Fatal(err)
	}
	topics, err := kadm.NewClient(s.client).ListTopics(s.t.Context(), "journal")
	c := s.replica.Capture()
	m := snapshot.Manifest{Index: "main", Position: snapshot.Position{JournalTopic: topics["journal"].ID, Offset: c.Next}}
	if s.foreign {
		m.Position.JournalTopic = [16]byte{9}
	}
	_, err2 := snapshot.NewWriter(store, s.params, index.Fingerprint(settings)).Write(s.t.Context(), &c, m)
	if err := errors.Join(err, err2, store.Close()); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) run(in audit.Inputs) audit.Report {
	s.t.Helper()
	report, err := audit.Run(s.t.Context(), in)
	if err != nil {
		s.t.Fatal(err)
	}
	return report
}

func TestTrimmedJournal(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(s *scene)
		want audit.Report // without records
		says string
	}{
		{"nothing to find", func(*scene) {}, audit.Report{}, "2 unjudged, 0 of them in no output: "},
		{"what lies before is not judged", func(s *scene) { set(s.outputs[2], "unecho-copy", "77") }, audit.Report{}, "2 unjudged"},
		{"but compared", func(s *scene) { s.outputs[2].Value = nil }, audit.Report{Altered: 1}, "news/1/0"},
		{"and must be there", func(s *scene) { s.outputs = s.outputs[1:] }, audit.Report{Lost: 1}, "the journal judged it before the snapshot"},
		{"once", func(s *scene) { s.again(0, "") }, audit.Report{Doubled: 1, Misordered: 0}, "doubled: news/0/0"},
		{"with all headers of its verdict", func(s *scene) { drop(s.outputs[2], "unecho-match") }, audit.Report{Different: 1}, "unecho-match is missing"},
		{"and of no other", func(s *scene) { set(s.outputs[0], "unecho-mood", "good") }, audit.Report{Different: 1}, "should not be there"},
		{"in the topic of its verdict", func(s *scene) { s.outputs[0].Topic = "news.duplicate" }, audit.Report{Different: 1}, "which belongs to news.unique"},
		{"a held verdict is judged", func(s *scene) { set(s.outputs[3], "unecho-copy", "77") }, audit.Report{Different: 1}, `the journal says "3"`},
		{"what follows is judged", func(s *scene) { set(s.outputs[7], "unecho-copy", "77") }, audit.Report{Different: 1}, `the journal says "4"`},
		{"order in a partition holds across", func(s *scene) { s.outputs[2], s.outputs[3] = s.outputs[3], s.outputs[2] }, audit.Report{Misordered: 1}, "before news/1/0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, in := trimmedStory(t)
			c.do(s)
			s.transaction(kgo.TryCommit, s.outputs...)
			got := s.run(in)
			c.want.Records, c.want.Unjudged = 8, 2
			c.want.Unique, c.want.Duplicate, c.want.Rejected, c.want.From = got.Unique, got.Duplicate, got.Rejected, got.From
			if !sameCounts(got, c.want) || !strings.Contains(got.String(), c.says) || got.From == 0 {
				t.Errorf("got %s\nwant %s\n  with %s", got.String(), c.want.String(), c.says)
			}
		})
	}
}

// The audit loses nothing when members trim the journal meanwhile.
func TestTrimmedMeanwhile(t *testing.T) {
	s, in := trimmedStory(t)
	s.transaction(kgo.TryCommit, s.outputs...)
	open := in.Snapshots
	in.Snapshots = func(ctx context.Context) (snapshot.Store, error) {
		s.trim("journal", s.replica.Next())
		return open(ctx)
	}
	in.Directory = t.TempDir()
	var restored snapshot.Info
	in.Restoring = func(s snapshot.Info) { restored = s }
	if got := s.run(in); !got.OK() || got.Records != 8 || got.Unjudged != 2 {
		t.Errorf("got %s", got.String())
	}
	if restored.Documents == 0 || restored.Bytes == 0 {
		t.Errorf("before the snapshot was restored, it was said to have %d documents of %d bytes", restored.Documents, restored.Bytes)
	}
	if left, err := os.ReadDir(in.Directory); err != nil || len(left) > 0 {
		t.Errorf("%v stay behind: %v", left, err)
	}
}

// Where members trim what is to be read next, the audit begins again behind it. If they do so each time, it says so.
func TestTrimmedBeforeItIsRead(t *testing.T) {
	for _, whenever := range []bool{false, true} {
		s, in := trimmedStory(t)
		s.transaction(kgo.TryCommit, s.outputs...)
		trims, directory := 0, t.TempDir()
		in.Snapshots = func(ctx context.Context) (snapshot.Store, error) {
			return localdir.Params{Path: directory}.OpenExisting(ctx, "main")
		}
		in.Progress = func(p audit.Progress) {
			if p.Stage == audit.StageCopy && p.Done == 0 && (whenever || trims == 0) {
				trims++
				s.snapshot(directory)
				s.trim("journal", s.replica.Next())
				s.announce(0, 1, 1) // is left to read the next time
			}
		}
		got, err := audit.Run(t.Context(), in)
		if whenever {
			if !errors.Is(err, audit.ErrOvertaken) {
				t.Errorf("the journal is always trimmed first, and the audit says %v", err)
			}
			continue
		}
		if err != nil || !got.OK() || got.Records != 8 {
			t.Errorf("got %s, %v", got.String(), err)
		}
	}
}

// Records that were forwarded in epochs before the snapshot may be in the outputs with any verdict, and need not be
// there.
func TestPassesBeforeTheSnapshot(t *testing.T) {
	s := story(t)
	s.announce(0, 1, 2)
	s.reposition(0, 1, 2)
	s.announce(0, 2, 1)
	directory := t.TempDir()
	s.snapshot(directory)
	s.trim("journal", s.replica.Next())
	s.forward(s.sources[1], 2)
	s.reject(s.sources[4], sink.InvalidEncoding)
	in := s.inputs()
	in.Snapshots = func(ctx context.Context) (snapshot.Store, error) {
		return localdir.Params{Path: directory}.OpenExisting(ctx, "main")
	}
	s.transaction(kgo.TryCommit, s.outputs...)
	if got := s.run(in); !got.OK() || got.Rejected != 2 || got.Unique != 3 {
		t.Errorf("got %s", got.String())
	}
	s.transaction(kgo.TryCommit, s.outputs[len(s.outputs)-2])
	if got := s.run(in); got.Doubled != 1 {
		t.Errorf("once more than there were epochs: got %s", got.String())
	}
}

// A pass whose verdicts are known takes its own output, whichever output a pass with unknown verdicts could take.
func TestPassAcrossTheSnapshot(t *testing.T) {
	s := newScene(t)
	s.begin()
	text := "unique before the snapshot, and the copy of another when it was read again after it"
	r := s.document(0, text)
	s.forward(r, 1)
	s.announce(0, 1, 1)
	directory := t.TempDir()
	s.snapshot(directory)
	s.trim("journal", s.replica.Next())
	s.reposition(0, 0, 2)
	s.forward(s.document(1, text), 1)
	s.forward(r, 2)
	in := s.inputs()
	in.Snapshots = func(ctx context.Context) (snapshot.Store, error) {
		return localdir.Params{Path: directory}.OpenExisting(ctx, "main")
	}
	s.transaction(kgo.TryCommit, s.outputs...)
	if got := s.run(in); !got.OK() || got.Unique != 2 || got.Duplicate != 1 {
		t.Errorf("got %s", got.String())
	}
}

// The oldest snapshot that the journal still continues is restored. A damaged one is passed over.
func TestWhichSnapshot(t *testing.T) {
	s := story(t)
	directory := t.TempDir()
	s.foreign = true
	s.announce(0, 1, 0)
	s.snapshot(directory) // of a journal that was deleted: it is passed over
	s.foreign = false
	foreign, _ := filepath.Glob(filepath.Join(directory, "main", "manifests", "*"))
	s.announce(0, 1, 0)
	s.snapshot(directory)
	first := s.replica.Next()
	s.announce(0, 1, 1)
	s.snapshot(directory)
	second := s.replica.Next()
	s.announce(0, 1, 2)
	s.trim("journal", 1)
	s.transaction(kgo.TryCommit, s.outputs...)
	in := s.inputs()
	in.Snapshots = func(ctx context.Context) (snapshot.Store, error) {
		return localdir.Params{Path: directory}.OpenExisting(ctx, "main")
	}
	if got := s.run(in); got.From != first || !got.OK() {
		t.Errorf("from %d, want %d: %s", got.From, first, got.String())
	}
	manifests, err := filepath.Glob(filepath.Join(directory, "main", "manifests", "*"))
	manifests = slices.DeleteFunc(manifests, func(path string) bool { return slices.Contains(foreign, path) })
	if err != nil || len(manifests) != 2 {
		t.Fatalf("beside that of the deleted journal the store holds the manifests %q, error %v; want two", manifests, err)
	}
	damage := func(path string) {
		if err := os.Truncate(path, 200); err != nil {
			t.Fatal(err)
		}
	}
	damage(manifests[0])
	if got := s.run(in); got.From != second || !got.OK() {
		t.Errorf("from %d, want %d: %s", got.From, second, got.String())
	}
	damage(manifests[1])
	if _, err := audit.Run(t.Context(), in); !errors.Is(err, replay.ErrTrimmed) ||
		!strings.Contains(err.Error(), "corrupt") {
		t.Errorf("got %v", err)
	}
}

// A record that the source topic no longer holds is not owed, and its outputs are only counted.
func TestSourceRecordsThatAreGone(t *testing.T) {
	s := story(t)
	s.trim("news", 1)
	got := s.audit()
	if want := (audit.Report{Records: 3, Unique: 2, Duplicate: 2, Rejected: 1, Unchecked: 2}); !sameCounts(got, want) {
		t.Errorf("got %s\nwant %s", got.String(), want.String())
	}
}
