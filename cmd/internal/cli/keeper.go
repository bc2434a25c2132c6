package cli

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/supervisor"
)

// Keeper is for those who follow for ever: while runs are live it brings back
// a supervisor that died with all its shims, and while none are it lets the
// last one leave. One that a person sent away stays away.
type Keeper struct {
	live atomic.Bool
	wake chan struct{}
}

// NewKeeper begins to look after the home until ctx ends. That a supervisor
// cannot be had is no error of those who only look.
func NewKeeper(ctx context.Context, h journal.Home) *Keeper {
	k := &Keeper{wake: make(chan struct{}, 1)}
	go func() {
		for {
			select {
			case <-k.wake:
			case <-ctx.Done():
				return
			}
			err := supervisor.Attend(ctx, h, func() bool { return k.live.Load() && !supervisor.SentAway(h) })
			if err != nil && ctx.Err() == nil {
				fmt.Fprintf(os.Stderr, "note: nobody supervises the runs: %v\n", err)
				return
			}
		}
	}()
	return k
}

// Watch says whether runs are live now.
func (k *Keeper) Watch(live bool) {
	if k.live.Swap(live) || !live {
		return
	}
	select {
	case k.wake <- struct{}{}:
	default:
	}
}
