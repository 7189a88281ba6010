//go:build !purego

package index

import "golang.org/x/sys/cpu"

// hasOddBlocks says whether the two below may be called: Intel has what they need since Ice Lake, AMD since Zen 4.
func hasOddBlocks() bool {
	return cpu.X86.HasAVX512VPOPCNTDQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL
}

// oddFoldBlock is oddFolds for n places, at least one. It reads oddAhead places more, whose folds the processor is to fetch; what
// stands there need only be places.
//
//go:noescape
func oddFoldBlock(odd *int16, own *[outlineWords]uint64, folds *[foldWords]uint64, places *uint32, n int)

// oddWholeBlock is oddWholes in the same way.
//
//go:noescape
func oddWholeBlock(odd *int16, own *[outlineWords]uint64, folds, halves *[foldWords]uint64, places *uint32, n int)
