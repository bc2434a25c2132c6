// Package launch starts one child per run as its own process and sees it to
// its end: identity, the gate before the first instruction, the shim, the
// process tree and the proof that it is empty.
//
// What it promises on Linux: no instruction of the child's program runs
// before its process record is durable; every signal goes through a handle
// whose identity was checked after it was opened; an exit is recorded as it
// was seen; a tree is called empty only on the kernel's word.
//
// What it cannot: follow work that was handed to a process outside the tree
// (a container engine, systemd-run, at, ssh), or a process that enters
// another pid namespace and loses its parent there. On macOS, which
// has neither a child subreaper nor a descriptor for a process, the tree is
// always called unproven. That side builds and passes vet; it has not been run.
package launch
