//go:build !race

package talktest

const longBytes = 100 << 20
