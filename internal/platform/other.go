//go:build !linux && !darwin

package platform

// Linux is complete. macOS works and calls unproven what it cannot prove.
// Other systems need their own identity, gate and tree in package launch.
const _ = agent_runs_works_on_linux_and_macos_only
