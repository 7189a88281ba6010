//go:build (amd64 || arm64) && !purego

package index

import "unsafe"

// prefetch asks the processor to load lines into its caches, and does not wait for them. It has no other effect.
//
//go:noescape
func prefetch(lines []*line)

// prefetchAt does the same for the line around an address.
//
//go:noescape
func prefetchAt(at unsafe.Pointer)
