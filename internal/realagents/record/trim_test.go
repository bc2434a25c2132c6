package main

import (
	"strings"
	"testing"
)

func TestTrim(t *testing.T) {
	long := strings.Repeat("ü", longString)
	for _, c := range []struct{ name, in, want string }{
		{"key order and numbers stay", `{"z":1,"a":[1.50,true,null,{}],"b":1e3}`, `{"z":1,"a":[1.50,true,null,{}],"b":1e3}`},
		{"words", `{"cwd":"/tmp/r/project","file":"-tmp-r-project","home":"/tmp/r"}`, `{"cwd":"/home/user/project","file":"-home-user-project","home":"/home/user"}`},
		{"processes", `{"pid":123,"processId":"45","rapid":6}`, `{"pid":1,"processId":"1","rapid":6}`},
		{"sessions", `{"a":"01234567-89ab-cdef-0123-456789abcdef","b":"01234567-89ab-cdef-0123-456789abcdef"}`,
			`{"a":"00000000-0000-4000-8000-000000000001","b":"00000000-0000-4000-8000-000000000001"}`},
		{"catalogs", `{"tools":[1,2,3,4,5],"content":[1,2,3,4,5]}`, `{"tools":[1,2,3],"content":[1,2,3,4,5]}`},
		{"markup", `{"a":"<b>&"}`, `{"a":"<b>&"}`},
		{"long", `{"a":"` + long + `"}`, `{"a":"` + long[:120] + `… (1000 bytes)"}`},
		{"text", "Warning: not JSON in /tmp/r", "Warning: not JSON in /home/user"},
	} {
		t.Run(c.name, func(t *testing.T) {
			trim := newTrimmer("/tmp/r", "/tmp/r/project", "/repository/path", "http://127.0.0.1:4321")
			if got := string(trim.lines([]string{c.in})); got != c.want+"\n" {
				t.Errorf("got  %swant %s", got, c.want)
			}
		})
	}
}
