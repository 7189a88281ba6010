//go:build !(amd64 || arm64) || purego

package index

// prefetch is for processors that can be asked to read memory in advance.
func prefetch(_ []*line) {}

func prefetchByte(_ *byte) {}
