//go:build !(amd64 || arm64) || purego

package window

import "unsafe"

// prefetch is for processors that can be asked to read memory in advance.
func prefetch(_ []*line) {}

func prefetchProbes(_ []probe) {}

func prefetchAt(_ unsafe.Pointer) {}
