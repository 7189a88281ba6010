// Package watch holds the alerts and the dashboard against members at work: what they say goes through Prometheus'
// own engine.
package watch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const root = "../../../.."

// program is the binary that the tests run, built once.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "unecho-watch")
	if err == nil {
		program = filepath.Join(dir, "unecho")
		err = buildQuick(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// buildQuick builds the program with lags that are read once a second, not every ten: the time of the tests is quick.
func buildQuick(dir string) error {
	overlay, err := plant(dir, "consumer/lag.go", "cmp.Or(s.lagEvery, lagEvery)",
		"cmp.Or(s.lagEvery, lagEvery/10)")
	if err != nil {
		return err
	}
	return build(program, "-overlay", overlay)
}

// build builds the program, from the product's own module.
func build(binary string, flags ...string) error {
	args := append([]string{"build", "-buildvcs=false", "-o", binary}, flags...)
	cmd := exec.Command("go", append(args, "./cmd/unecho")...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build ./cmd/unecho: %w\n%s", err, out)
	}
	return nil
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
