package main

import (
	"fmt"
	"os"
	"syscall"
)

// chdir goes elsewhere and leaves a file there.
func chdir(args []string) int {
	check(os.Chdir(args[0]))
	check(os.WriteFile("was-here", nil, 0o600))
	dir, err := os.Getwd()
	check(err)
	fmt.Println(dir)
	return 0
}

// removeCwd deletes its own directory and goes on.
func removeCwd(args []string) int {
	dir, err := os.Getwd()
	check(err)
	check(os.Remove(dir))
	fmt.Println("my directory is gone")
	return sleep(args)
}

// closeFDs closes everything it has and goes on.
func closeFDs(args []string) int {
	for fd := range 256 {
		syscall.Close(fd)
	}
	fmt.Println("nobody hears this")
	return sleep(args)
}

// becomeRoot takes what a set-user-ID program may take, wholly: then its
// caller may not signal it any more.
func becomeRoot(args []string) int {
	check(syscall.Setuid(0))
	return sleep(args)
}
