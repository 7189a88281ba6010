package doctor

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot"
)

// The disk is measured if that is asked for.
func TestFindingsOfDisks(t *testing.T) {
	measured := func(w *ward) { w.in.Disk = func(float64) {} }
	findings(t, []finding{
		{
			"a disk", measured,
			`^(ok|note) old documents: the disk of \S+ gives \d+ random reads of 4 KiB a second, and writes \d+MiB: enough for \d+ documents/s, of \d+\.\d reads and \d+ bytes each`,
		},
		{"a directory that is not there", func(w *ward) {
			measured(w)
			w.in.Index.Duplicates.Remember.Directory = filepath.Join(w.in.Index.Duplicates.Remember.Directory, "volume")
		}, `^note old documents: \S+/volume is not there: \S+ was measured \| a start makes it there \|`},
	})
}

// What rate of documents a disk carries by its figures.
func TestCarried(t *testing.T) {
	p := index.DefaultParams()
	p.Duplicates.Remember.Memory = 4 << 30
	sizing, err := index.UsualSizing(p)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		speed files.Speed
		want  string
	}{
		"few reads": {
			files.Speed{Pages: 3000, Bytes: 200 << 20},
			`^note the disk of /old gives 3000 random reads of 4 KiB a second, and writes 200MiB: enough for 2\d\d documents/s, of 14\.\d reads and 530 bytes each \| judging waits .* \| name a directory on a faster disk`,
		},
		"many": {
			files.Speed{Pages: 300_000, Bytes: 2 << 30},
			`^ok the disk of /old gives 300000 random reads of 4 KiB a second, and writes 2GiB: enough for \d\d\d\d\d documents/s`,
		},
		"slow to write":       {files.Speed{Pages: 300_000, Bytes: 1 << 18}, `^note the disk of /old .* and writes 0: enough for \d\d\d documents/s`},
		"no reads by the way": {files.Speed{Pages: 300_000, Bytes: 2 << 30, Cached: true}, `^ok .* through the system's cache, .* it may be slower`},
	} {
		f := carried(&sizing, &c.speed, "/old")
		if got := string(f.Level) + " " + f.What + " | " + f.Why + " | " + f.Remedy; !regexp.MustCompile(c.want).MatchString(got) {
			t.Errorf("%s: want %s, got %s", name, c.want, got)
		}
	}
}

// What is no disk of this machine is said beside what it carries.
func TestKindOfDisk(t *testing.T) {
	p := index.DefaultParams()
	p.Duplicates.Remember.Memory = 4 << 30
	sizing, err := index.UsualSizing(p)
	if err != nil {
		t.Fatal(err)
	}
	s := files.Speed{At: "/old", Pages: 300_000, Bytes: 2 << 30}
	for kind, want := range map[string]string{
		"a network file system": `^note : /old lies on a network file system \| judging waits for reads of old documents.* \| name a ` +
			`directory on a disk of this machine.*\nok : the disk of /old gives 300000`,
		"": `^ok : the disk of /old gives 300000`,
	} {
		s.Kind = kind
		if got := lines(Report{Findings: measured(&sizing, &s, "/old")}); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("of %q: got %s", kind, got)
		}
	}
}

// A disk that does not answer is a finding, and nobody waits for it. Whoever opens a pipe waits like that.
func TestSilentDisk(t *testing.T) {
	w, answers := newWard(t), make(chan struct{})
	w.in.Disk = func(float64) { <-answers }
	path := files.PathOf(w.in.Index.Duplicates.Remember.Directory, w.in.Params.Group)
	owner := filepath.Join(path, "owner")
	w.must(os.Mkdir(path, 0o700), syscall.Mkfifo(owner, 0o600))
	for name, ask := range map[string]func(context.Context) ([]Finding, error){
		"looked at": func(ctx context.Context) ([]Finding, error) { return (&target{in: w.in}).oldDocuments(ctx) },
		"measured":  func(ctx context.Context) ([]Finding, error) { return speed(ctx, &w.in) },
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		found, err := ask(ctx)
		cancel()
		const want = `^problem : the disk of /\S+ does not answer within 20s \| judging would wait for it \| look at the disk`
		if got := lines(Report{Findings: found}); err != nil || !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s: got %s, error %v", name, got, err)
		}
	}
	close(answers)
	pipe, err := os.OpenFile(owner, os.O_WRONLY, 0)
	w.must(err)
	w.must(pipe.Close())
}

// Whether a member could keep old documents in its directory.
func TestFindingsOfFiles(t *testing.T) {
	within := func(w *ward) string {
		path := files.PathOf(w.in.Index.Duplicates.Remember.Directory, "unecho")
		w.must(os.MkdirAll(path, 0o700))
		return path
	}
	findings(t, []finding{
		{
			"a directory with room", func(w *ward) {
				d, err := files.Open(within(w), files.Owner{Group: "unecho", Journal: w.journal, Fingerprint: 7})
				w.must(err)
				w.must(d.Put(w.t.Context(), snapshot.SegmentName([]byte("x")), []byte("x")), d.Close())
			},
			`^ok old documents: \S+ holds 1 segment, and has \S+ free`,
		},
		{
			"a directory of an earlier journal", func(w *ward) {
				d, err := files.Open(within(w), files.Owner{Group: "unecho", Journal: [16]byte{1}})
				w.must(err, d.Close())
			},
			`^problem old documents: .* it is of the journal with topic id 01.* \| no member starts with this directory \|`,
		},
		{
			"a directory with other things", func(w *ward) { w.must(os.WriteFile(filepath.Join(within(w), "photo.jpeg"), nil, 0o600)) },
			`^problem old documents: .* other things, such as "photo.jpeg"`,
		},
		{
			"a disk smaller than the window", func(w *ward) { w.in.Index.Duplicates.Remember.Memory = 1 << 60 },
			`^note old documents: \S+ has \S+ free, and old documents may take .* 1048576TiB \| when the disk is full, judging waits \|`,
		},
	})
}
