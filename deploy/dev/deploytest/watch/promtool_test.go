package watch

import (
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/deploy/dev/deploytest"
)

// The unit tests of the alerts pass in Prometheus' own tool, and there is one for each alert that fires, and one that
// is silent.
func TestAlertsUnit(t *testing.T) {
	t.Parallel()
	tool := deploytest.Promtool(t)
	for _, args := range [][]string{
		{"check", "rules", "--lint=all", "--lint-fatal", filepath.Join(root, rulesFile)},
		{"test", "rules", "testdata/alerts_test.yaml"},
	} {
		if out, err := exec.CommandContext(t.Context(), tool, args...).CombinedOutput(); err != nil {
			version, _ := exec.CommandContext(t.Context(), tool, "--version").CombinedOutput() // for people
			t.Errorf("promtool %v: %v\n%s\n%s", args, err, out, version)
		}
	}
	tests := read(t, "deploy/dev/deploytest/watch/testdata/alerts_test.yaml")
	for _, name := range slices.Sorted(maps.Keys(alerting(t))) {
		for _, what := range []string{" fires\n", " is silent\n"} {
			if !strings.Contains(tests, "- name: "+name+what) {
				t.Errorf("there is no unit test in which %s%s", name, what)
			}
		}
	}
}

// Each alert says what happens, how bad it is, and has a section of the runbook with what it means, where to look,
// and what to do.
func TestAlertsHaveASectionEach(t *testing.T) {
	t.Parallel()
	_, sections, _ := strings.Cut(read(t, "deploy/docs/runbook.md"), "\n## Alerts\n")
	sections, _, _ = strings.Cut(sections, "\n## ")
	for _, rule := range ruleGroup(t) {
		if want := "https://github.com/unecho/unecho/blob/main/deploy/docs/runbook.md#" +
			strings.ToLower(rule.Alert); rule.Annotations["runbook_url"] != want {
			t.Errorf("%s sends people to %s, not to %s", rule.Alert, rule.Annotations["runbook_url"], want)
		}
		if rule.Annotations["summary"] == "" || !slices.Contains([]string{"critical", "warning"}, rule.Labels["severity"]) {
			t.Errorf("%s lacks a summary or a severity", rule.Alert)
		}
		_, section, ok := strings.Cut(sections, "\n### "+rule.Alert+"\n")
		section, _, _ = strings.Cut(section, "\n### ")
		for _, part := range []string{"**It means** ", "**Look** ", "**Do** "} {
			if !ok || !strings.Contains(section, part) {
				t.Errorf("the runbook's section on %s has no part %q", rule.Alert, part)
			}
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^### (\S+)$`).FindAllStringSubmatch(sections, -1) {
		if alerting(t)[m[1]] == nil {
			t.Errorf("the runbook has a section on %s, and there is no such alert", m[1])
		}
	}
}
