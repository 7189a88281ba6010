package memory

import (
	"context"
	"math"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/index/setting"
)

func TestContainerLimit(t *testing.T) {
	more := config.Default()
	more.Consumer.Sessions = 8
	unbounded := config.Default()
	unbounded.Judge.Duplicates.Remember.Memory = 0
	files := config.Default()
	files.Judge.Duplicates.Remember.Memory, files.Judge.Duplicates.Remember.Directory = 1<<40, "/var/lib/unecho/window"
	for _, c := range []struct {
		name   string
		c      config.Config
		memory int64
		want   bool
	}{
		{"none", config.Default(), 0, false},
		{"enough", config.Default(), 1_700_000_000, false},
		{"too little", config.Default(), 1_500_000_000, true},
		{"too little for so many sessions", more, 1_700_000_000, true},
		{"a window without a bound", unbounded, 1000, false},
		{"a window in files", files, 1_700_000_000, false},
	} {
		var log strings.Builder
		warnOfLimit(c.c, Limits{Memory: c.memory}, zerolog.New(&log))
		if got := strings.Contains(log.String(), "the container has less memory"); got != c.want {
			t.Errorf("%s: the log is %q; want the warning of less memory: %t", c.name, log.String(), c.want)
		}
	}
	if need := setting.Bytes(mayTake(config.Default())); need < setting.GiB+512*setting.MiB || need > 1700*setting.MiB {
		t.Errorf("by default it needs %v", need)
	}
}

// TestTotal: there is memory, and no more than the container has.
func TestTotal(t *testing.T) {
	container, total := readLimits().Memory, Total()
	if total <= 0 || container > 0 && total > container {
		t.Errorf("there are %v of memory, and the container has %v", setting.Bytes(total), setting.Bytes(container))
	}
}

// The chart gives a pod what the member in it needs: TestChartMemory of deploy/dev/deploytest/chart has the same figures.
// Go's collector is told the same.
func TestMemoryOfChart(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	for _, c := range []struct {
		set  []string
		want setting.Bytes
	}{
		{nil, 1588},
		{[]string{"duplicates.remember.memory=4GiB"}, 4813},
		{[]string{"advanced.sessions=1"}, 1588},
		{[]string{"advanced.sessions=4"}, 1908},
		{[]string{"advanced.max_document_bytes=8MiB"}, 1588},
		{[]string{"advanced.max_document_bytes=16MiB"}, 1780},
		{[]string{"advanced.max_document_bytes=64MiB", "advanced.sessions=8"}, 9460},
	} {
		got, err := config.Load("", nil, append(c.set, "kafka.brokers=a:1", "group=g", "sources.topics=t", "snapshots.directory.path=/s"))
		if err != nil {
			t.Fatal(err)
		}
		if need := setting.Bytes(mayTake(got)); need > c.want*setting.MiB || need <= (c.want-1)*setting.MiB {
			t.Errorf("%v: %v, want %d MiB, rounded up", c.set, need, c.want)
		}
		if limit(got); debug.SetMemoryLimit(-1) != mayTake(got) {
			t.Errorf("%v: the collector is told %d bytes, want %d", c.set, debug.SetMemoryLimit(-1), mayTake(got))
		}
	}
}

// TestBoundGarbage: a bound that changes is told the collector, unless old documents lie in files, whatever settings of
// members say.
func TestBoundGarbage(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	for directory, files := range map[string]bool{"": false, "old": true} {
		c := config.Default()
		c.Judge.Duplicates.Remember.Directory = directory
		want := int64(math.MaxInt64)
		if limit(c); !files {
			more := c
			more.Judge.Duplicates.Remember.Memory = 4 * setting.GiB
			want = mayTake(more)
		}
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), garbageEvery+time.Second)
			defer cancel()
			var asked int64
			BoundGarbage(ctx, c, func() (s consumer.Stats) {
				asked++
				s.Bounds.Bytes = asked
				s.Params.Duplicates.Remember.Memory = 4 * setting.GiB
				if s.Params.Duplicates.Remember.Directory = "members"; files {
					s.Params.Duplicates.Remember.Directory = ""
				}
				return s
			})
		})
		if got := debug.SetMemoryLimit(-1); got != want {
			t.Errorf("with directory %q the collector is told %d bytes, want %d", directory, got, want)
		}
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

func TestGCPercent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		index int64
		want  int
	}{{0, 100}, {garbageBytes, 100}, {garbageBytes + 1, 99}, {1 << 30, 25}, {4 << 30, 10}, {1 << 40, 10}} {
		if got := gcPercent(c.index); got != c.want {
			t.Errorf("%d bytes: %d, want %d", c.index, got, c.want)
		}
	}
}

// TestFilesPercent: a small index has more garbage beside it than by Go's default, a large one as much as that of a
// service.
func TestFilesPercent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		index, live int64
		want        int
	}{
		{0, 0, 400},
		{4 << 20, 4 << 20, 400},
		{8 << 20, 8 << 20, 200},
		{smallGarbage, smallGarbage, 100},
		{garbageBytes, garbageBytes, 100},
		{1 << 30, 1 << 30, 25},
		{1 << 40, 1 << 40, 10},
		{1 << 20, 500 << 20, 100}, // few documents, and large ones
	} {
		if got := filesPercent(c.index, c.live); got != c.want {
			t.Errorf("%d bytes of %d: %d, want %d", c.index, c.live, got, c.want)
		}
	}
}
