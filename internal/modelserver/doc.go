// Package modelserver is a scripted stand-in for the model vendors' servers: it lets the tests run real coding
// agents offline and says beforehand what the "model" will do.
//
// It listens on 127.0.0.1 and speaks OpenAI chat completions and responses, Anthropic messages and Gemini
// generateContent, each streaming and whole. The script stands in the prompt itself, so it travels through the
// agent like any other text:
//
//	[[bash:CMD]]          call the agent's own shell tool with CMD; several are called one after the other
//	[[tool:NAME:{JSON}]]  call any tool with these arguments
//	[[say:TEXT]]          answer TEXT
//	[[slow:SECONDS]]      stream the answer over SECONDS
//	[[status:CODE:N]]     fail with this HTTP status, N times or, without N, always
//	[[drop:N]]            break the connection in the middle of the answer, N times or always
//	[[hang]]              accept the request and stay silent
//
// The newest user text with a directive decides; calls come first and the last directive says how it ends. Every
// answer but SAID repeats what reached the model (see facts), and usage is always the same.
//
// A model whose name begins with NoModel does not exist.
//
// It is for tests: it knows nothing of keys, limits or models, and reads no more of a request than it needs.
package modelserver
