// Package conversation keeps one run's talk with its agent in files, so that
// whoever opens it stands where the last one stood.
//
// What the agent says is its stdout.log. What is said to it is said.log, the
// bytes, and said.jsonl, the list of messages. A message is first in the one,
// then in the other, and only then moved into the agent's stdin: what is not
// listed was never sent, and what is listed is never composed again. The
// position up to which said.log was moved is kept by the kernel (launch.Feed).
//
// It promises that each message reaches the agent once and whole, whoever is
// killed, as long as the run's shim or the supervisor lives. If both die in
// the middle of a message the rest of it is not sent.
package conversation
