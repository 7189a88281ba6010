//go:build unix

package testbed

import (
	"context"
	"fmt"
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

// SetClock has the lives that begin from now on see another time: off by so much, and faster by a share of what passes
// (0.01: it gains a hundredth). The monotonic clock, which timers use, stays as it is. The library is that of FakeTime.
func (s *Server) SetClock(library string, off time.Duration, gains float64) {
	s.env = []string{
		"LD_PRELOAD=" + library, fmt.Sprintf("FAKETIME=%+d x%.4f", int64(off.Seconds()), 1+gains),
		"FAKETIME_DONT_FAKE_MONOTONIC=1", "LC_ALL=C", // the locale says how a number is written
	}
}
