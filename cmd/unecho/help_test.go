package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestHelp reads the help of each command as a terminal of 100 columns shows it: no line is longer, no flag's value is
// but a string, and each flag of a large command stands in a group.
func TestHelp(t *testing.T) {
	kind := regexp.MustCompile(`^ +(?:-\w, )?--[\w-]+ (string\w*|\w+Slice|\w+Array)\b`)
	pages := 0
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, below := range cmd.Commands() {
			visit(below)
		}
		if cmd.Hidden {
			return
		}
		pages++
		var stdout, stderr bytes.Buffer
		if code := run(append(strings.Fields(cmd.CommandPath())[1:], "--help"), &stdout, &stderr); code != 0 ||
			stderr.Len() > 0 {
			t.Fatalf("%s --help: exit code %d, %s", cmd.CommandPath(), code, stderr.String())
		}
		heading := ""
		lines := strings.Split(stdout.String(), "\n")
		for _, line := range lines {
			if columns := len([]rune(line)); columns > 100 {
				t.Errorf("%s --help: %d columns: %s", cmd.CommandPath(), columns, line)
			}
			if found := kind.FindStringSubmatch(line); found != nil {
				t.Errorf("%s --help: a value is called %s: %s", cmd.CommandPath(), found[1], line)
			}
			if strings.HasSuffix(line, ":") && !strings.HasPrefix(line, " ") {
				heading = strings.TrimSuffix(line, ":")
			}
			if heading == "All commands" && regexp.MustCompile(`^ +(-\w, )?--`).MatchString(line) &&
				!regexp.MustCompile(`--(help|version|log-level|log-format)\b`).MatchString(line) {
				t.Errorf("%s --help: in no group: %s", cmd.CommandPath(), line)
			}
		}
	}
	visit(rootCommand())
	if pages < 20 {
		t.Errorf("%d pages", pages)
	}
}

// TestHelpGroups: a large command has its flags in groups, a small one in one list.
func TestHelpGroups(t *testing.T) {
	for verb, want := range map[string][]string{
		"dedup":   {"Input", "Text", "Similarity", "Output", "Advanced", "All commands"},
		"tune":    {"Input", "Text", "Similarity", "Output", "Advanced", "All commands"},
		"common":  {"Input", "Text", "Similarity", "Output", "Advanced", "All commands"},
		"plan":    {"Input", "Text", "Similarity", "Window", "Output", "Advanced", "All commands"},
		"audit":   {"Output", "Service", "Advanced", "All commands"},
		"produce": {"Flags", "All commands"},
	} {
		page, at := string(printed(t, verb, "--help")), 0
		for _, title := range want {
			found := strings.Index(page[at:], "\n"+title+":\n")
			if found < 0 {
				t.Fatalf("%s --help: no %s in its place:\n%s", verb, title, page)
			}
			at += found
		}
		if verb != "produce" && strings.Contains(page, "\nFlags:\n") {
			t.Errorf("%s --help: flags in no group:\n%s", verb, page)
		}
	}
}
