//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/unecho/unecho/deploy/dev/testbed"
)

func TestLogsAreKept(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(log, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &servers{place: testbed.Files{Cache: t.TempDir()}, running: []*testbed.Server{{Name: "patient", Log: log}}}
	s.keepLogs()
	if text, err := os.ReadFile(filepath.Join(s.place.Cache, "logs", "patient.log")); err != nil ||
		string(text) != "hello" {
		t.Errorf("got %q, %v", text, err)
	}
}

// TestVariablesThatNameServersStartNone also checks that neither Java nor PostgreSQL is needed then.
func TestVariablesThatNameServersStartNone(t *testing.T) {
	t.Setenv(kafkaVariable, "there:9092")
	t.Setenv(postgresVariable, "postgres://there")
	out := filepath.Join(t.TempDir(), "out")
	err := run(t.Context(), []string{
		"-cache", t.TempDir(), "--", "/bin/sh", "-c",
		"echo $UNECHO_TEST_KAFKA $UNECHO_TEST_POSTGRES >$0; exit 5", out,
	}, os.Stdout)
	if code := exitCode(err); code != 5 {
		t.Errorf("exit code %d, want the command's 5 (%v)", code, err)
	}
	if text, err := os.ReadFile(out); err != nil || string(text) != "there:9092 postgres://there\n" {
		t.Errorf("got %q, %v", text, err)
	}
}
