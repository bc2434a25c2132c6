//go:build !linux || !(amd64 || arm64)

package nofile

func read() uint64 { return 0 }
