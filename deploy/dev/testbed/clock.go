//go:build unix

package testbed

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// FakeTime returns the library that sets a process's clock off.
func FakeTime(ctx context.Context) (string, error) {
	return find(ctx, missing{"libfaketime, which sets the clocks of servers off,", "libfaketime", "libfaketime"},
		func() (string, bool) {
			found, _ := filepath.Glob("/usr/lib/*/faketime/libfaketimeMT.so.1") // the pattern is well formed
			if len(found) == 0 {
				return "", false
			}
			return found[0], true
		})
}

// SetClock sets a server's wall clock off, at its next start or, within seconds, while it runs. The monotonic clock, which
// timers use, stays as it is. The library is that of FakeTime. It is also told to leave timed waits alone: Java's would
// return at once, and they do where the library has the clock run faster or slower.
func (s *Server) SetClock(library string, off time.Duration) error {
	file := s.Log + ".clock"
	s.env = []string{
		"LD_PRELOAD=" + library, "FAKETIME_TIMESTAMP_FILE=" + file, "FAKETIME_CACHE_DURATION=2",
		"FAKETIME_DONT_FAKE_MONOTONIC=1", "FAKETIME_FORCE_MONOTONIC_FIX=0",
	}
	whole := file + ".new" // the library reads at any moment
	if err := os.WriteFile(whole, fmt.Appendf(nil, "%+d\n", int64(off.Seconds())), 0o644); err != nil {
		return err
	}
	return os.Rename(whole, file)
}
