//go:build !purego

#include "textflag.h"

// func prefetch(lines []*line)
TEXT ·prefetch(SB), NOSPLIT, $0-24
	MOVQ lines_base+0(FP), AX
	MOVQ lines_len+8(FP), CX
	TESTQ CX, CX
	JZ   done
loop:
	MOVQ (AX), DX
	PREFETCHT0 (DX)
	ADDQ $8, AX
	DECQ CX
	JNZ  loop
done:
	RET

// func prefetchProbes(probes []probe)
TEXT ·prefetchProbes(SB), NOSPLIT, $0-24
	MOVQ probes_base+0(FP), AX
	MOVQ probes_len+8(FP), CX
	TESTQ CX, CX
	JZ   done
loop:
	MOVQ (AX), DX
	PREFETCHT0 (DX)
	ADDQ $32, AX
	DECQ CX
	JNZ  loop
done:
	RET

// func prefetchAt(at unsafe.Pointer)
TEXT ·prefetchAt(SB), NOSPLIT, $0-8
	MOVQ at+0(FP), AX
	PREFETCHT0 (AX)
	RET
