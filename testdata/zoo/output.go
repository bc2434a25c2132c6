package main

import (
	"bytes"
	"os"
)

const block = 1 << 20

// writeBytes writes n bytes in lines.
func writeBytes(args []string) int {
	write(number(args, 0), append(bytes.Repeat([]byte{'x'}, 99), '\n'))
	return 0
}

// oneLine writes n bytes and never ends the line. It holds runes of two
// bytes, so that many places where one could cut it are inside a rune.
func oneLine(args []string) int {
	write(number(args, 0), []byte("aé"))
	return 0
}

// write repeats the pattern until n bytes are out.
func write(n int, pattern []byte) {
	b := bytes.Repeat(pattern, block/len(pattern)+1)
	for n > 0 {
		k, err := os.Stdout.Write(b[:min(n, len(b)/len(pattern)*len(pattern))])
		check(err)
		n -= k
	}
}

// oddBytes writes what is no text: NULs, half a rune, a byte order mark,
// bytes that no encoding knows, escape sequences, and no final newline. The
// other half of the last rune goes out in a write of its own.
func oddBytes([]string) int {
	for _, piece := range []string{
		"nul \x00\x00 nul\n", "\ufeffmark\n", "half \xe2\x82\n", "\xff\xfe\x80\n",
		"\x1b[31mred\x1b[0m\r\n", "\r\r\n", "euro \xe2", "\x82\xac", " end",
	} {
		_, err := os.Stdout.WriteString(piece)
		check(err)
	}
	return 0
}
