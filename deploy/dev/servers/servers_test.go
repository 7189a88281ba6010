//go:build unix

package main

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

func TestJavaMajor(t *testing.T) {
	for version, want := range map[string]int{
		`openjdk version "17.0.15" 2025-04-15`: 17,
		`java version "1.8.0_402"`:             8,
		`openjdk version "25" 2025-09-16`:      25,
		`command not found`:                    0,
	} {
		if got := javaMajor(version); got != want {
			t.Errorf("javaMajor(%q) = %d, want %d", version, got, want)
		}
	}
}

func TestPostgresMajor(t *testing.T) {
	if got := postgresMajor("/usr/lib/postgresql/15/bin"); got != 15 {
		t.Errorf("got %d, want 15", got)
	}
}

func TestClusterIDIsNoFlag(t *testing.T) {
	id := clusterID()
	if !regexp.MustCompile(`^d[A-Za-z0-9_-]{21}$`).MatchString(id) { // base64 of a leading 'u' is d
		t.Errorf("got %q", id)
	}
}

func TestConfigureKafka(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kafka")
	addr, err := configureKafka(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := net.ResolveTCPAddr("tcp", addr); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "kafka.properties"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if _, value, _ := strings.Cut(strings.TrimSpace(line), "="); strings.HasSuffix(value, ":") || strings.Contains(value, "$") {
			t.Errorf("not filled in: %s", line)
		}
	}
	if !strings.Contains(string(text), "listeners=PLAINTEXT://"+addr+",") {
		t.Errorf("no listener at %s in:\n%s", addr, text)
	}
}

func TestMissingNamesTheCommand(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // neither Java nor apt-get
	t.Setenv("JAVA_HOME", "")
	_, err := findJava(t.Context())
	if err == nil || !strings.Contains(err.Error(), "`sudo apt-get install default-jre-headless`") {
		t.Errorf("got %v", err)
	}
}

func TestServerThatEndsShowsItsLog(t *testing.T) {
	p, err := launch(t.Context(), "broken", filepath.Join(t.TempDir(), "log"), nil, syscall.SIGTERM, "/bin/sh", "-c", "echo port in use; exit 3")
	if err != nil {
		t.Fatal(err)
	}
	defer p.cancel()
	err = p.await(t.Context(), func(context.Context) error { return errors.New("not yet") })
	if !errors.Is(err, errEnded) || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "port in use") {
		t.Errorf("got %v", err)
	}
}

func TestStopEndsServersAndKeepsLogs(t *testing.T) {
	s := &servers{dir: t.TempDir(), cache: t.TempDir()}
	p, err := s.adopt(launch(t.Context(), "patient", filepath.Join(s.dir, "log"), nil, syscall.SIGTERM, "/bin/sh", "-c", "echo hello; exec tail -f /dev/null"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.await(t.Context(), func(context.Context) error { return nil }); err != nil {
		t.Fatal(err)
	}
	s.stop()
	s.keepLogs()
	if err := syscall.Kill(-p.pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the server's process group is still there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(s.cache, "logs", "patient.log")); err != nil {
		t.Error(err)
	}
}

// TestVariablesThatNameServersStartNone also holds that neither Java nor PostgreSQL is needed then.
func TestVariablesThatNameServersStartNone(t *testing.T) {
	t.Setenv(kafkaVariable, "there:9092")
	t.Setenv(postgresVariable, "postgres://there")
	out := filepath.Join(t.TempDir(), "out")
	err := run(t.Context(), []string{"-cache", t.TempDir(), "--", "/bin/sh", "-c", "echo $UNECHO_TEST_KAFKA $UNECHO_TEST_POSTGRES >$0; exit 5", out}, os.Stdout)
	if code := exitCode(err); code != 5 {
		t.Errorf("exit code %d, want the command's 5 (%v)", code, err)
	}
	if text, err := os.ReadFile(out); err != nil || string(text) != "there:9092 postgres://there\n" {
		t.Errorf("got %q, %v", text, err)
	}
}
