package main

import (
	"errors"
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

// limit reads the limits that every run can have, and tells all that is wrong
// with them.
func (w *work) limit(o asked) error {
	n, err := positive(o, "max-processes", journal.MostProcesses)
	w.limits.MaxProcesses = n
	return errors.Join(
		span(o, "max-duration", time.Millisecond, &w.limits.MaxDurationMS),
		span(o, "max-queue-wait", time.Millisecond, &w.limits.MaxQueueWaitMS),
		span(o, "grace", 0, &w.limits.GraceMS),
		size(o, "max-output", 1, &w.limits.MaxOutputBytes),
		size(o, "max-memory", journal.LeastMemory, &w.limits.MaxMemoryBytes),
		err)
}

// limitAgent reads the limits that only agents have.
func limitAgent(o asked, l *journal.Limits) error {
	turns, badTurns := positive(o, "max-turns", math.MaxInt32)
	tokens, badTokens := positive(o, "max-tokens", math.MaxInt64)
	l.MaxTurns, l.MaxTokens = int(turns), tokens
	return errors.Join(badTurns, badTokens, dollars(o, "max-cost", &l.MaxCostUSD),
		span(o, "startup-timeout", time.Millisecond, &l.StartupMS),
		span(o, "idle-timeout", time.Millisecond, &l.IdleMS))
}

// dollars is an amount, which stays what it is where none is given.
func dollars(o asked, flag string, to *float64) (err error) {
	if !o.IsSet(flag) {
		return nil
	}
	s := o.String(flag)
	*to, err = strconv.ParseFloat(strings.TrimPrefix(s, "$"), 64)
	if err != nil || !(*to > 0) || math.IsInf(*to, 0) {
		return cli.Fail(cli.Usage, "%s %q is no amount; dollars above zero are, such as 0.50", o.Field(flag), s)
	}
	return nil
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
