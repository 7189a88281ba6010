package memory

import (
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// TestPeak: a process says what it took itself, not what the one that started it had taken.
func TestPeak(t *testing.T) {
	if os.Getenv("UNECHO_TEST_PEAK") != "" {
		if _, err := io.WriteString(os.Stdout, "peak "+strconv.FormatInt(Peak()>>20, 10)+"\n"); err != nil {
			t.Error(err)
		}
		return
	}
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skipf("not measured on %s", runtime.GOOS)
	}
	taken := make([]byte, 128<<20)
	for i := 0; i < len(taken); i += 4096 {
		taken[i] = 1
	}
	if got := Peak(); got < 128<<20 || got > 8<<30 {
		t.Errorf("%d bytes, with 128 MiB taken", got)
	}
	runtime.KeepAlive(taken)
	debug.FreeOSMemory()
	if got := Peak(); got < 128<<20 {
		t.Errorf("%d bytes, with 128 MiB given back: not the peak", got)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), self, "-test.run=^TestPeak$")
	child.Env = append(os.Environ(), "UNECHO_TEST_PEAK=1")
	out, err := child.Output()
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(out), "peak ")
	if number, _, _ := strings.Cut(after, "\n"); !found || len(number) > 3 || number >= "128" && len(number) == 3 {
		t.Errorf("the child says %s MiB", number)
	}
}
