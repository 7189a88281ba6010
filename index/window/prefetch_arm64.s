//go:build !purego

#include "textflag.h"

// func prefetch(lines []*line)
TEXT ·prefetch(SB), NOSPLIT, $0-24
	MOVD lines_base+0(FP), R0
	MOVD lines_len+8(FP), R1
	CBZ  R1, done
loop:
	MOVD.P 8(R0), R2
	PRFM (R2), PLDL1KEEP
	SUB  $1, R1
	CBNZ R1, loop
done:
	RET

// func prefetchProbes(probes []probe)
TEXT ·prefetchProbes(SB), NOSPLIT, $0-24
	MOVD probes_base+0(FP), R0
	MOVD probes_len+8(FP), R1
	CBZ  R1, done
loop:
	MOVD.P 32(R0), R2
	PRFM (R2), PLDL1KEEP
	SUB  $1, R1
	CBNZ R1, loop
done:
	RET

// func prefetchAt(at unsafe.Pointer)
TEXT ·prefetchAt(SB), NOSPLIT, $0-8
	MOVD at+0(FP), R0
	PRFM (R0), PLDL1KEEP
	RET
