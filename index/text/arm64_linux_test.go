package text

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// The tests of this package, of sketch and of index build for arm64, and the long test runs them under QEMU, of index
// those that are about tables, lookups and prefetching. All but prefetching is portable code there. That shows that the
// results are the same; an emulator says nothing of speed.
func TestARM64(t *testing.T) { tryARM64(t, []string{".", "../sketch"}, func(string, string) {}) }

func TestARM64Long(t *testing.T) {
	if runsHere() {
		return
	}
	emulator := qemu(t)
	tryARM64(t, []string{".", "../sketch", ".."}, func(dir, program string) {
		// the tests of kernels start themselves again, without the emulator
		args := []string{program, "-test.skip=Long$|^TestWithoutKernels|^TestKernelsAreSwitchedOff$"}
		if dir == ".." {
			args = append(args, "-test.run=Prefetch|Match|Collide|Table|Stories")
		}
		run := exec.CommandContext(t.Context(), emulator, args...)
		run.Dir = dir
		if out, err := run.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", dir, err, out)
		}
	})
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
			t.Fatalf("%s: %v\n%s", dir, err, out)
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
