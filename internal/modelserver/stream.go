package modelserver

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"time"
)

var word = regexp.MustCompile(`\S+\s*`)

// stream writes server-sent events. It ends the handler by http.ErrAbortHandler, net/http's way to cut a
// connection, when the script says so, when the client has gone or when the server closes.
type stream struct {
	w    http.ResponseWriter
	gone <-chan struct{}
}

// send writes one event; protocols without event names pass "".
func (s stream) send(name string, data any) {
	b, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	if name != "" {
		name = "event: " + name + "\n"
	}
	s.line(name + "data: " + string(b) + "\n\n")
}

func (s stream) line(text string) {
	if _, err := io.WriteString(s.w, text); err != nil {
		panic(http.ErrAbortHandler)
	}
	s.flush()
}

func (s stream) flush() {
	if http.NewResponseController(s.w).Flush() != nil {
		panic(http.ErrAbortHandler)
	}
}

// words gives out the text word by word, slowly or with a break after half of it where the reply says so.
func (s stream) words(r reply, each func(word string)) {
	words := word.FindAllString(r.text, -1)
	if r.drop {
		words = words[:len(words)/2]
	}
	for _, w := range words {
		each(w)
		if r.over > 0 {
			s.rest(r.over / time.Duration(len(words)))
		}
	}
	if r.drop {
		panic(http.ErrAbortHandler)
	}
}

func (s stream) rest(d time.Duration) {
	select {
	case <-time.After(d):
	case <-s.gone:
		panic(http.ErrAbortHandler)
	}
}
