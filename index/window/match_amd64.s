//go:build !purego

#include "textflag.h"

// func matchBlock(probes *probe, n int) (hits, linked uint64)
//
// A probe has 32 bytes: the line's address, the entry that is wanted at 8, the mask of its tag at 12. NEGL sets the
// carry if its operand is not zero, and RCRQ takes it in at the top, so the bits are shifted down at the end.
TEXT ·matchBlock(SB), NOSPLIT, $0-32
	MOVQ probes+0(FP), SI
	MOVQ n+8(FP), CX
	XORQ R8, R8
	XORQ R9, R9
	VPXOR Y4, Y4, Y4

next:
	MOVQ (SI), DX
	VPBROADCASTD 8(SI), Y0
	VPBROADCASTD 12(SI), Y1
	VPXOR (DX), Y0, Y2
	VPXOR 32(DX), Y0, Y3
	VPAND Y1, Y2, Y2
	VPAND Y1, Y3, Y3
	VPCMPEQD Y4, Y2, Y2
	VPCMPEQD Y4, Y3, Y3
	VMOVMSKPS Y2, AX
	VMOVMSKPS Y3, BX
	ANDL $0xFE, AX // not link and count
	ORL  BX, AX
	NEGL AX
	RCRQ $1, R8
	MOVL (DX), AX
	SHRL $4, AX
	NEGL AX
	RCRQ $1, R9
	ADDQ $32, SI
	DECQ CX
	JNZ  next

	MOVQ $64, CX
	SUBQ n+8(FP), CX
	SHRQ CX, R8
	SHRQ CX, R9
	MOVQ R8, hits+16(FP)
	MOVQ R9, linked+24(FP)
	VZEROUPPER
	RET
