//go:build unix

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/unecho/unecho/cmd/internal/exit"
)

// TestInterrupted stops verbs in the middle of their input: they say so, what was there stays, what can be told of the
// documents so far is told, and no other file is left.
func TestInterrupted(t *testing.T) {
	documents := func(from, to int) string {
		var b strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, "{\"id\":\"%d\",\"text\":\"document %d tells of the day %d at some length, as documents do\"}\n", i, i/2, i/2)
		}
		return b.String()
	}
	for _, test := range []struct {
		args string
		says string
		kept []string // files that stay as they were
		new  []string
	}{
		{"tune --html old.html --yaml old.yaml --slots 64 in.jsonl", "stopped before all documents were read; nothing is written", []string{"old.html", "old.yaml"}, nil},
		{"common -o old.txt in.jsonl", "stopped before all documents were read; nothing is written", []string{"old.txt"}, nil},
		{"dedup --unique u --duplicates d in.jsonl", "stopped after ", nil, []string{"u", "d"}},
		{"dedup --matches all --unique u in.jsonl", "stopped after ", nil, []string{"u"}},
		{"dedup --index in.jsonl --save-index old.index", "stopped before all of the index was read", []string{"old.index"}, nil},
		{"dedup --method simhash --distance 9 --unique old.txt.new in.jsonl", "stopped after ", nil, []string{"old.txt.new"}},
		{"eval --pairs old.tsv in.jsonl", "stopped before all documents were read; nothing is written", []string{"old.tsv"}, nil},
	} {
		t.Run(test.args, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range test.kept {
				if err := os.WriteFile(filepath.Join(dir, name), []byte("as it was"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			code, stderr := interrupted(t, dir, strings.Fields(test.args), documents(0, 4000), documents(4000, 9000))
			if code != exit.Interrupted || !strings.Contains(stderr, test.says) {
				t.Errorf("exit code %d, %s", code, stderr)
			}
			for _, name := range test.kept {
				if now, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(now) != "as it was" {
					t.Errorf("%s is now %q, %v", name, now, err)
				}
			}
			left := slices.Sorted(slices.Values(append(append([]string{"in.jsonl"}, test.kept...), test.new...)))
			if now := names(t, dir); !slices.Equal(now, left) {
				t.Errorf("there are %v, want %v", now, left)
			}
		})
	}
}

// TestInterruptedWaiting: what waits for input that doesn't come is stopped by the first signal.
func TestInterruptedWaiting(t *testing.T) {
	for args, says := range map[string]string{
		"dedup in.jsonl":          "stopped after 0 documents; nothing is written",
		"eval --pairs p in.jsonl": "stopped before all documents were read",
		"plan in.jsonl":           "stopped before all documents were read",
	} {
		t.Run(args, func(t *testing.T) {
			if code, stderr := interrupted(t, t.TempDir(), strings.Fields(args), "", ""); code != exit.Interrupted ||
				!strings.Contains(stderr, says) {
				t.Errorf("exit code %d, %s", code, stderr)
			}
		})
	}
}

// TestInterruptedAsking: what asks a member that does not answer is stopped by the first signal.
func TestInterruptedAsking(t *testing.T) {
	asked := make(chan struct{})
	member := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else nobody notices that the client has gone
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer member.Close()
	for _, args := range []string{"recent", "recent --json", "top --once", "top --json", "lookup text"} {
		t.Run(args, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "unecho", append(strings.Fields(args), "--server", member.URL)...)
			var stderr strings.Builder
			cmd.Env, cmd.Stderr = append(os.Environ(), noRaceNap), &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
			defer ended.Stop()
			select {
			case <-asked:
			case <-time.After(patience):
				t.Fatal("the member is not asked")
			}
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != exit.Interrupted ||
				stderr.String() != "unecho: stopped before the member had answered\n" {
				t.Errorf("exit code %d, %s", cmd.ProcessState.ExitCode(), &stderr)
			}
		})
	}
}

// interrupted runs a verb whose input, in.jsonl, is a pipe, and interrupts it between two parts of that. If there is no
// second one, the pipe stays open until the verb has ended.
func interrupted(t *testing.T, dir string, args []string, before, after string) (code int, stderr string) {
	t.Helper()
	input := filepath.Join(dir, "in.jsonl")
	if err := unix.Mkfifo(input, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "unecho", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), noRaceNap, "TMPDIR="+dir)
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in, err := os.OpenFile(input, os.O_WRONLY, 0) // waits until it is read
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(in, before)
	if err == nil {
		err = cmd.Process.Signal(os.Interrupt)
	}
	lines := bufio.NewReader(said)
	heard, err2 := lines.ReadString('\n')
	if err := errors.Join(err, err2); err != nil || !strings.Contains(heard, "a second signal exits at once") {
		t.Fatalf("unecho says %q when it is interrupted, error %v; want how to leave at once and no error", heard, err)
	}
	defer in.Close()
	if after != "" {
		_, _ = io.WriteString(in, after) // of which it may read nothing
		in.Close()
	}
	rest, err := io.ReadAll(lines)
	var exit *exec.ExitError
	if end := cmd.Wait(); !errors.As(end, &exit) || err != nil {
		t.Fatalf("unecho ends with %v, and reading what it says with %v; want an exit with another code than 0, and no error", end, err)
	}
	return exit.ExitCode(), string(rest)
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}
