package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/internal/span"
	"github.com/stretchr/testify/require"
)

// layers makes what the files hold of their texts; "" is a file that is not
// there.
func layers(global, personal, project string) []content {
	var all []content
	for i, name := range []string{LayerGlobal, LayerPersonal, LayerProject} {
		text := []string{global, personal, project}[i]
		all = append(all, content{File: File{name, "/" + name}, body: []byte(text), there: text != ""})
	}
	return all
}

func TestEveryDefaultIsOne(t *testing.T) {
	for _, k := range Keys() {
		if k.Default == "" {
			continue
		}
		v, err := k.Parse(k.Default)
		require.NoError(t, err, k.Name)
		require.Equal(t, k.Default, k.Words(v.Number), k.Name)
	}
	require.EqualValues(t, mostSpan, span.Longest.Milliseconds())
}

func TestDefaults(t *testing.T) {
	s := merge(layers("", "", ""))
	require.Empty(t, s.Warnings)
	require.JSONEq(t, `{"concurrency":4,"limits":{"turns":30,"reservedTurns":2,"duration":"30m","queueWait":"15m","grace":"5s","startup":"1m","idle":"10m"},"verify":{"duration":"10m"}}`, string(s.Tree("")))
	require.JSONEq(t, `{"duration":"10m"}`, string(s.Tree("verify")))
	require.Equal(t, 4, s.Concurrency())
	require.EqualValues(t, 10*time.Minute/time.Millisecond, s.VerifyMS())
	require.True(t, s.Runtime().None())
}

func TestLayers(t *testing.T) {
	for name, c := range map[string]struct {
		global, personal, project string
		key, value, layer         string
		warns                     string
	}{
		"a file sets":                {global: `{"concurrency":8}`, key: "concurrency", value: "8", layer: "global"},
		"personal over global":       {global: `{"concurrency":8}`, personal: `{"concurrency":9}`, key: "concurrency", value: "9", layer: "personal"},
		"personal alone":             {personal: `{"limits":{"duration":"2h"}}`, key: "limits.duration", value: "2h", layer: "personal"},
		"field by field":             {global: `{"limits":{"turns":7}}`, personal: `{"limits":{"idle":"1m"}}`, key: "limits.turns", value: "7", layer: "global"},
		"a project tightens":         {global: `{"limits":{"turns":20}}`, project: `{"limits":{"turns":10}}`, key: "limits.turns", value: "10", layer: "project"},
		"and what was unlimited":     {project: `{"limits":{"cost":0.5}}`, key: "limits.cost", value: "0.5", layer: "project"},
		"and puts ceilings":          {global: `{"ceilings":{"memory":"1GB"}}`, project: `{"ceilings":{"memory":"100MB"}}`, key: "ceilings.memory", value: "100MB", layer: "project"},
		"but it never loosens":       {global: `{"limits":{"turns":20}}`, project: `{"limits":{"turns":25}}`, key: "limits.turns", value: "20", layer: "global", warns: "/project: limits.turns 25 is left out: a project's file can only tighten, and 20 is in force (/global)"},
		"not a default either":       {project: `{"limits":{"duration":"31m"}}`, key: "limits.duration", value: "30m", layer: "default", warns: `/project: limits.duration "31m" is left out: a project's file can only tighten, and 30m is in force (default)`},
		"not a ceiling":              {global: `{"ceilings":{"turns":5}}`, project: `{"ceilings":{"turns":6}}`, key: "ceilings.turns", value: "5", layer: "global", warns: "only tighten"},
		"not the concurrency":        {project: `{"concurrency":1}`, key: "concurrency", value: "4", layer: "default", warns: "/project: concurrency 1 is left out: it is a matter of the whole home, in which no project has a say"},
		"not a verification":         {project: `{"verify":{"duration":"1h"}}`, key: "verify.duration", value: "10m", layer: "default", warns: "only tighten"},
		"the same is no matter":      {project: `{"limits":{"duration":"1800s"}}`, key: "limits.duration", value: "30m", layer: "default"},
		"a project names no program": {personal: `{"runtime":"pi"}`, project: `{"runtime":"acp:./evil"}`, key: "runtime", value: "pi", layer: "personal", warns: `/project: runtime "acp:./evil" is left out: a project's file never names a program`},
		"a person does":              {personal: `{"runtime":"acp:my agent --acp"}`, key: "runtime", value: "acp:my agent --acp", layer: "personal"},
		"malformed falls back":       {global: `{"concurrency":8}`, personal: "{\n\"concurrency\":9,\n}", key: "concurrency", value: "8", layer: "global", warns: "/personal is left out: line 3: invalid character '}'"},
		"garbage behind":             {global: "{\"concurrency\":8}\n\nx", key: "concurrency", value: "4", layer: "default", warns: "/global is left out: line 3: invalid character 'x'"},
		"two objects":                {global: `{"concurrency":8}{}`, key: "concurrency", value: "4", layer: "default", warns: "/global is left out: line 1"},
		"a name twice":               {global: "{\"concurrency\":8,\n\"limits\":{\"turns\":1,\n\"turns\":2}}", key: "concurrency", value: "4", layer: "default", warns: `/global is left out: line 3: the name "turns" comes twice`},
		"no object":                  {global: "\n[1]", key: "concurrency", value: "4", layer: "default", warns: "/global is left out: line 2: an object is expected"},
		"empty":                      {global: " ", key: "concurrency", value: "4", layer: "default", warns: "/global is left out: line 1: unexpected end"},
		"out of range":               {global: `{"concurrency":0}`, personal: "{}", key: "concurrency", value: "4", layer: "default", warns: "/global: concurrency 0 is left out: whole numbers from 1 to 10000 are accepted"},
		"and the rest counts":        {global: `{"concurrency":-1,"limits":{"turns":"x","idle":"1m"}}`, key: "limits.idle", value: "1m", layer: "global", warns: `/global: limits.turns "x" is left out: whole numbers from 1 to 2147483647 are accepted`},
		"the layer below counts":     {global: `{"concurrency":8}`, personal: `{"concurrency":null}`, key: "concurrency", value: "8", layer: "global", warns: "/personal: concurrency null is left out"},
		"a wrong duration":           {global: `{"limits":{"duration":30}}`, key: "limits.duration", value: "30m", layer: "default", warns: "/global: limits.duration 30 is left out: durations from 1ms to 366d are accepted, such as 90s, 2h or 1d"},
		"a wrong size":               {global: `{"limits":{"output":"big"}}`, key: "limits.output", value: "", layer: "default", warns: `/global: limits.output "big" is left out: sizes above zero are accepted, such as 2MB, 500MB or 1GiB`},
		"too little memory":          {global: `{"limits":{"memory":"100k"}}`, key: "limits.memory", value: "", layer: "default", warns: `limits.memory "100k" is left out: sizes from 1MB are accepted`},
		"a wrong cost":               {global: `{"limits":{"cost":0}}`, key: "limits.cost", value: "", layer: "default", warns: "limits.cost 0 is left out: dollars above zero are accepted"},
		"a wrong runtime":            {global: `{"runtime":"klingon"}`, key: "runtime", value: "", layer: "default", warns: `runtime "klingon" is left out: pi, claude, codex, gemini, opencode and acp:CMD are accepted`},
		"a section that is none":     {global: `{"limits":5,"concurrency":3}`, key: "concurrency", value: "3", layer: "global", warns: "/global: limits 5 is left out: an object is accepted, with some of turns, "},
		"unknown":                    {global: `{"concurency":3}`, key: "concurrency", value: "4", layer: "default", warns: `/global: there is no setting "concurency"; "concurrency" is the nearest`},
		"unknown below":              {global: `{"limits":{"turn":3}}`, key: "limits.turns", value: "30", layer: "default", warns: `/global: there is no setting "limits.turn"; "limits.turns" is the nearest`},
		"without its section":        {global: `{"maxTurns":3}`, key: "limits.turns", value: "30", layer: "default", warns: `/global: there is no setting "maxTurns"; "limits.turns" is the nearest`},
		"nothing near":               {global: `{"colour":"red"}`, key: "limits.turns", value: "30", layer: "default", warns: `/global: there is no setting "colour"`},
		"what editors write":         {global: `{"$schema":"x","version":1,"concurrency":2}`, key: "concurrency", value: "2", layer: "global"},
		"zero grace is one":          {global: `{"limits":{"grace":"0s"}}`, key: "limits.grace", value: "0s", layer: "global"},
	} {
		t.Run(name, func(t *testing.T) {
			s := merge(layers(c.global, c.personal, c.project))
			got := s.Get(c.key)
			require.Equal(t, []string{c.value, c.layer}, []string{got.Text, got.Origin.Layer}, "%q", s.Warnings)
			require.Equal(t, c.layer == LayerDefault, got.Origin.Path == "")
			if all := strings.Join(s.Warnings, "\n"); c.warns == "" {
				require.Empty(t, all)
			} else {
				require.Contains(t, all, c.warns)
			}
		})
	}
}

func TestWarningsAreFewAndPrintable(t *testing.T) {
	var b strings.Builder
	for i := range 50_000 {
		b.WriteString(`"` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + "\x7f\u009b[2J" + time.Duration(i).String() + `":1,`)
	}
	s := merge(layers("", "", "{"+b.String()+`"limits":{"turns":1}}`))
	require.Len(t, s.Warnings, maxProblems+1)
	require.Equal(t, "1", s.Get("limits.turns").Text)
	for _, w := range s.Warnings {
		require.NotContains(t, w, "\u009b")
		require.NotContains(t, w, "\n")
	}
}

// place is a home directory with a project below it.
type place struct{ home, project string }

func newPlace(t *testing.T) place {
	home := t.TempDir()
	p := place{home, filepath.Join(home, "src", "project")}
	require.NoError(t, os.MkdirAll(filepath.Join(p.project, "deep", "down"), 0o700))
	return p
}

func (p place) getenv(name string) string { return map[string]string{"HOME": p.home}[name] }

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func TestWhereTheFilesAre(t *testing.T) {
	p := newPlace(t)
	deep := filepath.Join(p.project, "deep", "down")
	global, personal := filepath.Join(p.home, ".config/agent-runs/settings.json"), filepath.Join(p.home, ".agents/agent-runs.json")
	require.Equal(t, []File{{LayerGlobal, global}, {LayerPersonal, personal}, {LayerProject, ""}}, Files(p.getenv, deep))
	require.Equal(t, filepath.Join(deep, ".agents/agent-runs.json"), ProjectFile(p.getenv, deep))
	require.Empty(t, ProjectFile(p.getenv, p.home))

	write(t, personal, "{}") // the home directory is no project
	require.Empty(t, Files(p.getenv, deep)[2].Path)

	above := filepath.Join(p.home, "src/.agents/agent-runs.json")
	write(t, above, "{}")
	require.Equal(t, above, Files(p.getenv, deep)[2].Path)

	write(t, filepath.Join(p.project, ".git"), "gitdir: elsewhere") // what is above belongs to somebody else
	require.Empty(t, Files(p.getenv, deep)[2].Path)
	require.Equal(t, filepath.Join(p.project, ".agents/agent-runs.json"), ProjectFile(p.getenv, deep))

	own := filepath.Join(p.project, ".agents/agent-runs.json")
	write(t, own, "{}")
	require.Equal(t, own, Files(p.getenv, deep)[2].Path)
	write(t, filepath.Join(deep, ".agents/agent-runs.json"), "{}")
	require.Equal(t, filepath.Join(deep, ".agents/agent-runs.json"), Files(p.getenv, deep)[2].Path)

	xdg := func(name string) string {
		return map[string]string{"XDG_CONFIG_HOME": "/xdg", "HOME": "relative"}[name]
	}
	require.Equal(t, []File{{LayerGlobal, "/xdg/agent-runs/settings.json"}, {LayerPersonal, ""}}, ownFiles(xdg))
	none := func(string) string { return "" }
	require.Equal(t, []File{{LayerGlobal, ""}, {LayerPersonal, ""}, {LayerProject, ""}}, Files(none, "relative"))
}

// TestTheHomeDirectoryByAnotherName: the personal file is not read again as
// that of a project, which could loosen nothing.
func TestTheHomeDirectoryByAnotherName(t *testing.T) {
	p := newPlace(t)
	write(t, filepath.Join(p.home, projectFile), `{"concurrency":9,"runtime":"pi"}`)
	other := filepath.Join(t.TempDir(), "home")
	require.NoError(t, os.Symlink(p.home, other))
	s := Load(p.getenv, filepath.Join(other, "src", "project"))
	require.Empty(t, s.Warnings)
	require.Equal(t, 9, s.Concurrency())
}

func TestFilesThatCannotBeRead(t *testing.T) {
	p := newPlace(t)
	global, personal := filepath.Join(p.home, ".config/agent-runs/settings.json"), filepath.Join(p.home, projectFile)
	write(t, global, `{"concurrency":2}`)
	require.NoError(t, os.MkdirAll(personal, 0o700)) // a directory
	n, warnings := Concurrency(p.getenv)
	require.Equal(t, 2, n)
	require.Equal(t, []string{personal + " is left out: it is not a regular file"}, warnings)

	require.NoError(t, os.Remove(personal))
	write(t, personal, "{"+strings.Repeat(" ", MaxFileBytes)+"}")
	n, warnings = Concurrency(p.getenv)
	require.Equal(t, 2, n)
	require.Equal(t, []string{personal + " is left out: it has more than the 1048576 bytes that are read"}, warnings)

	require.NoError(t, os.RemoveAll(filepath.Dir(personal)))
	write(t, filepath.Dir(personal), "a file where the directory is looked for")
	_, warnings = Concurrency(p.getenv)
	require.Empty(t, warnings)
}

// TestConcurrencyIsNoMatterOfAProject: the supervisor works for all of them.
func TestConcurrencyIsNoMatterOfAProject(t *testing.T) {
	p := newPlace(t)
	write(t, filepath.Join(p.project, projectFile), `{"concurrency":1}`)
	n, warnings := Concurrency(p.getenv)
	require.Equal(t, 4, n)
	require.Empty(t, warnings)
	require.Equal(t, 4, Load(p.getenv, p.project).Concurrency())
}
