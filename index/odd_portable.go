//go:build !amd64 || purego

package index

func hasOddBlocks() bool { return false }

func oddFoldBlock(_ *int16, _ *[outlineWords]uint64, _ *[foldWords]uint64, _ *uint32, _ int) {}

func oddWholeBlock(_ *int16, _ *[outlineWords]uint64, _, _ *[foldWords]uint64, _ *uint32, _ int) {}
