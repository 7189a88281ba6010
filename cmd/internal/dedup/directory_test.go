package dedup_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/eval/synthetic"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/files/filestest"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/window"
)

// openIn opens a directory of a file system.
func openIn(t *testing.T, system files.System) *files.Directory {
	t.Helper()
	d, err := files.OpenIn(system, "/files", files.Owner{Run: "a test"})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// manner is what a run is asked for.
type manner struct {
	name string
	set  func(*dedup.Options)
	old  bool // there is an index
	cut  bool // bounds leave something out
	late bool // files come when memory is full
	slow bool // a few documents are enough
}

func all(o *dedup.Options) { o.All, o.Config.Judge.Duplicates.CompareCopies = true, true }

// manners are all that decide outputs otherwise.
func manners() []manner {
	return []manner{
		{name: "first", set: func(*dedup.Options) {}},
		{name: "last", set: func(o *dedup.Options) { o.Representative = dedup.Last }, old: true},
		{name: "longest", set: func(o *dedup.Options) { o.Representative, o.HTML = dedup.Longest, "page" }},
		{name: "later", set: func(o *dedup.Options) {
			if o.Directory != nil {
				o.Memory = 400 * setting.KiB
			}
		}, late: true},
		{name: "estimate", set: func(o *dedup.Options) { o.Config.Judge.Duplicates.Verify = "estimate" }},
		{name: "levenshtein", set: func(o *dedup.Options) {
			d := &o.Config.Judge.Duplicates
			d.Verify, d.Shingle, d.Threshold = "levenshtein", "char:4", 0.9 // at 0.6 each text is compared with each
		}, slow: true},
		{name: "simhash", set: func(o *dedup.Options) { o.Config.Judge.Duplicates.Method = "simhash" }, old: true},
		{name: "copies", set: func(o *dedup.Options) { o.Config.Judge.Duplicates.CompareCopies = true }},
		{name: "bounds", set: func(o *dedup.Options) {
			o.Config.Judge.Duplicates.MaxCandidates, o.Config.Judge.Duplicates.MaxReferences = 1, 3
		}, cut: true},
		{name: "all", set: all, old: true},
		{name: "all, each similarity", set: func(o *dedup.Options) {
			all(o)
			o.Pairs, o.HTML = true, "page"
		}, cut: true},
		{name: "all, bounds", set: func(o *dedup.Options) {
			all(o)
			o.Pairs, o.Config.Judge.Duplicates.MaxCandidates = true, 2
		}, old: true, cut: true},
	}
}

// ran is what a run has written, and what it would save.
type ran struct {
	outputs map[string]string
	shown   any
	saved   []byte
	told    string
	stats   index.Stats
}

// runIn judges files with the index in memory, or in a directory.
func runIn(t *testing.T, m manner, d *files.Directory, old []string, paths ...string) (*dedup.Index, ran) {
	t.Helper()
	o := dedup.Options{Config: config.Default(), Memory: setting.GiB, Workers: 2, Directory: d, Query: paths}
	o.Config.Judge.Duplicates.Threshold = 0.6
	m.set(&o)
	var notes bytes.Buffer
	judge, err := o.NewJudge(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	x := judge.(*dedup.Index)
	x.Shrink(!m.late)
	var report *dedup.Report
	if o.HTML != "" {
		if report, err = dedup.NewReport(0.6, 0); err != nil {
			t.Fatal(err)
		}
	}
	of, dir := map[string]string{}, t.TempDir()
	for _, name := range dedup.OutputNames() {
		of[name] = filepath.Join(dir, name)
	}
	out, err := dedup.OpenOutputs(dedup.OutputParams{
		Paths: of, Similarity: o.Config.Judge.Duplicates, All: o.All, Representative: o.Representative, Report: report,
	})
	if err != nil {
		t.Fatal(err)
	}
	p := dedup.Pass{Params: o.Params(), Judge: judge, Out: out, Notes: &notes}
	p.Whole = true
	var before *dedup.Input
	if m.old {
		before = &dedup.Input{Reader: reading(t, old...)}
	}
	if err := errors.Join(p.Run(t.Context(), before, &dedup.Input{Reader: reading(t, paths...)}), out.Close()); err != nil {
		t.Fatal(err)
	}
	r := ran{outputs: map[string]string{}, stats: x.Stats(), told: notes.String()}
	for name, path := range of {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r.outputs[name] = string(data)
	}
	var saved bytes.Buffer
	if err := x.Save(t.Context(), &saved, 1); err != nil {
		t.Fatal(err)
	}
	r.saved = saved.Bytes()
	if report != nil {
		r.shown = report.Shown()
		if err := report.Close(); err != nil {
			t.Fatal(err)
		}
	}
	r.stats.Memory, r.stats.Filed, r.stats.FileBytes, r.stats.Moved, r.stats.MostMoved = 0, 0, 0, 0, 0
	r.stats.Blocks = window.BlockStats{}
	return x, r
}

// boilerplate is a file of texts with much in common.
func boilerplate(t *testing.T) string {
	t.Helper()
	texts, _ := synthetic.Boilerplate{Originals: 300, Copies: 60, Common: 130, Mixed: true, Seed: 1}.Make()
	var lines bytes.Buffer
	for _, text := range texts {
		fmt.Fprintf(&lines, "{\"text\":%q}\n", text)
	}
	lines.WriteString(strings.Repeat("{\"text\":1}\n{\"text\":\"\"}\n", 30))
	path := filepath.Join(t.TempDir(), "boilerplate.jsonl")
	if err := os.WriteFile(path, lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// sameIn judges files in memory and in a directory, and compares all that comes out.
func sameIn(t *testing.T, m manner, old []string, paths ...string) (x *dedup.Index, got ran) {
	t.Helper()
	_, want := runIn(t, m, nil, old, paths...)
	d := openIn(t, filestest.NewMemory())
	x, got = runIn(t, m, d, old, paths...)
	for name := range want.outputs {
		if got.outputs[name] != want.outputs[name] {
			t.Errorf("--%s has %d bytes, want %d, or others", name, len(got.outputs[name]), len(want.outputs[name]))
		}
	}
	if !bytes.Equal(got.saved, want.saved) || !reflect.DeepEqual(got.shown, want.shown) || got.stats != want.stats {
		t.Errorf("the index that is saved, or what a page shows, is another one: got %+v, in memory %+v", got.stats, want.stats)
	}
	const full = "unecho: the memory is full with "
	if strings.Contains(got.told, full) != m.late || strings.Contains(want.told, full) {
		t.Errorf("it tells %q, and in memory %q", got.told, want.told)
	}
	if err := d.Remove(); err != nil {
		t.Error(err)
	}
	return x, got
}

// TestDirectoryChangesNothing: where nearly all documents lie in files and are found by blocks, all outputs, the index that is
// saved and what a page shows are those of a run in memory, byte for byte.
func TestDirectoryChangesNothing(t *testing.T) {
	old, paths := []string{articles(t, 500)}, []string{articles(t, 900), boilerplate(t), repeated(t, 7, 300)}
	for _, m := range manners() {
		t.Run(m.name, func(t *testing.T) {
			some := paths
			if m.slow {
				some = []string{articles(t, 140), repeated(t, 7, 100), articles(t, 160)}
			}
			x, got := sameIn(t, m, old, some...)
			filed, blocks := x.InFiles()
			if n := got.stats.Documents; filed < n*8/10 || blocks < 2 || n < 600 && !m.slow {
				t.Errorf("of %d documents %d lie in files, with %d blocks", n, filed, blocks)
			}
			if empty := got.outputs["cut"] == ""; empty == m.cut || got.outputs["pairs"] == "" || got.outputs["clusters"] == "" {
				t.Errorf("the outputs have too little: %d bytes of --cut", len(got.outputs["cut"]))
			}
		})
	}
}

// TestDirectoryOfPublished: the same of articles that others have published.
func TestDirectoryOfPublished(t *testing.T) {
	path := shared(t, "mccormick-articles", "articles_1000.train")
	for _, m := range manners() {
		if m.slow {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			if x, got := sameIn(t, m, []string{path}, path); got.stats.Judged < 1000 {
				filed, _ := x.InFiles()
				t.Errorf("%d documents were judged, and %d lie in files", got.stats.Judged, filed)
			}
		})
	}
}

// TestLoadIntoDirectory: an index of a file goes on alike, in memory and in a directory.
func TestLoadIntoDirectory(t *testing.T) {
	for _, every := range []bool{false, true} {
		_, file := saved(t, every, articles(t, 1500))
		load := func(d *files.Directory) (*dedup.Index, []string) {
			p := distinct(every)
			if p.Directory = d; d != nil {
				p.Memory = 1 // of which there is too little
			}
			x, err := dedup.LoadIndex(t.Context(), bytes.NewReader(file), p)
			if err != nil {
				t.Fatal(err)
			}
			x.Shrink(true)
			lines, _, err := judge(t.Context(), t, 2, x, nil, articles(t, 2000))
			if err != nil {
				t.Fatal(err)
			}
			return x, lines
		}
		_, want := load(nil)
		x, got := load(openIn(t, filestest.NewMemory()))
		if filed, _ := x.InFiles(); !slices.Equal(got, want) || filed < 300 {
			t.Errorf("all=%v: %d documents lie in files, and the matches are equal: %v", every, filed, slices.Equal(got, want))
		}
	}
}

// TestDirectoryFails: a file that is damaged or gone, and a disk that is full, end the run, which says what to do.
func TestDirectoryFails(t *testing.T) {
	path, more := articles(t, 1200), articles(t, 2500)
	for want, fail := range map[string]func(*filestest.Memory, *filestest.Faulty, []string){
		"look at its disk, and run it anew": func(m *filestest.Memory, _ *filestest.Faulty, names []string) {
			damage(m, names)
		},
		"-1.block: ": func(m *filestest.Memory, _ *filestest.Faulty, names []string) { // a merge finds it, or a lookup
			damage(m, slices.DeleteFunc(names, func(name string) bool { return !files.ValidBlockName(name) }))
		},
		"look at the system's log": func(_ *filestest.Memory, f *filestest.Faulty, _ []string) {
			f.Before = func(c filestest.Call) error {
				if c.Op == "read" {
					return syscall.EIO
				}
				return nil
			}
		},
		"make room there, and run it anew": func(_ *filestest.Memory, f *filestest.Faulty, _ []string) {
			f.Before = func(c filestest.Call) error {
				if c.Op == "write" {
					return syscall.ENOSPC
				}
				return nil
			}
		},
	} {
		memory := filestest.NewMemory()
		faulty := &filestest.Faulty{System: memory}
		p := indexParams(setting.GiB, false)
		p.Directory = openIn(t, faulty)
		x, err := dedup.NewIndex(p)
		if err != nil {
			t.Fatal(err)
		}
		x.Shrink(true)
		out, err := dedup.OpenOutputs(dedup.OutputParams{Similarity: p.Index.Duplicates})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		pass := dedup.Pass{Params: dedup.Params{Index: p.Index, Workers: 1}, Judge: x, Out: out, Notes: io.Discard}
		pass.After = func() error {
			if n++; n == 1 {
				fail(memory, faulty, slices.Sorted(maps.Keys(x.FileNames())))
			}
			return nil
		}
		err = pass.Run(t.Context(), nil, &dedup.Input{Reader: reading(t, path, more)})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "remember") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// damage flips a bit in each page of some small files.
func damage(m *filestest.Memory, names []string) {
	for _, name := range names {
		for page := range 8 {
			m.Damage("/files/"+name, 8*page*files.PageBytes+3)
		}
	}
}

// TestDirectoryHasOneOwner: that of a member is refused, and so is one that another run uses or goes on from.
func TestDirectoryHasOneOwner(t *testing.T) {
	disk := filestest.NewMemory()
	open := func(of files.Owner) (*files.Directory, error) { return files.OpenIn(disk, "/files", of) }
	refused := func(of files.Owner, want string) {
		t.Helper()
		if _, err := open(of); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	run, member := files.Owner{Run: "unecho dedup"}, files.Owner{Group: "news", Journal: [16]byte{1}}
	d, err := open(member)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	refused(run, `it is of a member of group "news": name another directory in --directory`)
	if d, err = open(member); err == nil {
		err = d.Remove()
	}
	if err != nil {
		t.Fatal(err)
	}
	if d, err = open(run); err != nil {
		t.Fatal(err)
	}
	refused(run, "uses it now")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	refused(files.Owner{Run: "unecho dedup --checkpoint /a"}, "it is of a run of `unecho dedup`: delete what is in it, or name another directory in --directory")
	refused(member, "it is of a run of `unecho dedup`: delete what is in it, or name another directory in duplicates.remember.directory")
}
