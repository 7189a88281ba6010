//go:build (amd64 || arm64) && !purego

package index

// prefetch has the processor fetch lines into its caches, and doesn't wait for them. It changes nothing else.
//
//go:noescape
func prefetch(lines []*line)
