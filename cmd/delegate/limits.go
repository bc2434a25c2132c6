package main

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/settings"
	units "github.com/docker/go-units"
)

// otherwise tells in the help what a limit is where nobody says.
func otherwise(limit string) string { return " (default: " + settings.Default(limit) + ")" }

// limit reads the limits that every run can have.
func (w *work) limit(o asked) error {
	if err := span(o, "max-duration", time.Millisecond, &w.limits.MaxDurationMS); err != nil {
		return err
	}
	if err := span(o, "max-queue-wait", time.Millisecond, &w.limits.MaxQueueWaitMS); err != nil {
		return err
	}
	if err := span(o, "grace", 0, &w.limits.GraceMS); err != nil {
		return err
	}
	if err := size(o, "max-output", 1, &w.limits.MaxOutputBytes); err != nil {
		return err
	}
	if err := size(o, "max-memory", journal.LeastMemory, &w.limits.MaxMemoryBytes); err != nil {
		return err
	}
	n, err := positive(o, "max-processes", journal.MostProcesses)
	w.limits.MaxProcesses = n
	return err
}

// limitAgent reads the limits that only agents have.
func limitAgent(o asked, l *journal.Limits) error {
	turns, err := positive(o, "max-turns", math.MaxInt32)
	if err != nil {
		return err
	}
	l.MaxTurns = int(turns)
	if l.MaxTokens, err = positive(o, "max-tokens", math.MaxInt64); err != nil {
		return err
	}
	if o.IsSet("max-cost") {
		s := o.String("max-cost")
		l.MaxCostUSD, err = strconv.ParseFloat(strings.TrimPrefix(s, "$"), 64)
		if err != nil || !(l.MaxCostUSD > 0) || math.IsInf(l.MaxCostUSD, 0) {
			return cli.Fail(cli.Usage, "%s %q is no amount; dollars above zero are, such as 0.50", o.Field("max-cost"), s)
		}
	}
	if err := span(o, "startup-timeout", time.Millisecond, &l.StartupMS); err != nil {
		return err
	}
	return span(o, "idle-timeout", time.Millisecond, &l.IdleMS)
}

// positive is a whole number above zero, or 0 where none is given.
func positive(o asked, flag string, most int64) (int64, error) {
	if !o.IsSet(flag) {
		return 0, nil
	}
	n, err := strconv.ParseInt(o.String(flag), 10, 64)
	if err != nil || n < 1 || n > most {
		return 0, cli.Fail(cli.Usage, "%s %q is none; whole numbers from 1 to %d are accepted", o.Field(flag), o.String(flag), most)
	}
	return n, nil
}

// size is a number of bytes, which stays what it is where none is given.
func size(o asked, flag string, least int64, to *int64) error {
	if !o.IsSet(flag) {
		return nil
	}
	n, err := units.RAMInBytes(o.String(flag))
	switch {
	case err != nil || n <= 0:
		return cli.Fail(cli.Usage, "%s %q is no size; 500k, 10MB or 1GiB are", o.Field(flag), o.String(flag))
	case n < least:
		return cli.Fail(cli.Usage, "%s %q is too little; %s and more are accepted", o.Field(flag), o.String(flag), units.BytesSize(float64(least)))
	}
	*to = n
	return nil
}

// span is a duration, which stays what it is where none is given.
func span(o asked, flag string, least time.Duration, to *int64) error {
	if !o.IsSet(flag) {
		return nil
	}
	d, err := cli.SpanWithin(o.Field(flag), o.String(flag), least)
	*to = d.Milliseconds()
	return err
}
