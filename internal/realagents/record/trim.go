package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

const (
	longString = 500 // longer ones keep their beginning
	catalog    = 3   // entries that are kept of a list of what the agent could do
)

// catalogs are the keys of lists that say nothing about the run.
var catalogs = map[string]bool{"commands": true, "models": true, "agents": true, "skills": true, "tools": true,
	"slash_commands": true, "capabilities": true, "availableCommands": true, "availableModels": true, "modes": true,
	"terminal_slash_commands": true, "configOptions": true}

var (
	uuid    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	process = regexp.MustCompile(`("(?:pid|ppid|processId)":"?|/cc-socks/)\d+`)
	host    = regexp.MustCompile(`("serverName":)"[^"]*"`)
)

// trimmer makes recordings small and independent of the machine: paths, ports, process ids and session ids become
// stable words, long strings and catalogs are cut. The order of the keys stays: decoders must not rely on it, and
// their tests can only show that when it is the agent's own.
type trimmer struct {
	words *strings.Replacer
	ids   map[string]string
}

func newTrimmer(home, project, repository, server string) *trimmer {
	words := []string{}
	for _, pair := range [][2]string{{project, "/home/user/project"}, {home, "/home/user"}, {repository, "/repository"}} {
		words = append(words, pair[:]...)
		// Agents name folders after paths.
		dashes := strings.NewReplacer("/", "-", ".", "-")
		words = append(words, dashes.Replace(pair[0]), dashes.Replace(pair[1]))
	}
	words = append(words, strings.TrimPrefix(server, "http://"), "127.0.0.1:8080")
	return &trimmer{strings.NewReplacer(words...), map[string]string{}}
}

func (t *trimmer) lines(lines []string) []byte {
	var b bytes.Buffer
	for _, line := range lines {
		b.WriteString(t.line(line))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func (t *trimmer) line(line string) string {
	line = process.ReplaceAllString(t.words.Replace(line), "${1}1")
	line = host.ReplaceAllString(line, `${1}"host"`)
	line = uuid.ReplaceAllStringFunc(line, func(id string) string {
		if t.ids[id] == "" {
			t.ids[id] = fmt.Sprintf("00000000-0000-4000-8000-%012d", len(t.ids)+1)
		}
		return t.ids[id]
	})
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	var b bytes.Buffer
	if err := shorten(d, &b, ""); err != nil {
		return line // Not JSON: a line of text that the agent let slip.
	}
	return b.String()
}

// shorten copies one JSON value, found under a key, and cuts what is long in it.
func shorten(d *json.Decoder, out *bytes.Buffer, key string) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch v := token.(type) {
	case json.Delim:
		if v == '{' {
			return shortenObject(d, out)
		}
		return shortenList(d, out, key)
	case string:
		if len(v) > longString {
			v = strings.ToValidUTF8(v[:120], "") + fmt.Sprintf("… (%d bytes)", len(v))
		}
		return put(out, v)
	default:
		return put(out, token)
	}
}

func shortenObject(d *json.Decoder, out *bytes.Buffer) error {
	out.WriteByte('{')
	for i := 0; d.More(); i++ {
		if i > 0 {
			out.WriteByte(',')
		}
		key, err := d.Token()
		if err != nil {
			return err
		}
		if err := put(out, key); err != nil {
			return err
		}
		out.WriteByte(':')
		if err := shorten(d, out, fmt.Sprint(key)); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	_, err := d.Token()
	return err
}

func shortenList(d *json.Decoder, out *bytes.Buffer, key string) error {
	out.WriteByte('[')
	var rest bytes.Buffer
	for i := 0; d.More(); i++ {
		to := out
		if i >= catalog && catalogs[key] {
			to = &rest
		} else if i > 0 {
			out.WriteByte(',')
		}
		if err := shorten(d, to, ""); err != nil {
			return err
		}
	}
	out.WriteByte(']')
	_, err := d.Token()
	return err
}

func put(out *bytes.Buffer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	out.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return nil
}
