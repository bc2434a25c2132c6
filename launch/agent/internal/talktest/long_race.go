//go:build race

package talktest

const longBytes = 10 << 20
