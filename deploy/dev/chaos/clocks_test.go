//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The clock of a member is off by an offset, drifts, and is set right every minute.
func TestClocks(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"skew.go": strings.Replace(skewed, "package time", "package main", 1),
		"main.go": `package main

import "fmt"

func runtimeNano() int64 { return 5_000_000_000 }

func atoi(s string) (n int, err error) { _, err = fmt.Sscan(s, &n); return n, err }

func main() {
	for _, after := range []int64{0, 10, 30, 59, 60, 70} {
		sec, nsec := off(1000, 400_000_000, begun+after*1_000_000_000)
		fmt.Printf("%d.%d ", sec, nsec/100_000_000)
	}
}
`,
		"go.mod": "module clocks\n",
	} {
		check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for _, c := range []struct{ skew, drift, want string }{
		{"", "", "1000.4 1000.4 1000.4 1000.4 1000.4 1000.4 "},
		{"7200", "100", "8200.4 8201.4 8203.4 8206.3 8200.4 8201.4 "},
		{"-7200", "-100", "-6200.4 -6201.4 -6203.4 -6206.5 -6200.4 -6201.4 "},
	} {
		run := exec.CommandContext(t.Context(), "go", "run", ".")
		run.Dir, run.Env = dir, append(os.Environ(), "GOWORK=off", skewVariable+"="+c.skew, driftVariable+"="+c.drift)
		run.Stderr = t.Output()
		out, err := run.Output()
		check(t, err)
		if string(out) != c.want {
			t.Errorf("off by %q s and %q ‰: got %s, want %s", c.skew, c.drift, out, c.want)
		}
	}
}

// Members, three brokers and PostgreSQL have clocks that are off by up to two hours, drift, and are others after each
// start, while members and brokers are killed. Every document comes out once, and no member ends for its clock.
func TestClocksLong(t *testing.T) {
	if os.Getenv("UNECHO_TEST_KAFKA") == "" {
		t.Skip("needs Kafka: run make test-long")
	}
	p, err := parse(clocksRun.args, t.Output())
	check(t, err)
	w, err := open(t.Context(), p, t.Output())
	check(t, err)
	defer func() { w.close(t.Failed()) }()
	r, err := one(t.Context(), w, p, t.Output())
	check(t, err)
	r.print(t.Output())
	if !r.ok() {
		t.Errorf("there are findings: what they are about is kept in %s", w.dir)
	}
	clocksRun.performed(t, r)
}
