//go:build (amd64 || arm64) && !purego

package index

// prefetch has the processor fetch lines into its caches, and doesn't wait for them. It changes nothing else.
//
//go:noescape
func prefetch(lines []*line)

// prefetchByte does the same for the line in which a byte is.
//
//go:noescape
func prefetchByte(at *byte)
