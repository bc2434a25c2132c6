package talktest

import "strings"

// Long is the inside of a JSON string of 100 MB: the output of a tool. Under
// the race detector it is a tenth of that, for the sake of the tests' time.
func Long() string { return strings.Repeat(`0123456789abcde\n`, longBytes/17) }
