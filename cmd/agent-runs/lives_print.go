package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/journal/lifecycle"
)

func lifePrinter(asJSON bool) func(lifecycle.Event) error {
	if asJSON {
		return printEventJSON
	}
	return func(e lifecycle.Event) error {
		of := e.RunID
		if e.Type == lifecycle.SettingsChanged {
			of = e.Owner
		}
		if e.Task != "" {
			of += " " + e.Task
		}
		_, err := fmt.Println(e.At.Local().Format("2006-01-02 15:04:05.000"), of, e.Type+lifeWords(e))
		return err
	}
}

// printEventJSON prints one line. The result is in it byte for byte.
func printEventJSON(e lifecycle.Event) error {
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(e)
}

// lifeWords is what people are told of an event besides its type.
func lifeWords(e lifecycle.Event) string {
	switch e.Type {
	case lifecycle.Queued:
		return ": " + e.Reason
	case lifecycle.Verified:
		passed := 0
		for _, c := range e.Checks {
			if c.Passed {
				passed++
			}
		}
		return fmt.Sprintf(", %d of %d checks passed", passed, len(e.Checks))
	case lifecycle.SettingsChanged:
		return " " + strings.Join(e.Settings, " ") + " in " + e.File
	}
	if !e.Terminal() {
		return ""
	}
	var r journal.Result
	words := ""
	if e.Cause != "" && e.Cause != e.Type {
		words = " (" + e.Cause + ")"
	}
	switch {
	case json.Unmarshal(e.Result, &r) != nil:
		words += ": its result cannot be read"
	case r.Error != "":
		words += ": " + r.Error
	}
	return words
}
