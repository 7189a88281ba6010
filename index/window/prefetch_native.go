//go:build (amd64 || arm64) && !purego

package window

import "unsafe"

// prefetch asks the processor to load lines into its caches, and does not wait for them. It has no other effect.
//
//go:noescape
func prefetch(lines []*line)

// prefetchProbes does the same for the lines of probes.
//
//go:noescape
func prefetchProbes(probes []probe)

// probeBytes is the size of a probe for the assembly. The program does not compile if it has another.
const probeBytes = 32

var _ = [1]struct{}{}[unsafe.Sizeof(probe{})-probeBytes]

// prefetchAt does the same for the line around an address.
//
//go:noescape
func prefetchAt(at unsafe.Pointer)
