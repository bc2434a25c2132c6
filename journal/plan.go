package journal

import "time"

// RuntimePlan is the runtime of a plan: a run that executes nothing and is
// over when its tasks are.
const RuntimePlan = "plan"

// Plan is the part of launch.json that only a plan has. The launch records of
// its tasks are durable before its own, and its run command commands them all.
type Plan struct {
	Tasks  []PlanTask `json:"tasks"`
	Limits PlanLimits `json:"limits"`
	File   string     `json:"file,omitempty"` // where it was read from
}

// PlanTask is one task of a plan. What it needs is in its run's launch record.
type PlanTask struct {
	ID    string `json:"id"` // its name in the plan
	RunID string `json:"runId"`
	Done  bool   `json:"done,omitempty"` // completed in the plan that this one goes on from; not run again
}

// PlanLimits bound all tasks of a plan together. Zero means no limit.
type PlanLimits struct {
	Concurrency   int     `json:"concurrency,omitempty"`
	MaxDurationMS int64   `json:"maxDurationMs,omitempty"`
	MaxTokens     int64   `json:"maxTokens,omitempty"` // as Usage.Tokens counts
	MaxCostUSD    float64 `json:"maxCostUsd,omitempty"`
}

// Inputs is inputs.json: what a run with needs is really started with, now
// that they have completed. Written once by the supervisor before the start.
// Absent: not started, or there is nothing to put in place. Prompt and Argv, where set, take
// the place of those in launch.json.
type Inputs struct {
	Version int       `json:"version"`
	ID      string    `json:"id"`
	Prompt  *string   `json:"prompt,omitempty"`
	Argv    []string  `json:"argv,omitempty"`
	At      time.Time `json:"at"`
}

// Verify says how a run proves that its work is done: each command is run by
// "sh -c" in the run's directory and environment after the child has ended.
type Verify struct {
	Commands      []string `json:"commands"`
	MaxDurationMS int64    `json:"maxDurationMs"`     // of each
	Retry         int      `json:"retry,omitempty"`   // how often the agent is told of a failure and goes on
	EnvFile       string   `json:"envFile,omitempty"` // the run's environment for them, removed with the result
}

// Check is one command of a verification that was run.
type Check struct {
	RunID      string `json:"runId"` // the run that it was
	Attempt    int    `json:"attempt"`
	Command    string `json:"command"`
	Passed     bool   `json:"passed"`
	Code       *int   `json:"code"` // null where it has none, Error says why
	Error      string `json:"error,omitempty"`
	DurationMS int64  `json:"durationMs"`
	Output     string `json:"output,omitempty"` // the end of what it wrote
}

// Part is verify-ATTEMPT-STEP.json and followup-ATTEMPT.json: which run the
// supervisor starts as a part of this one. Written once by the supervisor
// before that run's launch record, so that each part is made once.
type Part struct {
	Version int    `json:"version"`
	ID      string `json:"id"`    // of the run it is a part of
	RunID   string `json:"runId"` // of the part
}

// TaskEnd is how one task of a plan ended.
type TaskEnd struct {
	ID     string `json:"id"`
	RunID  string `json:"runId"`
	Status string `json:"status"`
	Cause  string `json:"cause,omitempty"`
}
