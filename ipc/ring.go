package ipc

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Ring is the signal by which the supervisor tells the process that posted a
// command that there is news of it. By default it does nothing, and a
// terminal that changes its size sends it too: it says "look again", no more.
//
// A signal costs the waiting command nothing. A watch would cost it 5 to 20 ms
// when it exits, because the kernel lets an inotify instance go only after a
// grace period (fsnotify_destroy_group), and a fifo one more inode on the disk.
const Ring = syscall.SIGWINCH

// AwaitRing returns when done reports true. done is asked once after rings
// are heard, so that nothing can slip between, and after every ring.
func AwaitRing(ctx context.Context, done func() (bool, error)) error {
	rings := make(chan os.Signal, 1)
	signal.Notify(rings, Ring)
	defer signal.Stop(rings)
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-rings:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
