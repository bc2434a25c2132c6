//go:build linux && failpoint

package crash

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestDiskFullAtEveryInstant fills the disk at every instant of every scene,
// lets everybody go on without room for a while, and makes room again.
func TestDiskFullAtEveryInstant(t *testing.T) {
	newDisk(t) // or skip once and not in every case
	type job struct {
		scene scene
		point string
	}
	var jobs []job
	for _, s := range scenes {
		for _, point := range trace(t, s) {
			jobs = append(jobs, job{s, point})
		}
	}
	queue := make(chan job, len(jobs))
	for _, j := range jobs {
		queue <- j
	}
	close(queue)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for j := range queue {
				t.Run(j.scene.name+"/"+strings.ReplaceAll(j.point, "/", "-"), func(t *testing.T) {
					d := newDisk(t)
					c := matrixCase{place: d.place(), scene: j.scene, tree: trees[0], point: j.point}
					c.begin()
					d.fill()
					c.write("go", "")
					within(300*time.Millisecond, "everything ends without room", func() bool {
						return !slices.ContainsFunc(c.calls, (*call).running) && c.open() == 0
					})
					d.free()
					c.recover()
					c.judge()
				})
			}
		})
	}
	wg.Wait()
}
