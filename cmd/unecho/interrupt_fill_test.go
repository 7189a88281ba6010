//go:build unix

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/cmd/internal/exit"
)

// TestInterruptedFill: a fill that a signal stops before it has reached Kafka is an interruption, too.
func TestInterruptedFill(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	if err := silent.(*net.TCPListener).SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "unecho.yaml")
	text := fmt.Sprintf("group: news\nkafka: {brokers: [%q]}\nsources: [{topics: [news]}]\nsnapshots: {directory: {path: %q}}\n",
		silent.Addr(), t.TempDir())
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "unecho", "fill", "--config", config)
	var stderr strings.Builder
	cmd.Env, cmd.Stderr = append(os.Environ(), noRaceNap), &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer ended.Stop()
	if _, err := silent.Accept(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != exit.Interrupted {
		t.Errorf("exit code %d, %s", cmd.ProcessState.ExitCode(), &stderr)
	}
}
