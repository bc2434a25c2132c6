package main

import (
	"fmt"
	"io"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/settings"
)

// values prints what options take, for a shell that completes.
func values() map[string]func(io.Writer) {
	return map[string]func(io.Writer){
		"runtime":    offer(settings.RuntimeNames()...),
		"permission": offer("ask", "allow", "deny"),
		"needs":      cli.OfferRuns,
	}
}

func offer(words ...string) func(io.Writer) {
	return func(w io.Writer) {
		for _, word := range words {
			fmt.Fprintln(w, word)
		}
	}
}
