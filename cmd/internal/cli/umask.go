package cli

import "syscall"

// OwnUmask makes what this process and the supervisor it may start create
// private and of use to them, whatever the caller's umask is, and returns that.
func OwnUmask() (callers int) { return syscall.Umask(0o077) }
