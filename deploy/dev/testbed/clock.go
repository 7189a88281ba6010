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

// SetClock has the lives that begin from now on see another time, which is off by so much. The monotonic clock, which timers
// use, stays as it is. The library is that of FakeTime. It is also told to leave timed waits alone, which would return at
// once, as they do where the clock is to run faster or slower.
func (s *Server) SetClock(library string, off time.Duration) {
	s.env = []string{
		"LD_PRELOAD=" + library, fmt.Sprintf("FAKETIME=%+d", int64(off.Seconds())),
		"FAKETIME_DONT_FAKE_MONOTONIC=1", "FAKETIME_FORCE_MONOTONIC_FIX=0",
	}
}
