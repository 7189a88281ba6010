package dedup_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index/eval/synthetic"
	"github.com/unecho/unecho/index/setting"
)

// inPasses judges files with some memory, and returns the outputs, the summary and what was told.
func inPasses(t *testing.T, verify string, memory setting.Bytes, paths ...string) (map[string]string, dedup.Summary, string, error) {
	t.Helper()
	return inPassesOver(t, verify, memory, paths, paths)
}

// inPassesOver judges other files from the second pass on.
func inPassesOver(t *testing.T, verify string, memory setting.Bytes, paths, later []string) (map[string]string, dedup.Summary, string, error) {
	t.Helper()
	dir := t.TempDir()
	outputs := map[string]string{}
	for _, name := range dedup.OutputNames() {
		outputs[name] = filepath.Join(dir, name)
	}
	o := dedup.Options{Config: config.Default(), Memory: memory}
	s := &o.Config.Judge.Duplicates
	s.Verify, s.Threshold = verify, 0.6
	s.MaxCandidates, s.MaxReferences, s.MaxWork = math.MaxInt32, math.MaxInt32, math.MaxInt32 // nothing is cut
	judge, err := o.NewJudge(nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := dedup.OpenOutputs(dedup.OutputParams{Paths: outputs, Similarity: o.Config.Judge.Duplicates})
	if err != nil {
		t.Fatal(err)
	}
	open := func() (*dedup.Input, error) {
		sources, size, err := corpus.Files(paths)
		if err != nil {
			return nil, err
		}
		paths = later
		r, err := corpus.NewReader(corpus.DefaultParams(), sources)
		return &dedup.Input{Reader: r, Size: size}, err
	}
	in, err := open()
	if err != nil {
		t.Fatal(err)
	}
	var notes bytes.Buffer
	p := dedup.Pass{
		Params: dedup.Params{Index: o.Config.Judge, Workers: 2, Whole: true}, Judge: judge, Out: out, Notes: &notes,
	}
	err = errors.Join(p.RunPasses(t.Context(), in, dedup.Passes{Index: o.IndexParams(), Open: open}), out.Close())
	all := map[string]string{}
	for name, path := range outputs {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(data)
	}
	return all, p.Summary(time.Second), notes.String(), err
}

// TestPassesChangeNothing: with memory for a part of the documents at a time all outputs are those of a run with memory for
// all, byte for byte.
func TestPassesChangeNothing(t *testing.T) {
	first, last := articles(t, 4000), repeated(t, 7, 1500)
	bad := filepath.Join(t.TempDir(), "bad.jsonl")
	if err := os.WriteFile(bad, []byte(strings.Repeat("{\"text\":1}\n{\"text\":\"\"}\n", 300)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, verify := range []string{"jaccard", "estimate"} {
		want, whole, told, err := inPasses(t, verify, setting.GiB, first, bad, last, first)
		if err != nil || told != "" {
			t.Fatalf("by %s with enough memory, judging ends with error %v and tells %q; want no error and nothing told", verify, err, told)
		}
		if whole.Documents != 4000+600+1500+4000 || whole.Duplicate < 4000 || whole.Unique < 2000 || whole.UniqueCut > 0 {
			t.Fatalf("by %s, the summary is %+v; want 10100 documents, 4000 or more duplicates, 2000 or more unique, none cut", verify, whole)
		}
		for _, memory := range []setting.Bytes{700 * setting.KiB, 300 * setting.KiB} {
			got, parts, told, err := inPasses(t, verify, memory, first, bad, last, first)
			if err != nil {
				t.Fatal(err)
			}
			for name := range want {
				if got[name] != want[name] {
					t.Errorf("%s, %v: --%s has %d bytes, want %d, or others", verify, memory, name, len(got[name]), len(want[name]))
				}
			}
			if parts.Unique != whole.Unique || parts.Duplicate != whole.Duplicate || strings.Count(told, "the memory is full with") < 2 {
				t.Errorf("%+v, want %+v\n%s", parts, whole, told)
			}
		}
	}
}

// TestPassesOfBoilerplate: documents that are linked under fine keys take more memory, and a share has room for it.
func TestPassesOfBoilerplate(t *testing.T) {
	texts, _ := synthetic.Boilerplate{Originals: 1000, Copies: 100, Common: 130, Mixed: true, Seed: 1}.Make()
	var lines bytes.Buffer
	for _, text := range texts {
		fmt.Fprintf(&lines, "{\"text\":%q}\n", text)
	}
	path := filepath.Join(t.TempDir(), "boilerplate.jsonl")
	if err := os.WriteFile(path, lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for memory := 755 * setting.KiB; memory < 780*setting.KiB; memory += 5 * setting.KiB {
		_, s, told, err := inPasses(t, "jaccard", memory, path)
		if err != nil || s.Documents != 1100 || !strings.Contains(told, "the memory is full") {
			t.Errorf("with %v, %d documents are judged with error %v, and it tells %q; want 1100, none, and that memory was full",
				memory, s.Documents, err, told)
		}
	}
}

// TestPassesSeeOtherFiles: files that change between two passes are told, wherever they change.
func TestPassesSeeOtherFiles(t *testing.T) {
	path := articles(t, 2000)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := bytes.LastIndexByte(data[:len(data)-1], '\n') + 1
	for want, other := range map[string][]byte{
		"are not those that were judged before":       bytes.Replace(data, []byte("e"), []byte("f"), 1),
		"the first pass, and now there are 1999":      data[:last],
		"the first pass, and now there are more":      append(slices.Clone(data), data[last:]...),
		"the first pass, and now some of them are ot": append(slices.Clone(data[:last]), "{\"text\":\"e\"}\n"...),
	} {
		changed := filepath.Join(t.TempDir(), "other.jsonl")
		if err := os.WriteFile(changed, other, 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, _, err := inPassesOver(t, "jaccard", 300*setting.KiB, []string{path}, []string{changed})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "--checkpoint") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	got, _, _, err := inPasses(t, "jaccard", setting.KiB, path)
	if !errors.Is(err, dedup.ErrMemory) || got["unique"] != "" {
		t.Errorf("no room for a document: %v", err)
	}
}
