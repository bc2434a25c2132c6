package main

import (
	"fmt"
	"syscall"
)

// hoardInotify takes every inotify instance its user may have.
func hoardInotify(args []string) int {
	n := 0
	for ; ; n++ {
		if _, err := syscall.InotifyInit1(0); err != nil {
			fmt.Println(n, err)
			break
		}
	}
	return sleep(args)
}
