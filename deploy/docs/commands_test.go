package docs

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// program builds unecho and returns the directory that it is in.
func program(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(bin, "unecho"), "./cmd/unecho")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building unecho ends with %v:\n%s", err, out)
	}
	return bin
}

// shell runs a command line in dir, as a person would with unecho installed.
func shell(ctx context.Context, bin, dir, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "LC_ALL=C")
	return cmd
}

// console is a block of a page that shows commands and what they print.
type console struct {
	page string
	text string
	run  bool // what it prints does not depend on a service: the test runs it
}

func consoles(t *testing.T) (all []console) {
	t.Helper()
	block := regexp.MustCompile("(?s)(<!-- run -->\n)?```console\n(.*?)\n```\n")
	for _, page := range documents(t) {
		for _, m := range block.FindAllStringSubmatch(read(t, page), -1) {
			all = append(all, console{page, m[2] + "\n", m[1] != ""})
		}
	}
	return all
}

// commands are the command lines of a block, those that go on in the next line made whole.
func (c console) commands() (lines []string) {
	whole := strings.ReplaceAll(c.text, " \\\n", " ")
	for line := range strings.Lines(whole) {
		if command, shown := strings.CutPrefix(line, "$ "); shown {
			lines = append(lines, strings.TrimSpace(command))
		}
	}
	return lines
}

// What pages show as typed at a terminal is true.
func TestConsoles(t *testing.T) {
	bin := program(t)
	t.Run("print what is shown", func(t *testing.T) { consolesPrint(t, bin) })
	t.Run("show real commands", func(t *testing.T) { consolesShow(t, bin) })
	t.Run("name files that exist", consolesNameFiles)
}

// Commands that need no service print what the pages show, figures of speed and memory aside.
func consolesPrint(t *testing.T, bin string) {
	ran := 0
	for _, c := range consoles(t) {
		if !c.run {
			continue
		}
		ran++
		dir := t.TempDir()
		examples := os.DirFS(filepath.Join(root, "deploy/examples"))
		if err := errors.Join(os.CopyFS(dir, examples),
			os.CopyFS(filepath.Join(dir, "deploy/examples"), examples)); err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, line := range c.commands() {
			out, err := shell(t.Context(), bin, dir, line).CombinedOutput()
			if err != nil {
				t.Errorf("%s: the command %s ends with %v", c.page, line, err)
			}
			got.WriteString("$ " + line + "\n" + string(out))
		}
		if !shows(masked(c.text), masked(got.String())) {
			t.Errorf("%s shows\n%sand it is\n%s", c.page, c.text, got.String())
		}
	}
	if ran < 9 {
		t.Errorf("only %d blocks were run: are they still marked?", ran)
	}
}

// masked has no figures that differ from run to run.
func masked(text string) string {
	for _, figure := range []string{
		`[0-9.]+ ?m?s\b`, `\([0-9,]+ documents/s\)`, `memory [0-9]+ MB`,
		`[0-9,]+ a second, [0-9,]+ MiB`,
	} {
		text = regexp.MustCompile(figure).ReplaceAllString(text, "#")
	}
	return text
}

// shows says whether shown is got, where a line of three dots stands for any lines.
func shows(shown, got string) bool {
	var pattern strings.Builder
	for line := range strings.Lines(shown) {
		if line == "...\n" {
			pattern.WriteString("(?:.*\n)*?")
		} else {
			pattern.WriteString(regexp.QuoteMeta(line))
		}
	}
	return regexp.MustCompile("^" + pattern.String() + "$").MatchString(got)
}

// Each command that a page shows is one of the program: its verb and its flags are there.
func consolesShow(t *testing.T, bin string) {
	found := 0
	asked := regexp.MustCompile(`(?:^|\| )unecho ([^|&>;]+)`)
	for _, c := range consoles(t) {
		for _, line := range c.commands() {
			line = strings.Replace(line, "go run ./cmd/unecho", "unecho", 1)
			for _, m := range asked.FindAllStringSubmatch(line, -1) {
				found++
				out, err := shell(t.Context(), bin, t.TempDir(), "unecho "+m[1]+" --help").CombinedOutput()
				verb, _, _ := strings.Cut(m[1], " ")
				if usage := "Usage:\n  unecho " + strings.TrimSpace(verb); err != nil || !strings.Contains(string(out), usage) {
					t.Errorf("%s: of %s the help ends with %v, want %q in it:\n%s", c.page, line, err, usage, out)
				}
			}
		}
	}
	if found < 15 {
		t.Errorf("only %d commands of the program are shown", found)
	}
}

// Each file that a command names is in deploy/examples, or made by the block itself.
func consolesNameFiles(t *testing.T) {
	name := regexp.MustCompile(`[\w./-]+\.(?:jsonl|txt|tsv|csv|index|md|yaml)\b`)
	made := []string{"tuned.yaml", "search.yaml"} // what pages say to write
	for _, c := range consoles(t) {
		for _, line := range c.commands() {
			for _, m := range regexp.MustCompile(
				`(?:--(?:unique|pairs|clusters|duplicates|rejected|removed|save-index|yaml|html) |> ?)([\w./-]+)`).
				FindAllStringSubmatch(line, -1) {
				made = append(made, m[1])
			}
			for _, file := range name.FindAllString(line, -1) {
				_, here := os.Stat(filepath.Join(root, "deploy/examples", file))
				_, there := os.Stat(filepath.Join(root, file))
				if here != nil && there != nil && !slices.Contains(made, file) && !strings.HasPrefix(file, "*") && file != ".md" {
					t.Errorf("%s: %s: there is no %s", c.page, line, file)
				}
			}
		}
	}
}
