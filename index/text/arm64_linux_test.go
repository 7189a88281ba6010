package text

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The tests of this package build for arm64. The long test builds those of sketch and index as well, and runs them under
// QEMU, of index those that are about tables, lookups and prefetching. All but prefetching is portable code there. That
// shows that the results are the same; an emulator says nothing of speed.
func TestARM64(t *testing.T) { tryARM64(t, []string{"."}, func(string, string) {}) }

func TestARM64Long(t *testing.T) {
	if runsHere() {
		return
	}
	emulator := qemu(t)
	tryARM64(t, []string{".", "../sketch", ".."}, func(dir, program string) {
		// the tests of kernels start themselves again, without the emulator
		args := []string{program, "-test.v", "-test.skip=Long$|^TestWithoutKernels|^TestKernelsAreSwitchedOff$"}
		if dir == ".." {
			args = append(args, "-test.run=Prefetch|Match|Collide|Table|Stories")
		}
		run := exec.CommandContext(t.Context(), emulator, args...)
		run.Dir = dir
		out, err := run.CombinedOutput()
		if err != nil {
			t.Errorf("the tests of %s end on ARM64 with %v; want no error; they print\n%s", dir, err, out)
		}
		for name, reason := range skipped(string(out)) {
			t.Run(name, func(t *testing.T) { t.Skip(reason) }) // so that it is seen
		}
	})
}

// skipped returns the tests that a verbose run has skipped, and why.
func skipped(verbose string) map[string]string {
	all, said, running := map[string]string{}, map[string]string{}, ""
	for line := range strings.Lines(verbose) {
		line = strings.TrimSpace(line)
		if of, is := strings.CutPrefix(line, "=== "); is {
			_, running, _ = strings.Cut(of, " ")
			running = strings.TrimSpace(running)
		} else if name, is := strings.CutPrefix(line, "--- SKIP: "); is {
			name, _, _ = strings.Cut(name, " ")
			all[name] = said[name]
		} else if _, reason, is := strings.Cut(line, ".go:"); is {
			_, said[running], _ = strings.Cut(reason, ": ") // behind the line's number
		}
	}
	return all
}

func TestSkipped(t *testing.T) {
	t.Parallel()
	const verbose = "=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n    corpus_test.go:47: shared data absent: x is " +
		"not there\n--- SKIP: TestB (0.01s)\n=== RUN   TestC/d\n    a_test.go:1: no: 2\n=== RUN   TestC/e\n    a_test.go:1: yes\n" +
		"--- PASS: TestC (0.00s)\n    --- SKIP: TestC/d (0.00s)\n    --- PASS: TestC/e (0.00s)\nPASS\n"
	got := skipped(verbose)
	if len(got) != 2 || got["TestB"] != "shared data absent: x is not there" || got["TestC/d"] != "no: 2" {
		t.Errorf("got %q", got)
	}
}

// runsHere says that these tests run for arm64 anyway, or are run by another process of this package already.
func runsHere() bool { return runtime.GOARCH == "arm64" || os.Getenv(withoutKernels) != "" }

func tryARM64(t *testing.T, dirs []string, run func(dir, program string)) {
	t.Helper()
	if runsHere() {
		return
	}
	for _, dir := range dirs {
		program := filepath.Join(t.TempDir(), "test")
		build := exec.CommandContext(t.Context(), "go", "test", "-c", "-race=false", "-o", program, ".")
		build.Dir, build.Env = dir, append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("building the tests of %s for ARM64: %v\n%s", dir, err, out)
		}
		run(dir, program)
	}
}

// qemu returns the program that runs binaries for arm64, and installs Debian's if it is missing.
func qemu(t *testing.T) string {
	t.Helper()
	const program, debian = "qemu-aarch64-static", "qemu-user-static"
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	for _, args := range [][]string{
		{"update", "-qq"},
		{"install", "-y", "-qq", "-o", "DPkg::Lock::Timeout=120", "--no-install-recommends", debian},
	} {
		if out, err := exec.CommandContext(t.Context(), "apt-get", args...).CombinedOutput(); err != nil {
			t.Fatalf("%s, which runs binaries for arm64, is missing: sudo apt-get install %s: %v\n%s", program, debian, err, out)
		}
	}
	return program
}
