// Package claude speaks with Claude Code in its stream-json mode, both ways.
//
// Measured with 2.1.332, and with 2.1.197 where that is said:
//
//   - Everything is JSON, and "type" may stand anywhere in a line.
//   - `initialize` is answered once claude is up; the answer has the models.
//     There is no init line before the first turn; then one at every turn.
//   - A user line begins a turn or, while one runs, goes in with the next result
//     of a tool. Its uuid comes back: in command_lifecycle (queued, started,
//     completed, cancelled) and in the echo that --replay-user-messages makes.
//   - An interrupt ends the turn with error_during_execution and terminal_reason
//     "aborted_…". What was queued then begins a turn of its own at once.
//   - A question that nobody needs to answer any more is withdrawn by
//     control_cancel_request. Answers of ours are echoed.
//   - The result's is_error decides; its subtype may say "success" besides.
//   - total_cost_usd is a sum, and goes on from the session's when one is
//     resumed or forked. model_usage_since_last_result is the difference,
//     subagents included.
//   - --session-id takes a UUID, also with --fork-session. A session that is
//     there: exit 1, "already in use". An unknown one to resume: one result line
//     that is an error, and exit 1.
//   - An unknown --effort is ignored with a warning; an unknown
//     --permission-mode is refused. An unknown --model is sent as it is.
//   - INT ends it cleanly with the command that its tool runs, TERM leaves that
//     command in 2.1.197.
//
// A system prompt replaces claude's own (--system-prompt), because that is what
// the word means in claude and in the other agents.
//
// Of the variables only DISABLE_AUTOUPDATER is set: the program that a run was
// asked for with is the one that a later run continues it with.
package claude
