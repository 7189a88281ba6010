//go:build (amd64 || arm64) && !purego

package index

import "unsafe"

// prefetch has the processor fetch lines into its caches, and doesn't wait for them. It changes nothing else.
//
//go:noescape
func prefetch(lines []*line)

// prefetchAt does the same for the line around an address.
//
//go:noescape
func prefetchAt(at unsafe.Pointer)
