// Package pi speaks with pi in its RPC mode (`pi --mode rpc`).
//
// Measured with 1.6.0, and with 0.74.2 where that is said:
//
//   - get_state is answered once pi is up; there is no banner. The answer has
//     the session's id and file and the model.
//   - `prompt` with streamingBehavior "steer" begins a run when pi is idle
//     (disposition "started") and is queued when it works ("queued"). `steer`
//     is queued in both cases, and when pi is idle it lies there until the next
//     prompt. So everything is said with the former.
//   - queue_update comes before the response that says "queued", and again when
//     the message goes to the model. It tells texts, not ids: they are counted.
//   - abort ends the turn and swallows what was queued: the queued message
//     becomes part of the session and the call of the model for it is aborted.
//   - agent_settled is the end: retries and queue included. 0.74.2 has none;
//     there, and where the version is not known, get_state is asked at agent_end,
//     and the end is its answer, unless a retry or another run was told of before.
//   - A model of an unknown provider: exit 1, "Model "P/ID" not found" on
//     stderr. An unknown id of a known provider is taken as it is, with a warning.
//     A bare name is a pattern: "fake-mod" gave fake-model. So the
//     model that get_state tells is compared with the one that was asked for.
//   - --session-id names a new session, also together with --fork. --session
//     with the id of another directory's session asks on stdin.
//   - There are no permissions; extensions ask by extension_ui_request (read in
//     pi's own documentation, rpc-extension-ui).
//   - TERM ends pi and the command that its tool runs; INT leaves that command.
package pi
