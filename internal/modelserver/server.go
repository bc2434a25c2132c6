package modelserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// protocol is one vendor's way to ask and to answer. The number n makes ids that differ from call to call.
type protocol interface {
	name() string
	// read fills in model, stream, system, turns and tools from the body.
	read(q *Request) error
	whole(n int, q Request, r reply) any
	stream(s stream, n int, q Request, r reply)
	failure(status int, message string) any
}

// Server is one running stand-in. Requests may come from many agents at once.
type Server struct {
	http     *http.Server
	listener net.Listener
	stop     context.CancelFunc
	served   chan struct{}

	mu       sync.Mutex
	calls    int
	requests []Request
	failures map[string]int // by prompt
}

// Start listens on a free port of 127.0.0.1, or on the address that is given.
func Start(address ...string) (*Server, error) {
	at := "127.0.0.1:0"
	if len(address) > 0 {
		at = address[0]
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{listener: l, stop: stop, served: make(chan struct{}), failures: map[string]int{}}
	s.http = &http.Server{Handler: http.HandlerFunc(s.serve), BaseContext: func(net.Listener) context.Context { return ctx }}
	go func() {
		defer close(s.served)
		_ = s.http.Serve(l) // Always an error: the listener was closed.
	}()
	return s, nil
}

// URL is where the server is, without a path.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Close cuts every connection, silent ones too.
func (s *Server) Close() error {
	s.stop()
	err := s.http.Close()
	<-s.served
	return err
}

// Requests are the model calls so far, in the order in which they came.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *Server) record(q Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, q)
}

func (s *Server) number() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	return s.calls
}

// relent turns a failure that was to happen some times only into its answer once it has.
func (s *Server) relent(q Request, a reply) reply {
	if a.times == 0 {
		return a
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	prompt := last(q.Users())
	if s.failures[prompt]++; s.failures[prompt] > a.times {
		a.status, a.drop = 0, false
	}
	return a
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	p := speaks(r.URL.Path)
	if p == nil || r.Method != http.MethodPost {
		aside(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	q := Request{Protocol: p.name(), Path: r.URL.Path, Header: r.Header.Clone(), Body: body}
	a, err := understand(p, &q)
	if err != nil {
		q.Reply = err.Error()
		s.record(q)
		writeJSON(w, http.StatusBadRequest, p.failure(http.StatusBadRequest, err.Error()))
		return
	}
	a = s.relent(q, a)
	q.Reply = a.String()
	s.record(q)
	respond(w, r, p, s.number(), q, a)
}

func understand(p protocol, q *Request) (reply, error) {
	if err := p.read(q); err != nil {
		return reply{}, fmt.Errorf("read the request: %w", err)
	}
	return q.answer()
}

// respond does what the script says, in the words of the protocol.
func respond(w http.ResponseWriter, r *http.Request, p protocol, n int, q Request, a reply) {
	s := stream{w, r.Context().Done()}
	switch {
	case a.status == http.StatusNotFound:
		writeJSON(w, a.status, p.failure(a.status, fmt.Sprintf("model %q does not exist", q.Model)))
	case a.status != 0:
		// Agents that retry in silence for minutes heed this.
		w.Header().Set("Retry-After-Ms", "100")
		writeJSON(w, a.status, p.failure(a.status, fmt.Sprintf("scripted status %d", a.status)))
	case a.hang:
		w.Header().Set("Content-Type", "text/event-stream")
		s.flush()
		<-s.gone
	case q.Stream:
		w.Header().Set("Content-Type", "text/event-stream")
		p.stream(s, n, q, a)
	default:
		if a.drop {
			fmt.Fprint(w, `{"partial":`)
			s.flush()
			panic(http.ErrAbortHandler)
		}
		s.rest(a.over)
		writeJSON(w, http.StatusOK, p.whole(n, q, a))
	}
}

// speaks finds the protocol by the path's end: agents put different things before it.
func speaks(path string) protocol {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return chat{}
	case strings.HasSuffix(path, "/responses"):
		return responses{}
	case strings.HasSuffix(path, "/messages"):
		return anthropic{}
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		return gemini{}
	}
	return nil
}

// aside answers what agents ask besides: the list of models and token counts.
func aside(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/models"):
		writeJSON(w, http.StatusOK, object{"object": "list", "data": []any{object{"id": "scripted", "object": "model"}}})
	case strings.HasSuffix(path, "/messages/count_tokens"):
		writeJSON(w, http.StatusOK, object{"input_tokens": InputTokens})
	case strings.HasSuffix(path, ":countTokens"):
		writeJSON(w, http.StatusOK, object{"totalTokens": InputTokens})
	default:
		writeJSON(w, http.StatusNotFound, object{"error": object{"message": "no such path: " + path}})
	}
}

// id makes an id that is the same in every run of the same script.
func id(kind string, n int) string { return fmt.Sprintf("%s_%d", kind, n) }

// object is a piece of JSON to write.
type object = map[string]any

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(v); err != nil {
		panic(http.ErrAbortHandler)
	}
}
