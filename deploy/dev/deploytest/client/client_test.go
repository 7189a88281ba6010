// Package client asks a running member through a client that a program of others generates from the description of
// its API.
package client

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/deploy/dev/deploytest"
)

const (
	token       = "a token of some length"
	description = "cmd/internal/api/openapi.json" // from the root of the project
)

// TestDescription: no list of required names is empty, which the standard forbids, and the address is a relative one.
func TestDescription(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(deploytest.Root(t), description))
	check(t, err)
	var api map[string]any
	check(t, json.Unmarshal(text, &api))
	namesRequired(t, "", api)
	servers, _ := json.Marshal(api["servers"])
	if !strings.Contains(string(servers), `"url":"../`) {
		t.Errorf("the servers are %s; want a relative address", servers)
	}
}

// namesRequired wants a name in each list of required names.
func namesRequired(t *testing.T, at string, in any) {
	t.Helper()
	switch x := in.(type) {
	case map[string]any:
		for name, value := range x {
			if list, ok := value.([]any); ok && len(list) == 0 && name == "required" {
				t.Errorf("%s/required is empty", at)
			}
			namesRequired(t, at+"/"+name, value)
		}
	case []any:
		for _, value := range x {
			namesRequired(t, at, value)
		}
	}
}

// TestDescriptionLong: a program of others finds the description valid. It takes minutes to build where nothing is cached.
func TestDescriptionLong(t *testing.T) {
	run(t.Context(), t, deploytest.Root(t), deploytest.OpenAPIValidator(t), description)
}

// TestGeneratedClient: the description is good enough for a client that is generated from it to ask everything, and
// to understand each answer by its types.
func TestGeneratedClient(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	root, dir := deploytest.Root(t), t.TempDir()
	description := filepath.Join(root, description)
	check(t, os.CopyFS(dir, os.DirFS("asker")))
	asksAll(t, description, filepath.Join(dir, "main.go"))
	check(t, os.Mkdir(filepath.Join(dir, "client"), 0o750))
	run(ctx, t, dir, deploytest.OapiCodegen(t), "-generate", "types,client", "-package", "client", "-o",
		"client/client.go", description)
	run(ctx, t, dir, "go", "build", "-o", "asker", ".")
	unecho := filepath.Join(dir, "unecho")
	run(ctx, t, root, "go", "build", "-o", unecho, "./cmd/unecho")

	asker := exec.CommandContext(ctx, "./asker")
	asker.Dir, asker.Env = dir, append(os.Environ(), "ASKER_URL="+serve(ctx, t, unecho)+"api/v1", "ASKER_TOKEN="+token)
	if out, err := asker.CombinedOutput(); err != nil {
		t.Errorf("the generated client ends with %v:\n%s", err, out)
	}
}

// asksAll makes sure that the program asks everything that is described.
func asksAll(t *testing.T, description, program string) {
	t.Helper()
	text, err := os.ReadFile(description)
	check(t, err)
	var api struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
		} `json:"paths"`
	}
	check(t, json.Unmarshal(text, &api))
	source, err := os.ReadFile(program)
	check(t, err)
	for path, methods := range api.Paths {
		for method, operation := range methods {
			id := strings.ToUpper(operation.OperationID[:1]) + operation.OperationID[1:]
			if !strings.Contains(string(source), "."+id+"WithResponse(") && !strings.Contains(string(source), "."+id+"(") {
				t.Errorf("nobody asks %s %s (%s)", method, path, id)
			}
		}
	}
	if len(api.Paths) == 0 {
		t.Error("nothing is described")
	}
}

// serve runs the demo, and returns the address of its page.
func serve(ctx context.Context, t *testing.T, unecho string) string {
	t.Helper()
	cmd := exec.CommandContext(ctx, unecho, "demo", "--page", "--documents", "400", "--pace", "0", "--set",
		"http.listen=127.0.0.1:0", "--set", "http.token="+token, "--set", "http.ingest.enabled=true", "--set", "http.ingest.rate=10", "--set", "duplicates.remember.keys=1h")
	cmd.Dir, cmd.Cancel = t.TempDir(), func() error { return cmd.Process.Signal(os.Interrupt) }
	said, err := cmd.StderrPipe()
	check(t, err)
	check(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "its page is "); ok {
			go func() {
				for lines.Scan() { // so that it can go on to write
				}
			}()
			return url
		}
	}
	t.Fatal("the demo does not say where its page is")
	return ""
}

func run(ctx context.Context, t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-trimpath", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("running %s %s ends with %v:\n%s", name, strings.Join(args, " "), err, out)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
