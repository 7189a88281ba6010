//go:build !purego

package window

import "golang.org/x/sys/cpu"

// hasMatchBlock says whether matchBlock may be called.
func hasMatchBlock() bool { return cpu.X86.HasAVX2 }

// matchBlock is matchEach for n probes, 0 < n <= matched. Unlike line.has it is exact.
//
//go:noescape
func matchBlock(probes *probe, n int) (hits, linked uint64)
