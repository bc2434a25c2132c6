package ipc

// Mechanism is how the kernel tells of changes here.
const Mechanism = "kqueue"
