// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

#include "textflag.h"

// The first instruction of a process. R19 is the address of a step, as type Step and func Image lay it out:
//	0 call, 8 to 40 operands, 48 result, 56 against, 64 less, 72 equal, 80 greater
// The kernel changes R0 alone.
TEXT interpreter<>(SB),NOSPLIT|NOFRAME,$0
	MOVD	$0x410000, R19 // dataAddress
step:
	MOVD	8(R19), R0
	MOVD	(R0), R0
	MOVD	16(R19), R1
	MOVD	(R1), R1
	MOVD	24(R19), R2
	MOVD	(R2), R2
	MOVD	32(R19), R3
	MOVD	(R3), R3
	MOVD	40(R19), R4
	MOVD	(R4), R4
	MOVD	(R19), R8
	CMP	$0, R8
	BLT	subtract
	SVC
	B	decide
subtract:
	SUB	R1, R0, R0
decide:
	MOVD	48(R19), R9
	MOVD	R0, (R9)
	MOVD	56(R19), R9
	MOVD	(R9), R9
	CMP	R9, R0
	BLT	less
	BEQ	equal
	MOVD	80(R19), R19
	B	step
less:
	MOVD	64(R19), R19
	B	step
equal:
	MOVD	72(R19), R19
	B	step

// func interpreterStart() unsafe.Pointer
TEXT ·interpreterStart(SB),NOSPLIT,$0-8
	MOVD	$interpreter<>(SB), R0
	MOVD	R0, ret+0(FP)
	RET
