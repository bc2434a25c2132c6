// Command cmd runs the scripted model server by hand: `go run ./internal/modelserver/cmd [ADDRESS]`. It prints its
// URL and then one line per model call.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/agent-runs/agent-runs/internal/modelserver"
)

func main() {
	s, err := modelserver.Start(os.Args[1:]...)
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
	fmt.Println(s.URL())
	for seen := 0; ; time.Sleep(200 * time.Millisecond) {
		for _, q := range s.Requests()[seen:] {
			fmt.Printf("%s %s stream=%v users=%d tools=%d: %s\n", q.Protocol, q.Model, q.Stream, len(q.Users()), len(q.Tools), q.Reply)
			seen++
		}
	}
}
