package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// examples are the lines of each command's help that show how it is used.
func examples(cmd *cobra.Command, visit func(cmd *cobra.Command, line string)) {
	for line := range strings.Lines(cmd.Example) {
		visit(cmd, strings.TrimSpace(line))
	}
	for _, below := range cmd.Commands() {
		examples(below, visit)
	}
}

// TestExamplesParse reads each example as the program would: flags and arguments that there are, of the command that it
// is the example of.
func TestExamplesParse(t *testing.T) {
	n := 0
	examples(rootCommand(), func(cmd *cobra.Command, line string) {
		parsed := false
		for _, part := range strings.Split(line, "|") {
			args := shellWords(strings.TrimSpace(part))
			if len(args) == 0 || args[0] != "unecho" {
				continue
			}
			found, rest, err := rootCommand().Find(args[1:])
			if err == nil {
				err = found.ParseFlags(rest)
			}
			if err == nil {
				err = found.ValidateArgs(found.Flags().Args())
			}
			if err != nil {
				t.Errorf("the example %q cannot be parsed: %v", line, err)
			}
			parsed = parsed || found.CommandPath() == cmd.CommandPath()
			n++
		}
		if !parsed {
			t.Errorf("%s is no example of %s", line, cmd.CommandPath())
		}
	})
	if n < 20 {
		t.Errorf("%d examples", n)
	}
}

// shellWords splits a command line at spaces outside of single quotes, up to where its output is redirected.
func shellWords(line string) (words []string) {
	line, _, _ = strings.Cut(line, ">")
	for i, piece := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, piece)
		} else {
			words = append(words, strings.Fields(piece)...)
		}
	}
	return words
}

// TestExamplesRun runs the examples of the verbs that need no service, in a directory with the files that they name,
// and with a cluster for those that read records.
func TestExamplesRun(t *testing.T) {
	dir := exampleFiles(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(program, filepath.Join(bin, "unecho")); err != nil { // testscript.Main runs main under this name
		t.Fatal(err)
	}
	verbs := []string{"common", "dedup", "eval", "explain", "plan", "tune"}
	ran := map[string]int{}
	examples(rootCommand(), func(cmd *cobra.Command, line string) {
		if !slices.Contains(verbs, cmd.Name()) {
			return
		}
		ran[cmd.Name()]++
		shell := exec.CommandContext(t.Context(), "sh", "-c", line)
		shell.Dir, shell.Env = dir, append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), noRaceNap)
		if out, err := shell.CombinedOutput(); err != nil {
			t.Errorf("the example %q ends with %v; want no error; it prints\n%s", line, err, out)
		}
	})
	if len(ran) != len(verbs) {
		t.Errorf("of some verbs no example ran: %v", ran)
	}
}

// exampleFiles makes a directory with what examples name.
func exampleFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var articles, tokens, sentences, ads, flats, labels, clusters strings.Builder
	ads.WriteString("Title\tShort Description\n")
	for i := range 12 {
		text := fmt.Sprintf("article %d tells at some length what happened %d times on the day %d of the year", i/2, i/2, i/2)
		fmt.Fprintf(&articles, `{"id":"%d","text":%q,"body":%[2]q}`+"\n", i, text)
		fmt.Fprintf(&tokens, `{"words":["%s"]}`+"\n", strings.Join(strings.Fields(text), `","`))
		fmt.Fprintln(&sentences, text)
		fmt.Fprintf(&ads, "Flat %d\t%s\n", i, text)
		fmt.Fprintf(&flats, `{"text":"a flat of %d rooms, to be seen at the office of our agency"}`+"\n", i)
		fmt.Fprintf(&clusters, "%d\t%d\n", i, i/2)
		if i%2 == 1 {
			fmt.Fprintf(&labels, "%d\t%d\n", i-1, i)
		}
	}
	for name, content := range map[string]string{
		"articles.jsonl": articles.String(), "sample.jsonl": articles.String(), "2025.jsonl": articles.String(),
		"today.jsonl": articles.String(), "monday.jsonl": strings.Repeat(articles.String(), 2), "tuesday.jsonl": articles.String(),
		"tokens.jsonl": tokens.String(), "sentences.txt": sentences.String(), "ads.tsv": ads.String(), "ads.jsonl": flats.String(),
		"labels.tsv":   labels.String(),
		"clusters.tsv": clusters.String(), "one.txt": "one text", "other.txt": "another text", "texts/a.md": "one text",
		"texts/b.md": "one text",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(newsCluster(t, time.Now().Add(-time.Hour)), filepath.Join(dir, "unecho.yaml")); err != nil {
		t.Fatal(err)
	}
	return dir
}
