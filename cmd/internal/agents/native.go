package agents

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// executed is what to execute for a program that was found: itself, or what
// it is only a wrapper for.
func executed(runtimeName, found string) string {
	if runtimeName == "codex" {
		if native := nativeCodex(found); native != "" {
			return native
		}
	}
	return found
}

// nativeCodex is the program that npm's codex starts and would orphan if it
// were killed. It is in a package for the platform, beside the wrapper's or
// inside of it; of any other layout we know nothing.
func nativeCodex(found string) string {
	wrapper, err := filepath.EvalSymlinks(found)
	if err != nil || !strings.HasSuffix(wrapper, "/@openai/codex/bin/codex.js") {
		return ""
	}
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	pkg := filepath.Dir(filepath.Dir(wrapper))
	for _, scope := range []string{filepath.Dir(pkg), filepath.Join(pkg, "node_modules", "@openai")} {
		found, err := filepath.Glob(filepath.Join(escape(scope), "codex-"+runtime.GOOS+"-"+arch, "vendor", "*", "bin", "codex"))
		if err == nil && len(found) == 1 && executable(found[0]) {
			return found[0]
		}
	}
	return ""
}

// escape makes a path mean itself in a pattern.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// packageVersion reads the version of a program that npm installed. Asking the
// program itself would take as long as starting it.
func packageVersion(found string) string {
	file, err := filepath.EvalSymlinks(found)
	if err != nil {
		return ""
	}
	if script := wrapped(file); script != "" {
		file = script
	}
	return versionAbove(file)
}

// maxWrapper is how long a script may be that only starts another program.
const maxWrapper = 4 << 10

// wrapped is the program in a package that a small shell script starts: some
// installers make such scripts instead of links.
func wrapped(file string) string {
	info, err := os.Stat(file)
	if err != nil || info.Size() > maxWrapper {
		return ""
	}
	body, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(body), "#!") {
		return ""
	}
	for quoted := range strings.SplitSeq(string(body), `"`) {
		if strings.Contains(quoted, "/node_modules/") && strings.HasSuffix(quoted, "js") {
			script, err := filepath.EvalSymlinks(strings.ReplaceAll(quoted, "$basedir", filepath.Dir(file)))
			if err == nil {
				return script
			}
		}
	}
	return ""
}

// packageDepth is how far above a program its package.json is looked for.
const packageDepth = 5

func versionAbove(file string) string {
	if !strings.Contains(file, "/node_modules/") {
		return ""
	}
	for dir, n := filepath.Dir(file), 0; n < packageDepth && filepath.Base(dir) != "node_modules"; dir, n = filepath.Dir(dir), n+1 {
		var p struct{ Version string }
		if body, err := os.ReadFile(filepath.Join(dir, "package.json")); err == nil && json.Unmarshal(body, &p) == nil && p.Version != "" {
			return p.Version
		}
	}
	return ""
}
