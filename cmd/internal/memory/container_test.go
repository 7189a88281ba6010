package memory

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index/setting"
)

// TestLimitFiles: the bound of a unit of systemd, or of a pod, stands above or below the top.
func TestLimitFiles(t *testing.T) {
	const top, v1 = "/sys/fs/cgroup/", "/sys/fs/cgroup/memory/"
	for cgroups, want := range map[string][]string{
		"":       nil,
		"0::/\n": {top + "memory.max", top + "memory.high"},
		"0::/system.slice/unecho.service\n": {
			top + "system.slice/unecho.service/memory.max", top + "system.slice/unecho.service/memory.high",
			top + "system.slice/memory.max", top + "system.slice/memory.high", top + "memory.max", top + "memory.high",
		},
		"0::/../..\n":                         {top + "memory.max", top + "memory.high"},
		"4:cpu,memory:/a\n3:cpuset:/b\nwrong": {v1 + "a/memory.limit_in_bytes", v1 + "memory.limit_in_bytes"},
	} {
		if got := limitFiles(cgroups); !slices.Equal(got, want) {
			t.Errorf("the files of %q are %q, want %q", cgroups, got, want)
		}
	}
}

func TestContainerLimit(t *testing.T) {
	file := func(text string) string {
		name := filepath.Join(t.TempDir(), "memory.max")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	more := config.Default()
	more.Consumer.Sessions = 8
	unbounded := config.Default()
	unbounded.Judge.Window.Bytes = 0
	for _, c := range []struct {
		name  string
		c     config.Config
		files []string
		want  bool
	}{
		{"none", config.Default(), []string{"/no/such/file", file("max\n"), file("9223372036854771712\n")}, false},
		{"enough", config.Default(), []string{file("1700000000\n")}, false},
		{"too little", config.Default(), []string{file("max\n"), file("1500000000\n")}, true},
		{"too little for so many sessions", more, []string{file("1700000000\n")}, true},
		{"a window without a bound", unbounded, []string{file("1000\n")}, false},
	} {
		var log strings.Builder
		warnOfLimit(c.c, Limits{Files: c.files}, zerolog.New(&log))
		if got := strings.Contains(log.String(), "the container has less memory"); got != c.want {
			t.Errorf("%s: the log is %q; want the warning of less memory: %t", c.name, log.String(), c.want)
		}
	}
	if need := setting.Bytes(mayTake(config.Default())); need < setting.GiB+512*setting.MiB || need > 1700*setting.MiB {
		t.Errorf("by default it needs %v", need)
	}
}

// TestAddresses: ulimit -v bounds addresses, of which the runtime takes more than memory.
func TestAddresses(t *testing.T) {
	for limit, want := range map[int64]bool{0: false, int64(2 * setting.GiB): true, int64(8 * setting.GiB): false} {
		var log strings.Builder
		warnOfLimit(config.Default(), Limits{Addresses: limit}, zerolog.New(&log))
		if got := strings.Contains(log.String(), "ulimit -v leaves fewer addresses"); got != want {
			t.Errorf("with ulimit -v of %d bytes the log is %q; want the warning: %t", limit, log.String(), want)
		}
	}
	if l := readLimits(); l.Addresses < 0 {
		t.Errorf("this process may take %d bytes of addresses, want 0 or more", l.Addresses)
	}
}
