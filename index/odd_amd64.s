//go:build !purego

#include "textflag.h"

// X15 is zero, so that VPSADBW adds up eight counts, of up to 128 each.

// func oddFoldBlock(odd *int16, own *[outlineWords]uint64, folds *[foldWords]uint64, places *uint32, n int)
TEXT ·oddFoldBlock(SB), NOSPLIT, $0-40
	MOVQ odd+0(FP), DI
	MOVQ own+8(FP), AX
	MOVQ folds+16(FP), SI
	MOVQ places+24(FP), DX
	MOVQ n+32(FP), CX
	VMOVDQU64 (AX), Z0
	VPXOR X15, X15, X15

next:
	MOVL (DX), AX
	MOVL 32(DX), BX
	SHLQ $6, AX
	SHLQ $6, BX
	PREFETCHT0 (SI)(BX*1)
	VPXORQ (SI)(AX*1), Z0, Z1
	VPOPCNTQ Z1, Z1
	VPMOVQB Z1, X1
	VPSADBW X15, X1, X1
	VPEXTRW $0, X1, (DI)
	ADDQ $4, DX
	ADDQ $2, DI
	DECQ CX
	JNZ  next
	VZEROUPPER
	RET

// func oddWholeBlock(odd *int16, own *[outlineWords]uint64, folds, halves *[foldWords]uint64, places *uint32, n int)
//
// own is the fold and the half, one after the other. A half and a fold give the other half.
TEXT ·oddWholeBlock(SB), NOSPLIT, $0-48
	MOVQ odd+0(FP), DI
	MOVQ own+8(FP), AX
	MOVQ folds+16(FP), SI
	MOVQ halves+24(FP), R8
	MOVQ places+32(FP), DX
	MOVQ n+40(FP), CX
	VMOVDQU64 (AX), Z0
	VMOVDQU64 64(AX), Z1
	VPXOR X15, X15, X15

next:
	MOVL (DX), AX
	MOVL 32(DX), BX
	SHLQ $6, AX
	SHLQ $6, BX
	PREFETCHT0 (R8)(BX*1)
	VPXORQ (R8)(AX*1), Z1, Z3
	VPXORQ (SI)(AX*1), Z0, Z2
	VPXORQ Z3, Z2, Z2
	VPOPCNTQ Z2, Z2
	VPOPCNTQ Z3, Z3
	VPADDQ Z2, Z3, Z2
	VPMOVQB Z2, X2
	VPSADBW X15, X2, X2
	VPEXTRW $0, X2, (DI)
	ADDQ $4, DX
	ADDQ $2, DI
	DECQ CX
	JNZ  next
	VZEROUPPER
	RET
