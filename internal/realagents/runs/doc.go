// Package runs drives the real coding agents through the real commands, with a scripted model behind them, and makes
// docs/agents.md from what it sees. It has tests only; they run where AGENT_RUNS_REAL_AGENTS=1.
package runs
