package dedup_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/setting"
)

// longRun is a run over files that is stopped and goes on.
type longRun struct {
	dir, checkpoint string
	paths           []string
	asked           map[string]string
	disk            files.System // where old documents lie; nil: in memory
	at              string       // their directory
	shown           func(stage string, done, total int64)
}

func newLongRun(t *testing.T) *longRun { return newLongRunOf(t, 60_000) }

// newLongRunOf makes files of about so many bytes, up to seven times as many.
func newLongRunOf(t *testing.T, size int) *longRun {
	t.Helper()
	const documents = 4000
	r := &longRun{dir: t.TempDir(), asked: map[string]string{"FILE...": "a b"}}
	r.checkpoint = filepath.Join(r.dir, "checkpoint")
	data, err := os.ReadFile(articles(t, documents))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; len(data) > 0; i++ { // some of one chunk, some of several
		end := min(len(data), size*(1+i%7))
		end += bytes.IndexByte(data[end-1:], '\n')
		path := filepath.Join(r.dir, fmt.Sprintf("in%d.jsonl", i))
		if err := os.WriteFile(path, append(slices.Clone(data[:end]), "{\"no\":\"text\"}\n"...), 0o600); err != nil {
			t.Fatal(err)
		}
		r.paths, data = append(r.paths, path), data[end:]
	}
	return r
}

func (r *longRun) out(name string) string { return filepath.Join(r.dir, name) }

func (r *longRun) outputs() map[string]string {
	return map[string]string{
		"unique": r.out("unique.gz"), "duplicates": r.out("duplicates"), "pairs": r.out("pairs"), "rejected": r.out("rejected"), "annotated": r.out("annotated"),
	}
}

// run goes on until file number stop is opened; -1 is never. Up to six chunks are read ahead, so at file 5 some
// documents were judged. every is how often a checkpoint is taken; negative: never.
func (r *longRun) run(t *testing.T, stop int, every time.Duration) (dedup.Summary, error) {
	t.Helper()
	return r.goOn(t.Context(), stop+1, every, func() {})
}

// goOn goes on until a file is opened for the stop-th time. opened is called each time.
func (r *longRun) goOn(ctx context.Context, stop int, every time.Duration, opened func()) (summary dedup.Summary, err error) {
	var c *dedup.Checkpoint
	if every >= 0 {
		if c, err = dedup.OpenCheckpoint(r.checkpoint, every, r.asked); err != nil {
			return summary, err
		}
		defer func() { err = errors.Join(err, c.Close()) }()
	}
	o := dedup.Options{Config: config.Default(), Memory: setting.GiB, Shown: r.shown}
	if r.disk != nil {
		if o.Directory, err = files.OpenIn(r.disk, r.at, files.Owner{Run: "a test"}); err != nil {
			return summary, err
		}
		defer func() { err = errors.Join(err, o.Directory.Close()) }()
	}
	judge, err := o.NewJudge(ctx, c)
	if err != nil {
		return summary, err
	}
	if r.disk != nil {
		judge.(*dedup.Index).Shrink(true)
	}
	out, err := dedup.OpenOutputs(dedup.OutputParams{Paths: r.outputs(), Similarity: o.Config.Judge.Duplicates})
	if err != nil {
		return summary, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sources, size, err := corpus.Files(r.paths)
	if err != nil {
		return summary, err
	}
	n := 0
	reader, err := corpus.NewReader(corpus.DefaultParams(), corpus.Except(sources, func(fs.FileInfo) bool {
		if n++; n == stop {
			cancel()
		}
		opened()
		return false
	}))
	if err != nil {
		return summary, err
	}
	p := dedup.Pass{
		Params: dedup.Params{Index: o.Config.Judge, Workers: 2, Whole: true}, Judge: judge, Out: out, Notes: io.Discard, Checkpoint: c,
	}
	err = p.Run(ctx, nil, &dedup.Input{Reader: reader, Size: size})
	return p.Summary(time.Second), errors.Join(err, out.Close())
}

// written are the contents of the outputs, unpacked.
func (r *longRun) written(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, path := range r.outputs() {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if name == "unique" {
			in, err := gzip.NewReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if data, err = io.ReadAll(in); err != nil {
				t.Fatal(err)
			}
		}
		all[name] = string(data)
	}
	return all
}

// TestGoesOnAsIfNeverStopped: outputs and counts of a run that is stopped again and again are those of one that is not,
// and nothing is left of its checkpoint.
func TestGoesOnAsIfNeverStopped(t *testing.T) {
	r := newLongRun(t)
	whole, err := r.run(t, -1, -1)
	if err != nil {
		t.Fatal(err)
	}
	want := r.written(t)
	if whole.Duplicate < 200 || whole.Rejected != int64(len(r.paths)) || len(r.paths) < 9 {
		t.Fatalf("%+v of %d files", whole, len(r.paths))
	}
	for i := 1; i < len(r.paths); i++ {
		_, err := r.run(t, i, time.Duration(i%2)*time.Hour)
		if err == nil || !strings.Contains(err.Error(), "stopped after") {
			t.Fatalf("stopped at file %d: %v", i, err)
		}
	}
	last, err := r.run(t, -1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.written(t); !maps.Equal(got, want) || last.Documents != whole.Documents || last.Duplicate != whole.Duplicate ||
		last.Unique != whole.Unique || last.Rejected != whole.Rejected {
		t.Errorf("%+v, want %+v; outputs are equal: %v", last, whole, maps.Equal(got, want))
	}
	if left, err := os.ReadDir(r.checkpoint); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// TestGoesOnAfterACrash: what outputs got behind the last checkpoint is cut off, half a line as well.
func TestGoesOnAfterACrash(t *testing.T) {
	r := newLongRun(t)
	if _, err := r.run(t, -1, -1); err != nil {
		t.Fatal(err)
	}
	want := r.written(t)
	if _, err := r.run(t, 5, time.Hour); err == nil {
		t.Fatal("it was not stopped")
	}
	early, err := os.ReadFile(filepath.Join(r.checkpoint, "dedup.checkpoint"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.run(t, 8, time.Hour); err == nil {
		t.Fatal("it was not stopped")
	}
	if err := os.WriteFile(filepath.Join(r.checkpoint, "dedup.checkpoint"), early, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(r.out("duplicates"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"id":"ha`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.checkpoint, "dedup.checkpoint.half"), early[:100], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.run(t, -1, time.Hour); err != nil || !maps.Equal(r.written(t), want) {
		t.Errorf("the outputs are others; %v", err)
	}
	if left, err := os.ReadDir(r.checkpoint); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// TestGoesOnWithTheSame: other files, outputs that were changed, another command and other settings are refused.
func TestGoesOnWithTheSame(t *testing.T) {
	r := newLongRun(t)
	if _, err := r.run(t, 6, time.Hour); err == nil {
		t.Fatal("it was not stopped")
	}
	file := filepath.Join(r.checkpoint, "dedup.checkpoint")
	refused := func(want string) {
		t.Helper()
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.run(t, -1, time.Hour); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) {
			t.Errorf("the checkpoint is another one: %v", err)
		}
	}
	paths := r.paths
	r.paths = append([]string{paths[1], paths[0]}, paths[2:]...)
	refused("are not those that were judged before: ")
	r.paths = paths[:2]
	refused("were changed; begin anew with an empty directory for --checkpoint")
	r.paths = paths
	r.asked = map[string]string{"FILE...": "b", "--id": "n"}
	refused("the run that was stopped was another one:\n    --id was left out, and is n now\n    FILE... was a b, and is b now\n")
	r.asked = map[string]string{"FILE...": "a b"}
	whole, err := os.ReadFile(r.out("pairs"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(r.out("pairs"), 3); err != nil {
		t.Fatal(err)
	}
	refused("it has 3 bytes and had ")
	if err := os.WriteFile(r.out("pairs"), whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused("it has version 0, and this program reads 1: remove it to begin anew")
}

// TestHeadersAreHashed: rows below other columns are other documents.
func TestHeadersAreHashed(t *testing.T) {
	fronts := map[uint64]string{}
	for _, header := range []string{"text,n", "n,text", "text,m"} {
		path := filepath.Join(t.TempDir(), "a.csv")
		if err := os.WriteFile(path, []byte(header+"\none,two\nthree,four\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var all dedup.Resumed
		p := dedup.Params{Index: index.DefaultParams(), Workers: 2, Hashed: true}
		x := newIndex(t, setting.GiB, false)
		outcomes(t.Context(), t, p, x, path, func(o *dedup.Outcome) { all.Add(o.Sum) })
		if other := fronts[all.Front]; other != "" || all.Documents != 2 {
			t.Errorf("%s is the same as %s; %d documents", header, other, all.Documents)
		}
		fronts[all.Front] = header
		p.Before = all // passes over rows below the same columns
		outcomes(t.Context(), t, p, x, path, func(*dedup.Outcome) { t.Error("judged again") })
	}
}

// TestGoesOnWithinAChunk: a run may be stopped at any document.
func TestGoesOnWithinAChunk(t *testing.T) {
	var file strings.Builder
	for i := range 6000 { // chunks of more documents than are judged at once
		fmt.Fprintf(&file, "{\"text\":\"this is number %d of some short texts\"}\n", i%4000)
	}
	path := filepath.Join(t.TempDir(), "short.jsonl")
	if err := os.WriteFile(path, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	whole, _, err := judge(t.Context(), t, 2, newIndex(t, setting.GiB, false), nil, path)
	if err != nil {
		t.Fatal(err)
	}
	for _, stop := range []int{1, 300, 2777, 5999} {
		x := newIndex(t, setting.GiB, false)
		ctx, cancel := context.WithCancel(t.Context())
		var before dedup.Resumed
		p := dedup.Params{Index: index.DefaultParams(), Workers: 2, Hashed: true}
		lines := outcomes(ctx, t, p, x, path, func(o *dedup.Outcome) {
			if before.Add(o.Sum); int(before.Documents) == stop {
				cancel()
			}
		})
		cancel()
		var saved bytes.Buffer
		if err := x.Save(t.Context(), &saved, 1); err != nil {
			t.Fatal(err)
		}
		if x, err = dedup.LoadIndex(t.Context(), &saved, indexParams(setting.GiB, false)); err != nil {
			t.Fatal(err)
		}
		if p.Before = before; before.Documents != x.Next() || len(lines) != int(x.Next()) {
			t.Fatalf("%d documents, %d in the index", before.Documents, x.Next())
		}
		lines = append(lines, outcomes(t.Context(), t, p, x, path, func(*dedup.Outcome) {})...)
		if strings.Join(lines, "\n") != strings.Join(whole, "\n") {
			t.Errorf("stopped at %d: the outcomes are others", stop)
		}
	}
}

func outcomes(ctx context.Context, t *testing.T, p dedup.Params, x *dedup.Index, path string, each func(*dedup.Outcome)) (lines []string) {
	t.Helper()
	r := reading(t, path)
	err := dedup.Run(ctx, p, r, x, func(o *dedup.Outcome) error {
		line := fmt.Sprintf("%d %s", o.Number, o.Name)
		for _, m := range o.Matches {
			line += fmt.Sprintf(" = %d %s %d %s", m.Number, m.Name, m.Similarity.TenThousandths(), m.Method)
		}
		lines = append(lines, line)
		each(o)
		return nil
	})
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	return lines
}
