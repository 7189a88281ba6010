//go:build !purego

#include "textflag.h"

// func foldBlocks(dst, src *byte, n int, gap uint64) int
//
// 64 bytes at a time, the last ones by a mask:
//
//	Z0 the bytes    Z1 in lower case    Z4 with spaces for what is in no word    Z5 without the repeated ones
//	AX separators   BX what is kept     R8 gap          DX which bytes there are
TEXT ·foldBlocks(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ gap+24(FP), R8
	MOVQ DI, R9

	MOVL $0x20, AX
	VPBROADCASTB AX, Z16
	MOVL $'a', AX
	VPBROADCASTB AX, Z17
	MOVL $26, AX
	VPBROADCASTB AX, Z18
	MOVL $'0', AX
	VPBROADCASTB AX, Z19
	MOVL $10, AX
	VPBROADCASTB AX, Z20
	MOVQ $-1, DX

fold:
	CMPQ CX, $64
	JGE  whole
	TESTQ CX, CX
	JLE  done
	BZHIQ CX, DX, DX

whole:
	KMOVQ DX, K5
	VMOVDQU8.Z (SI), K5, Z0
	VPORQ Z16, Z0, Z1
	VPSUBB Z17, Z1, Z2
	VPCMPUB $1, Z18, Z2, K1
	VPSUBB Z19, Z0, Z3
	VPCMPUB $1, Z20, Z3, K2
	KORQ K1, K2, K3
	VPBLENDMB Z1, Z16, K3, Z4
	KMOVQ K3, AX
	NOTQ AX
	LEAQ (R8)(AX*2), BX
	ANDQ AX, BX
	ANDNQ DX, BX, BX
	MOVQ AX, R8
	SHRQ $63, R8
	KMOVQ BX, K4
	VPCOMPRESSB.Z Z4, K4, Z5
	VMOVDQU64 Z5, (DI)
	POPCNTQ BX, BX
	ADDQ BX, DI
	ADDQ $64, SI
	SUBQ $64, CX
	JMP  fold

done:
	VZEROUPPER
	SUBQ R9, DI
	MOVQ DI, ret+32(FP)
	RET

// func foldHalves(dst, src *byte, halves int, gap uint64) int
//
// 32 bytes at a time. What is kept of each eight of them is moved to their front by a look into a table:
//
//	Y0 the bytes    Y1 in lower case    Y4 with spaces for what is in no word
//	AX separators   BX what is kept     R8 gap          DX what is kept of eight bytes
TEXT ·foldHalves(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ halves+16(FP), CX
	MOVQ gap+24(FP), R8
	MOVQ DI, R9
	LEAQ ·fronts(SB), R10

	MOVL $0x20, AX
	MOVQ AX, X8
	VPBROADCASTB X8, Y8
	MOVL $(0x7f-'z'), AX
	MOVQ AX, X9
	VPBROADCASTB X9, Y9
	MOVL $(0x7f-26), AX
	MOVQ AX, X10
	VPBROADCASTB X10, Y10
	MOVL $(0x7f-'9'), AX
	MOVQ AX, X11
	VPBROADCASTB X11, Y11
	MOVL $(0x7f-10), AX
	MOVQ AX, X12
	VPBROADCASTB X12, Y12

half:
	VMOVDQU (SI), Y0
	VPOR Y8, Y0, Y1
	VPADDB Y9, Y1, Y2
	VPCMPGTB Y10, Y2, Y2 // of signed bytes: what is above the bounds has become negative
	VPADDB Y11, Y0, Y3
	VPCMPGTB Y12, Y3, Y3
	VPOR Y2, Y3, Y2
	VPBLENDVB Y2, Y1, Y8, Y4
	VPMOVMSKB Y2, AX
	NOTL AX
	LEAL (R8)(AX*2), BX
	ANDL AX, BX
	NOTL BX
	MOVL AX, R8
	SHRL $31, R8

	MOVBLZX BL, DX
	VMOVQ (R10)(DX*8), X5
	VPSHUFB X5, X4, X5
	VMOVQ X5, (DI)
	POPCNTL DX, DX
	ADDQ DX, DI
	VPUNPCKHQDQ X4, X4, X6
	MOVL BX, DX
	SHRL $8, DX
	MOVBLZX DL, DX
	VMOVQ (R10)(DX*8), X5
	VPSHUFB X5, X6, X5
	VMOVQ X5, (DI)
	POPCNTL DX, DX
	ADDQ DX, DI
	VEXTRACTI128 $1, Y4, X4
	MOVL BX, DX
	SHRL $16, DX
	MOVBLZX DL, DX
	VMOVQ (R10)(DX*8), X5
	VPSHUFB X5, X4, X5
	VMOVQ X5, (DI)
	POPCNTL DX, DX
	ADDQ DX, DI
	VPUNPCKHQDQ X4, X4, X6
	SHRL $24, BX
	VMOVQ (R10)(BX*8), X5
	VPSHUFB X5, X6, X5
	VMOVQ X5, (DI)
	POPCNTL BX, BX
	ADDQ BX, DI
	ADDQ $32, SI
	DECQ CX
	JNZ  half
	VZEROUPPER
	SUBQ R9, DI
	MOVQ DI, ret+32(FP)
	RET

// func wordBlocks(dst *uint64, room int, text *byte, n, at, start int) (words, nextAt, nextStart int)
//
//	R9 at      SI the block     R8, R13 where the word begins and ends in it     R10 its spaces that are left
//	BX masks   R11, R12 the secrets              DX, AX the first and second factor
//
// The element 16 of masks keeps sixteen bytes, and those behind it none. So n bytes in front of its end are those that
// keep n bytes.
TEXT ·wordBlocks(SB), NOSPLIT, $0-72
	MOVQ dst+0(FP), DI
	MOVQ text+16(FP), SI
	MOVQ at+32(FP), R9
	MOVQ start+40(FP), R8
	ADDQ R9, SI
	SUBQ R9, R8
	LEAQ ·masks+272(SB), BX
	MOVQ $0xbe4ba423396cfeb8, R11
	MOVQ $0x1cad21f72c81017c, R12
	MOVL $0x20, AX
	MOVQ AX, X0
	VPBROADCASTB X0, Y0

block:
	LEAQ 80(R9), AX
	CMPQ AX, n+24(FP)
	JGT  end
	MOVQ DI, AX
	SUBQ dst+0(FP), AX
	SHRQ $3, AX
	ADDQ $64, AX
	CMPQ AX, room+8(FP)
	JGT  end
	VPCMPEQB (SI), Y0, Y1
	VPCMPEQB 32(SI), Y0, Y2
	VPMOVMSKB Y1, R10
	VPMOVMSKB Y2, AX
	SHLQ $32, AX
	ORQ  AX, R10
	JZ   next

word:
	TZCNTQ R10, R13
	BLSRQ R10, R10
	MOVQ R8, AX
	SUBQ R13, AX
	CMPQ AX, $-16
	JLT  long
	MOVQ (SI)(R8*1), DX
	ANDQ (BX)(AX*1), DX
	MOVQ 8(BX)(AX*1), AX
	ANDQ 8(SI)(R8*1), AX
	XORQ R11, DX
	XORQ R12, AX
	MULXQ AX, AX, DX
	XORQ DX, AX
	LEAQ 1(R13), R8
	MOVQ AX, (DI)
	ADDQ $8, DI
	TESTQ R10, R10
	JNZ  word

next:
	ADDQ $64, R9
	ADDQ $64, SI
	SUBQ $64, R8
	JMP  block

long:
	XORL R14, R14
	MOVQ $0x165667919e3779f9, CX

piece:
	MOVQ (SI)(R8*1), DX
	MOVQ 8(SI)(R8*1), AX
	XORQ R11, DX
	XORQ R12, AX
	MULXQ AX, AX, DX
	XORQ DX, AX
	ADDQ AX, R14
	IMULQ CX, R14
	ADDQ $16, R8
	MOVQ R8, AX
	SUBQ R13, AX
	CMPQ AX, $-16
	JLT  piece
	MOVQ (SI)(R8*1), DX
	ANDQ (BX)(AX*1), DX
	MOVQ 8(BX)(AX*1), AX
	ANDQ 8(SI)(R8*1), AX
	XORQ R11, DX
	XORQ R12, AX
	MULXQ AX, AX, DX
	XORQ DX, AX
	ADDQ R14, AX
	LEAQ 1(R13), R8
	MOVQ AX, (DI)
	ADDQ $8, DI
	TESTQ R10, R10
	JNZ  word
	JMP  next

end:
	VZEROUPPER
	SUBQ dst+0(FP), DI
	SHRQ $3, DI
	MOVQ DI, words+48(FP)
	ADDQ R9, R8
	MOVQ R9, nextAt+56(FP)
	MOVQ R8, nextStart+64(FP)
	RET

// func combineBlocks(items *uint64, blocks, size int)
//
// Eight shingles at a time, by Horner's rule; what is written is not read again.
TEXT ·combineBlocks(SB), NOSPLIT, $0-24
	MOVQ items+0(FP), SI
	MOVQ blocks+8(FP), CX
	MOVQ size+16(FP), DX
	MOVQ $0xff51afd7ed558ccd, AX
	VPBROADCASTQ AX, Z16
	MOVQ $0x165667919e3779f9, AX
	VPBROADCASTQ AX, Z17

combine:
	VMOVDQU64 (SI), Z0
	MOVQ SI, DI
	MOVQ DX, BX

horner:
	DECQ BX
	JZ   mix
	ADDQ $8, DI
	VPMULLQ Z16, Z0, Z0
	VPADDQ (DI), Z0, Z0
	JMP  horner

mix:
	VPSRLQ $37, Z0, Z1
	VPXORQ Z1, Z0, Z0
	VPMULLQ Z17, Z0, Z0
	VPSRLQ $32, Z0, Z1
	VPXORQ Z1, Z0, Z0
	VMOVDQU64 Z0, (SI)
	ADDQ $64, SI
	DECQ CX
	JNZ  combine
	VZEROUPPER
	RET

// TIMES multiplies the four uint64 of Y0 by a factor that is in low, and shifted by 32 bits in high.
#define TIMES(low, high) \
	VPSRLQ $32, Y0, Y1 \
	VPMULUDQ low, Y1, Y1 \
	VPMULUDQ high, Y0, Y2 \
	VPMULUDQ low, Y0, Y0 \
	VPADDQ Y2, Y1, Y1 \
	VPSLLQ $32, Y1, Y1 \
	VPADDQ Y1, Y0, Y0

// func combineFours(items *uint64, fours, size int)
//
// As combineBlocks, four shingles at a time.
TEXT ·combineFours(SB), NOSPLIT, $0-24
	MOVQ items+0(FP), SI
	MOVQ fours+8(FP), CX
	MOVQ size+16(FP), DX
	MOVQ $0xff51afd7ed558ccd, AX
	MOVQ AX, X8
	VPBROADCASTQ X8, Y8
	VPSRLQ $32, Y8, Y9
	MOVQ $0x165667919e3779f9, AX
	MOVQ AX, X10
	VPBROADCASTQ X10, Y10
	VPSRLQ $32, Y10, Y11

combine:
	VMOVDQU (SI), Y0
	MOVQ SI, DI
	MOVQ DX, BX

horner:
	DECQ BX
	JZ   mix
	ADDQ $8, DI
	TIMES(Y8, Y9)
	VPADDQ (DI), Y0, Y0
	JMP  horner

mix:
	VPSRLQ $37, Y0, Y1
	VPXOR Y1, Y0, Y0
	TIMES(Y10, Y11)
	VPSRLQ $32, Y0, Y1
	VPXOR Y1, Y0, Y0
	VMOVDQU Y0, (SI)
	ADDQ $32, SI
	DECQ CX
	JNZ  combine
	VZEROUPPER
	RET

// The eight bytes at each of eight places, next to one another, of the sixteen in each lane.
DATA windows<>+0(SB)/8, $0x0706050403020100
DATA windows<>+8(SB)/8, $0x0807060504030201
DATA windows<>+16(SB)/8, $0x0908070605040302
DATA windows<>+24(SB)/8, $0x0a09080706050403
DATA windows<>+32(SB)/8, $0x0b0a090807060504
DATA windows<>+40(SB)/8, $0x0c0b0a0908070605
DATA windows<>+48(SB)/8, $0x0d0c0b0a09080706
DATA windows<>+56(SB)/8, $0x0e0d0c0b0a090807
GLOBL windows<>(SB), RODATA|NOPTR, $64

// func charBlocks(dst *uint64, text *byte, blocks int, low, high uint64)
//
// Eight shingles at a time. Of the product of the factors Z0 and Z1, by their halves:
//
//	Z4 low·low   Z5 high·low   Z6 low·high   Z7 high·high, and then the upper 64 bits   Z8 the lower 64 bits
TEXT ·charBlocks(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ text+8(FP), SI
	MOVQ blocks+16(FP), CX
	VPBROADCASTQ low+24(FP), Z16
	VPBROADCASTQ high+32(FP), Z17
	MOVQ $0xbe4ba423396cfeb8, AX
	VPBROADCASTQ AX, Z18
	MOVQ $0x1cad21f72c81017c, AX
	VPBROADCASTQ AX, Z19
	MOVQ $0x165667919e3779f9, AX
	VPBROADCASTQ AX, Z20
	MOVQ $0xffffffff, AX
	VPBROADCASTQ AX, Z21
	VMOVDQU64 windows<>(SB), Z22

chars:
	VBROADCASTI32X4 (SI), Z0
	VBROADCASTI32X4 8(SI), Z1
	VPSHUFB Z22, Z0, Z0
	VPSHUFB Z22, Z1, Z1
	VPTERNLOGQ $0x6a, Z18, Z16, Z0 // (Z0 & Z16) ^ Z18
	VPTERNLOGQ $0x6a, Z19, Z17, Z1
	VPSRLQ $32, Z0, Z2
	VPSRLQ $32, Z1, Z3
	VPMULUDQ Z1, Z0, Z4
	VPMULUDQ Z1, Z2, Z5
	VPMULUDQ Z3, Z0, Z6
	VPMULUDQ Z3, Z2, Z7
	VPMULLQ Z1, Z0, Z8
	VPSRLQ $32, Z4, Z4
	VPADDQ Z4, Z5, Z5
	VPANDQ Z21, Z5, Z9
	VPADDQ Z9, Z6, Z6
	VPSRLQ $32, Z5, Z5
	VPSRLQ $32, Z6, Z6
	VPADDQ Z5, Z7, Z7
	VPADDQ Z6, Z7, Z7
	VPXORQ Z8, Z7, Z0
	VPSRLQ $37, Z0, Z1
	VPXORQ Z1, Z0, Z0
	VPMULLQ Z20, Z0, Z0
	VPSRLQ $32, Z0, Z1
	VPXORQ Z1, Z0, Z0
	VMOVDQU64 Z0, (DI)
	ADDQ $8, SI
	ADDQ $64, DI
	DECQ CX
	JNZ  chars
	VZEROUPPER
	RET

// func blocksBelow(text *byte, blocks int, bound uint64) int
TEXT ·blocksBelow(SB), NOSPLIT, $0-32
	MOVQ text+0(FP), SI
	MOVQ blocks+8(FP), CX
	MOVQ bound+16(FP), AX
	VPBROADCASTB AX, Z16
	XORL DX, DX

below:
	VPCMPUB $2, (SI), Z16, K1 // bound <= byte
	KORTESTQ K1, K1
	JNZ  found
	ADDQ $64, SI
	INCQ DX
	CMPQ DX, CX
	JLT  below

found:
	MOVQ DX, ret+24(FP)
	RET

// func pairsBelow(text *byte, blocks int, bound uint64) int
//
// Y1 the greater ones of the bytes of both halves
TEXT ·pairsBelow(SB), NOSPLIT, $0-32
	MOVQ text+0(FP), SI
	MOVQ blocks+8(FP), CX
	MOVQ bound+16(FP), AX
	MOVQ AX, X0
	VPBROADCASTB X0, Y0
	XORL DX, DX

below:
	VMOVDQU (SI), Y1
	VPMAXUB 32(SI), Y1, Y1
	VPMAXUB Y0, Y1, Y2
	VPCMPEQB Y1, Y2, Y2 // bound <= byte
	VPMOVMSKB Y2, AX
	TESTL AX, AX
	JNZ  found
	ADDQ $64, SI
	INCQ DX
	CMPQ DX, CX
	JLT  below

found:
	VZEROUPPER
	MOVQ DX, ret+24(FP)
	RET
