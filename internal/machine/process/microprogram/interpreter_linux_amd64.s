// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

#include "textflag.h"

// The first instruction of a process. BX is the address of a step, as type Step and func Image lay it out:
//	0 call, 8 to 40 operands, 48 result, 56 against, 64 less, 72 equal, 80 greater
// The kernel changes AX, CX and R11 alone.
TEXT interpreter<>(SB),NOSPLIT|NOFRAME,$0
	MOVQ	$0x410000, BX // dataAddress
step:
	MOVQ	8(BX), DI
	MOVQ	(DI), DI
	MOVQ	16(BX), SI
	MOVQ	(SI), SI
	MOVQ	24(BX), DX
	MOVQ	(DX), DX
	MOVQ	32(BX), R10
	MOVQ	(R10), R10
	MOVQ	40(BX), R8
	MOVQ	(R8), R8
	MOVQ	(BX), AX
	TESTQ	AX, AX
	JLT	subtract
	SYSCALL
	JMP	decide
subtract:
	MOVQ	DI, AX
	SUBQ	SI, AX
decide:
	MOVQ	48(BX), CX
	MOVQ	AX, (CX)
	MOVQ	56(BX), CX
	CMPQ	AX, (CX)
	JLT	less
	JEQ	equal
	MOVQ	80(BX), BX
	JMP	step
less:
	MOVQ	64(BX), BX
	JMP	step
equal:
	MOVQ	72(BX), BX
	JMP	step

// func interpreterStart() unsafe.Pointer
TEXT ·interpreterStart(SB),NOSPLIT,$0-8
	LEAQ	interpreter<>(SB), AX
	MOVQ	AX, ret+0(FP)
	RET
