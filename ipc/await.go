package ipc

import "context"

// AwaitChange returns when done reports true. done is asked once after the
// watch is in place, so that nothing can slip between, and after every change
// in dirs. An error is ctx's or done's.
func AwaitChange(ctx context.Context, done func() (bool, error), dirs ...string) error {
	if ok, err := done(); ok || err != nil {
		return err
	}
	w, err := NewWatch(dirs...)
	if err != nil {
		return err
	}
	defer w.Close()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		if err := w.Wait(ctx); err != nil {
			return err
		}
	}
}
