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

// hoardMemory uses so many bytes, and keeps them if it is to stay.
func hoardMemory(args []string) int {
	const page = 4 << 10
	m, err := syscall.Mmap(-1, 0, number(args, 0), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	check(err)
	for i := 0; i < len(m); i += page {
		m[i] = 1
	}
	if len(args) > 1 {
		return sleep(nil)
	}
	return 0
}
