//go:build unix

package testbed

import (
	"context"
	"errors"
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
		`javac 17.0.15`:                        17,
		`javac 1.8.0_402`:                      8,
		`command not found`:                    0,
	} {
		if got := javaMajor(version); got != want {
			t.Errorf("javaMajor(%q) = %d, want %d", version, got, want)
		}
	}
}

func TestPythonMinor(t *testing.T) {
	for version, want := range map[string]int{
		"pip 23.0.1 from /usr/lib/python3/dist-packages/pip (python 3.11)": 11,
		"pip 9.0.3 from /usr/lib/python2.7/site-packages (python 2.7)":     0,
		"No module named pip": 0,
	} {
		if got := pythonMinor(version); got != want {
			t.Errorf("pythonMinor(%q) = %d, want %d", version, got, want)
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

func TestMissingNamesTheCommand(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // neither Java nor apt-get
	t.Setenv("JAVA_HOME", "")
	_, err := findJava(t.Context())
	if err == nil || !strings.Contains(err.Error(), "`sudo apt-get install default-jre-headless`") {
		t.Errorf("got %v", err)
	}
}

// The properties of each broker are filled in, and name its own listeners and all controllers.
func TestConfigureKafka(t *testing.T) {
	for _, n := range []int{1, 3} {
		var fronts []string
		nodes, err := layOut(t.Context(), n, func(_ int, address string) (string, error) {
			fronts = append(fronts, address)
			return "127.0.0.1:7", nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, one := range nodes {
			dir := filepath.Join(t.TempDir(), "kafka")
			if err := one.configure(dir, nodes, ""); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(filepath.Join(dir, "kafka.properties"))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				if _, value, _ := strings.Cut(strings.TrimSpace(line), "="); strings.HasSuffix(value, ":") ||
					strings.Contains(value, "$") {
					t.Errorf("not filled in: %s", line)
				}
			}
			for _, want := range []string{
				"\nlisteners=PLAINTEXT://" + local(one.port) + ",", ",FRONT://" + fronts[i] + "\n", ",FRONT://127.0.0.1:7\n",
				"controller.quorum.bootstrap.servers=" + addresses(nodes, func(n node) int { return n.controller }) + "\n",
			} {
				if !strings.Contains(string(text), want) {
					t.Errorf("no %q in:\n%s", want, text)
				}
			}
		}
	}
}

func shell(t *testing.T, script string, ready func(context.Context) error) *Server {
	return &Server{
		Name: "shell", Log: filepath.Join(t.TempDir(), "log"), stopSignal: syscall.SIGTERM,
		args: []string{"/bin/sh", "-c", script}, ready: ready,
	}
}

func TestServerThatEndsShowsItsLog(t *testing.T) {
	s := shell(t, "echo port in use; exit 3", func(context.Context) error { return errors.New("not yet") })
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	err := s.Await(t.Context())
	if !errors.Is(err, errEnded) || !strings.Contains(err.Error(), "exit status 3") ||
		!strings.Contains(err.Error(), "port in use") {
		t.Errorf("got %v", err)
	}
}

// A server that is stopped or killed is gone with its process group, and can be started again.
func TestServerLivesAgain(t *testing.T) {
	s := shell(t, "echo hello; exec tail -f /dev/null", nil)
	for life, end := range []func(){s.Stop, s.Kill, func() { StopAll(s) }} {
		if err := s.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		pid := s.PID()
		end()
		if err := syscall.Kill(-pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("life %d: the server's process group is still there: %v", life, err)
		}
	}
}
