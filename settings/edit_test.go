package settings

import (
	"flag"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the schema")

func key(t *testing.T, name string) Key {
	k, ok := Find(name)
	require.True(t, ok, name)
	return k
}

func TestSetAndUnsetKeepTheRest(t *testing.T) {
	k := key(t, "limits.turns")
	v, err := k.Parse("12")
	require.NoError(t, err)
	for _, c := range []struct{ before, after string }{
		{"", "{\n  \"limits\": {\n    \"turns\": 12\n  }\n}\n"},
		{"{}", "{\n  \"limits\": {\n    \"turns\": 12\n  }\n}\n"},
		{`{"new":[1,{"a":1e400}],"limits":{"later":true,"turns":3},"concurrency":2}`,
			"{\n  \"new\": [\n    1,\n    {\n      \"a\": 1e400\n    }\n  ],\n  \"limits\": {\n    \"later\": true,\n    \"turns\": 12\n  },\n  \"concurrency\": 2\n}\n"},
		{`{"limits":5}`, "{\n  \"limits\": {\n    \"turns\": 12\n  }\n}\n"},
	} {
		got, err := Set([]byte(c.before), k, v)
		require.NoError(t, err)
		require.Equal(t, c.after, string(got))
		again, ok := In(got, k)
		require.True(t, ok)
		require.Equal(t, v, again)
	}
	_, err = Set([]byte("{"), k, v)
	require.ErrorContains(t, err, "line 1: ")

	for _, c := range []struct {
		name, before, after string
		found               bool
	}{
		{"limits.turns", `{"limits":{"turns":3},"x":1}`, "{\n  \"x\": 1\n}\n", true},
		{"limits.turns", `{"limits":{"turns":3,"later":true}}`, "{\n  \"limits\": {\n    \"later\": true\n  }\n}\n", true},
		{"limits.turns", `{"x":1}`, `{"x":1}`, false},
		{"limits.turns", `{"limits":1}`, `{"limits":1}`, false},
		{"x", `{"x":1}`, "{}\n", true},
		{"x", ``, ``, false},
	} {
		got, found, err := Unset([]byte(c.before), c.name)
		require.NoError(t, err)
		require.Equal(t, c.found, found, c.before)
		require.Equal(t, c.after, string(got))
	}
}

func TestWhatHasChanged(t *testing.T) {
	require.Equal(t, []string{"concurrency", "limits.idle", "limits.turns"},
		Changed([]byte(`{"concurrency":2,"limits":{"turns":1,"grace":"1s"},"x":1}`), []byte(`{"limits":{"turns":2,"grace":"1s","idle":"1m"},"x":2}`)))
	require.Equal(t, []string{"concurrency"}, Changed([]byte("{"), []byte(`{"concurrency":2}`)))
	require.Empty(t, Changed(nil, []byte("{}")))
}

func TestCheck(t *testing.T) {
	problems, err := Check(LayerProject, []byte(`{"runtime":"pi","concurrency":0,"x":1,"limits":{"turns":99}}`))
	require.NoError(t, err)
	require.Equal(t, []Problem{
		{Words: "concurrency 0 is left out: whole numbers from 1 to 10000 are accepted"},
		{Words: `there is no setting "x"`, Unknown: true},
		{Words: `runtime "pi" is left out: a project's file never names a program`},
	}, problems)
	problems, err = Check(LayerGlobal, []byte(`{"runtime":"pi"}`))
	require.NoError(t, err)
	require.Empty(t, problems)
	_, err = Check(LayerGlobal, []byte("{\n\n"))
	require.ErrorContains(t, err, "line 2: ")
}

const schemaFile = "../docs/settings.schema.json"

// TestSchemaIsPublished: it is made of the same table; -update writes it.
func TestSchemaIsPublished(t *testing.T) {
	if *update {
		require.NoError(t, os.WriteFile(schemaFile, Schema(), 0o644))
	}
	published, err := os.ReadFile(schemaFile)
	require.NoError(t, err)
	require.Equal(t, string(Schema()), string(published), "go test ./settings -update")
}

// TestPatternsAcceptWhatTheParserDoes, and refuse what it does.
func TestPatternsAcceptWhatTheParserDoes(t *testing.T) {
	for kind, c := range map[Kind]struct{ pattern, key string }{
		Span: {spanPattern, "limits.grace"}, Size: {sizePattern, "limits.output"},
	} {
		k, re := key(t, c.key), regexp.MustCompile(c.pattern)
		require.Equal(t, kind, k.Kind)
		for _, s := range []string{"1s", "90m", "1h30m", "1.5h", ".5h", "1d", "0.5d", "500ms", "soon", "", "s", "5", "-1s", "1 s", "1y",
			"10MB", "500k", "1GiB", "1.5g", "10 MB", "7b", "1kk", "1mib", "MB", "-3MB", "1ib"} {
			_, err := k.Parse(s)
			if kind == Size && (s == "500ms" || s == "1m" || s == "") {
				require.Error(t, err)
			}
			require.Equal(t, err == nil, re.MatchString(s), "%s %q", c.key, s)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{}`, `{"concurrency":8,"limits":{"turns":1,"turns":2}}`, "{\n\"a\":[{\"b\":null}],}", `{"runtime":"acp:x"}`, `[`, `{"limits":{"duration":"1h"},"limits":1}`, "\xff", `{"a":"\ud800","b":1e999}`} {
		f.Add([]byte(s))
	}
	k, _ := Find("limits.turns")
	f.Fuzz(func(t *testing.T, body []byte) {
		s := merge([]content{{File: File{LayerProject, "/p"}, body: body, there: true}})
		for _, x := range s.All { // a project's file only ever tightens, and names no program
			def := merge(nil).Get(x.Name)
			if x.Kind == Runtime && !x.None() || !def.None() && x.Number > def.Number {
				t.Fatalf("%s is %q", x.Name, x.Text)
			}
		}
		changed, err := Set(body, k, Value{7, "7"})
		if err != nil {
			return
		}
		if v, ok := In(changed, k); !ok || v.Number != 7 {
			t.Fatalf("it was not set: %q", changed)
		}
		for _, name := range Changed(body, changed) {
			if name != k.Name {
				t.Fatalf("%s has changed as well", name)
			}
		}
		without, found, err := Unset(changed, k.Name)
		if err != nil || !found {
			t.Fatalf("%v, %v: %q", found, err, changed)
		}
		if _, ok := In(without, k); ok {
			t.Fatalf("it is still set: %q", without)
		}
	})
}
