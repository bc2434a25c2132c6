package modelserver

// What every answer claims to have used. Input counts all that was read, cached or not; protocols that count
// apart what came from the cache say InputTokens-CachedTokens for the rest.
const (
	InputTokens  = 100
	CachedTokens = 40
	OutputTokens = 20
)
