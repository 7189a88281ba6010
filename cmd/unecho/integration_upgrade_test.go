package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unecho/unecho/consumer/audit"
)

// A group is upgraded member by member, and downgraded again, while documents come: members of two versions work side
// by side in one group and one journal. Nothing begins anew: what was judged before a restart is remembered after it.
// The later version has a setting more, at its default.
func TestRollingUpgradeOnKafka(t *testing.T) {
	t.Parallel()
	s := newScene(t, 4)
	from, to := plain(t), withNewSetting(t)
	s.configure(s.inDirectory(), s.consumer(""), noOps)
	begin := func(program string) *process {
		t.Helper()
		p := startProgram(t, s.dir, program, "run", "--config", s.file)
		s.all = append(s.all, p)
		p.says(`"message":"ready"`)
		return p
	}
	const documents = 600
	uniques := 0
	// again sends the same documents as ever: all that have a text are copies, but for the first time.
	again := func(what string) {
		t.Helper()
		s.produce(documents, 71)
		s.settled()
		switch n := s.sum(".news.unique"); {
		case uniques == 0:
			uniques = n
		case n != uniques:
			t.Fatalf("%s: %d documents are unique for the second time", what, n-uniques)
		}
	}
	one := begin(from)
	again("at the beginning")
	two := begin(from)
	for _, step := range []struct{ what, program string }{{"upgraded", to}, {"downgraded", from}, {"upgraded again", to}} {
		s.produce(documents, 71)
		stopAll(t, patience, one) // under load
		one = begin(step.program)
		if !one.restored() {
			t.Errorf("%s: it restored no snapshot", step.what)
		}
		again("one is " + step.what)
		s.produce(documents, 71)
		two.kill()
		two = begin(step.program)
		again("both are " + step.what)
	}
	if report := s.audited(s.name + ".journal"); report.Outcome() != audit.Proven || report.Earlier != 0 ||
		report.Unique != uniques {
		t.Errorf("%d were unique at first, the audit says %s", uniques, &report)
	}
	stopAll(t, patience, one, two)
}

// withNewSetting is this version with a setting more.
func withNewSetting(t *testing.T) string {
	t.Helper()
	program := overlaid(t, "index/params.go", map[string]string{
		"type DuplicatesParams struct {\n": "type DuplicatesParams struct {\n\tPlanted string `key:\"planted\" doc:\"a setting of a later version\" enum:\"none|some\" verdict:\"true\" omit:\"none\"`\n",
		"DuplicatesParams{\n":              "DuplicatesParams{\n\t\t\tPlanted: \"none\",\n",
	})
	file := filepath.Join(t.TempDir(), "planted.yaml")
	check(t, os.WriteFile(file, []byte(plantedConfig), 0o600))
	for of, known := range map[string]bool{program: true, plain(t): false} {
		if err := exec.CommandContext(t.Context(), of, "config", "check", "--config", file).Run(); (err == nil) != known {
			t.Fatalf("%s knows the setting: %v", of, err)
		}
	}
	return program
}

// overlaid builds this version with some texts of a file replaced.
func overlaid(t *testing.T, file string, replace map[string]string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", file))
	check(t, err)
	data, err := os.ReadFile(path)
	check(t, err)
	text := string(data)
	for was, is := range replace {
		if strings.Count(text, was) != 1 {
			t.Fatalf("%q stands %d times in %s", was, strings.Count(text, was), file)
		}
		text = strings.Replace(text, was, is, 1)
	}
	dir := t.TempDir()
	other, overlay, program := filepath.Join(dir, "other.go"), filepath.Join(dir, "overlay.json"),
		filepath.Join(dir, "unecho")
	data, err = json.Marshal(map[string]map[string]string{"Replace": {path: other}})
	check(t, err)
	check(t, os.WriteFile(other, []byte(text), 0o600))
	check(t, os.WriteFile(overlay, data, 0o600))
	command(t, ".", "go", "build", "-buildvcs=false", "-overlay", overlay, "-o", program, ".")
	return program
}

func command(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v ends with %v; want no error; it prints\n%s", name, args, err, said)
	}
}

const plantedConfig = `kafka: {brokers: [localhost:9092]}
sources: [{topics: [news]}]
group: g
snapshots: {directory: {path: snapshots}}
duplicates: {planted: some}
`
