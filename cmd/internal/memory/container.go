package memory

import (
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index/setting"
)

// Limits are what the system lets this process take.
type Limits struct {
	Files     []string // in which Linux says how much memory it may take
	Addresses int64    // ulimit -v, in bytes; 0: there is none
}

// readLimits returns those of this process. Files are those of its cgroup and of all above it, of version 2 and of
// version 1. A container sees its own at the top.
func readLimits() Limits {
	l := Limits{Addresses: addresses()}
	if text, err := os.ReadFile("/proc/self/cgroup"); err == nil { // else it is another system
		l.Files = limitFiles(string(text))
	}
	return l
}

// limitFiles returns the files of cgroups that are written as in /proc/self/cgroup: number, controllers and path.
func limitFiles(cgroups string) (files []string) {
	for line := range strings.Lines(cgroups) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		root, names := "/sys/fs/cgroup", []string{"memory.max", "memory.high"}
		if parts[1] != "" {
			if !slices.Contains(strings.Split(parts[1], ","), "memory") {
				continue
			}
			root, names = "/sys/fs/cgroup/memory", []string{"memory.limit_in_bytes"}
		}
		for at := path.Clean("/" + parts[2]); ; at = path.Dir(at) {
			for _, name := range names {
				files = append(files, path.Join(root, at, name))
			}
			if at == "/" {
				break
			}
		}
	}
	return files
}

// containerLimit returns the least limit, in bytes, that one of the files states; 0 if none does.
func containerLimit(files []string) (least int64) {
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err == nil && n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// mayTake returns the bytes that the process may take, as documented: the window, 5 % of it, and half a gibibyte, or
// what more sessions or larger batches than the default ones need. It returns 0 if the window has no bound in bytes.
func mayTake(c config.Config) int64 {
	window := int64(c.Judge.Window.Bytes)
	if window == 0 {
		return 0
	}
	d := config.Default()
	more := inFlight(c) - inFlight(d)
	return window + window/20 + besides + max(0, more)
}

// inFlight returns the bytes that sessions hold of what they read from one broker.
func inFlight(c config.Config) int64 {
	fetch, batch := int64(c.Consumer.FetchBytes), int64(c.Source.MaxBatchBytes)
	return int64(c.Consumer.Sessions) * (2*fetch + max(4*fetch, batch) + 2*batch)
}

// reserved is the bytes of addresses that the process takes besides its memory, most of them for Go's runtime: with a
// full window of 1 GiB at most 1,500 MiB were resident, and 3,606 MiB of addresses were taken.
const reserved = int64(2*setting.GiB + 512*setting.MiB)

// warnOfLimit warns of limits that are too small: the system would end the process when the window is full.
func warnOfLimit(c config.Config, l Limits, logger zerolog.Logger) {
	limit, need := containerLimit(l.Files), mayTake(c)
	if need == 0 {
		return
	}
	if limit > 0 && limit < need {
		logger.Warn().Stringer("limit", setting.Bytes(limit)).Stringer("needed", setting.Bytes(need)).
			Stringer("window", c.Judge.Window.Bytes).
			Msg("the container has less memory than the process may take: raise its limit, or lower window.bytes")
	}
	if l.Addresses > 0 && l.Addresses < need+reserved {
		logger.Warn().Stringer("limit", setting.Bytes(l.Addresses)).Stringer("needed", setting.Bytes(need+reserved)).
			Stringer("window", c.Judge.Window.Bytes).
			Msg("ulimit -v leaves fewer addresses than the process may take: raise it, or bound memory by a cgroup instead")
	}
}
