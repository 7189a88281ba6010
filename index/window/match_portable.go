//go:build !amd64 || purego

package window

func hasMatchBlock() bool { return false }

func matchBlock(_ *probe, _ int) (hits, linked uint64) { return 0, 0 }
