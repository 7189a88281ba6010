// Package memory limits and measures the memory of the process: it sets Go's collector by the size of the index, warns
// of a container that is too small, and asks the system for the peak.
//
// GOGC and GOMEMLIMIT outrank it. It does not bound what the window holds, which duplicates.remember.memory does.
package memory

import (
	"math"
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/rs/zerolog"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index/setting"
)

// besides is the bytes that the process may take besides the window before garbage is collected more often: buffers of
// the Kafka clients, batches in flight, and garbage.
const besides = int64(512 * setting.MiB)

// Bound bounds the memory of a service, and warns if it may take more than there is.
func Bound(c config.Config, logger zerolog.Logger) {
	limit(c)
	warnOfLimit(c, readLimits(), logger)
}

// limit tells Go's collector what the process may take. By itself it allows as much garbage as the window is large. The window
// holds no pointers, so collecting earlier costs next to nothing. GOMEMLIMIT outranks it.
func limit(c config.Config) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	most := int64(math.MaxInt64)
	if bound := mayTake(c); bound > 0 {
		most = bound
	}
	debug.SetMemoryLimit(most)
}

// Limits are what the system lets this process take, in bytes; 0: there is none.
type Limits struct {
	Memory    int64 // the least of its cgroup and those above it
	Addresses int64 // ulimit -v
}

// readLimits returns those of this process.
func readLimits() Limits {
	l := Limits{Addresses: addresses()}
	if memory, err := memlimit.FromCgroup(); err == nil { // else there is no limit, or it is another system
		l.Memory = int64(min(memory, math.MaxInt64))
	}
	return l
}

// Total returns the bytes of memory that there are for this process and those beside it: of its cgroup, or of the machine; 0:
// the system does not say.
func Total() int64 {
	total := readLimits().Memory
	if machine, err := memlimit.FromSystem(); err == nil && (total == 0 || machine < uint64(total)) {
		total = int64(machine)
	}
	return total
}

// mayTake returns the bytes that the process may take, as documented, and as the chart gives a pod: the window, 5 % of it,
// and half a gibibyte, or what more sessions or larger batches than the default ones need. It returns 0 if the window has no bound in
// bytes, or lies in files for the most part: how much of it then is in memory depends on the documents.
func mayTake(c config.Config) int64 {
	window := int64(c.Judge.Duplicates.Remember.Memory)
	if window == 0 || c.Judge.Duplicates.Remember.Directory != "" {
		return 0
	}
	d := config.Default()
	more := inFlight(c) - inFlight(d)
	return window + window/20 + besides + max(0, more)
}

// inFlight returns the bytes that sessions hold of what they read from one broker.
func inFlight(c config.Config) int64 {
	fetch, batch := int64(c.Consumer.FetchBytes), int64(c.Consumer.MaxBatchBytes)
	return int64(c.Consumer.Sessions) * (2*fetch + max(4*fetch, batch) + 2*batch)
}

// reserved is the bytes of addresses that the process takes besides its memory, most of them for Go's runtime: with a
// full window of 1 GiB at most 1,500 MiB were resident, and 3,606 MiB of addresses were taken.
const reserved = int64(2*setting.GiB + 512*setting.MiB)

// warnOfLimit warns of limits that are too small: the system would end the process when the window is full.
func warnOfLimit(c config.Config, l Limits, logger zerolog.Logger) {
	need := mayTake(c)
	if need == 0 {
		return
	}
	if l.Memory > 0 && l.Memory < need {
		logger.Warn().Stringer("limit", setting.Bytes(l.Memory)).Stringer("needed", setting.Bytes(need)).
			Stringer("window", c.Judge.Duplicates.Remember.Memory).
			Msg("the container has less memory than the process may take: raise its limit, or lower duplicates.remember.memory")
	}
	if l.Addresses > 0 && l.Addresses < need+reserved {
		logger.Warn().Stringer("limit", setting.Bytes(l.Addresses)).Stringer("needed", setting.Bytes(need+reserved)).
			Stringer("window", c.Judge.Duplicates.Remember.Memory).
			Msg("ulimit -v leaves fewer addresses than the process may take: raise it, or bound memory by a cgroup instead")
	}
}
