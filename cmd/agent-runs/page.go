package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
)

// page is the JSON shape of a listing.
type page struct {
	Version int    `json:"version"`
	Runs    []any  `json:"runs"` // views
	Next    string `json:"next,omitempty"`
}

func pageOf(views []cli.View, next string) page {
	p := page{Version: cli.ViewVersion, Runs: make([]any, len(views)), Next: next}
	for i := range views {
		p.Runs[i] = &views[i]
	}
	return p
}

// print writes a line a run. Indenting twenty of them would take longer than
// finding them.
func (p page) print() error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	fmt.Fprintf(&b, `{"version":%d,"runs":[`, p.Version)
	for i, v := range p.Runs {
		if i > 0 {
			b.Truncate(b.Len() - 1)
			b.WriteString(",\n")
		}
		if err := e.Encode(v); err != nil {
			return err
		}
	}
	b.WriteString("]")
	if p.Next != "" {
		b.WriteString(`,"next":`)
		if err := e.Encode(p.Next); err != nil {
			return err
		}
	}
	b.WriteString("}\n")
	_, err := os.Stdout.Write(b.Bytes())
	return err
}
