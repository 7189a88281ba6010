//go:build !amd64 || purego

package text

func hasAVX2() bool   { return false }
func hasAVX512() bool { return false }

func foldBlocks(_, _ *byte, _ int, _ uint64) int { return 0 }

func foldHalves(_, _ *byte, _ int, _ uint64) int { return 0 }

func wordBlocks(_ *uint64, _ int, _ *byte, _, at, start int) (words, nextAt, nextStart int) {
	return 0, at, start
}

func combineBlocks(_ *uint64, _, _ int) {}

func combineFours(_ *uint64, _, _ int) {}

func charBlocks(_ *uint64, _ *byte, _ int, _, _ uint64) {}

func blocksBelow(_ *byte, _ int, _ uint64) int { return 0 }

func pairsBelow(_ *byte, _ int, _ uint64) int { return 0 }
