#include "textflag.h"

// func getrlimit(resource uintptr, limit *[2]uint64) (errno uintptr)
TEXT ·getrlimit(SB),NOSPLIT,$0-24
	MOVD	resource+0(FP), R0
	MOVD	limit+8(FP), R1
	MOVD	$163, R8
	SVC
	MOVD	R0, errno+16(FP)
	RET
