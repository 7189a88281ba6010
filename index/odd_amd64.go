//go:build !purego

package index

import "golang.org/x/sys/cpu"

// hasOddBlocks says whether oddFoldBlock and oddWholeBlock may be called. Intel processors have what they need since
// Ice Lake, AMD processors since Zen 4. GODEBUG may switch off avx512 or avx512f alone, which all of it rests on.
func hasOddBlocks() bool {
	return cpu.X86.HasAVX512 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512VPOPCNTDQ && cpu.X86.HasAVX512BW &&
		cpu.X86.HasAVX512VL
}

// oddFoldBlock is oddFolds for n places, n > 0. It also prefetches the folds of the oddAhead places that follow; they
// need not be in use, but must be valid places.
//
//go:noescape
func oddFoldBlock(odd *int16, own *[outlineWords]uint64, folds *[foldWords]uint64, places *uint32, n int)

// oddWholeBlock is oddWholes for n places, under the same conditions.
//
//go:noescape
func oddWholeBlock(odd *int16, own *[outlineWords]uint64, folds, halves *[foldWords]uint64, places *uint32, n int)
