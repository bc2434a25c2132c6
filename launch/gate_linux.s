// This file makes the compiler accept the functions without a body in gate_linux.go.
