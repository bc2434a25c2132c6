package realagents

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Model is the name of the scripted model for agents that do not care what it is called.
const Model = "scripted"

// GeminiModel is a name that Gemini CLI knows: with others it asks another model first.
const GeminiModel = "gemini-2.5-flash"

// object is a piece of JSON settings.
type object = map[string]any

// Setup writes a home for the agent under dir that points it at the model server, keeps it from everything else on
// the network and bounds its retries. It returns the whole environment: nothing of the caller's but PATH gets in.
func Setup(dir, serverURL, agent string) ([]string, error) {
	homes := map[string]func(dir, url string) ([]string, error){
		Pi: piHome, Claude: claudeHome, Codex: codexHome, Gemini: geminiHome, OpenCode: openCodeHome,
	}
	home, known := homes[agent]
	if !known {
		return nil, fmt.Errorf("no such agent: %q", agent)
	}
	bin, err := Bin()
	if err != nil {
		return nil, err
	}
	temp := filepath.Join(dir, "tmp")
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return nil, err
	}
	env, err := home(dir, serverURL)
	return append([]string{
		"HOME=" + dir, "TMPDIR=" + temp, "PATH=" + bin + ":" + os.Getenv("PATH"),
		"LANG=C.UTF-8", "TERM=dumb", "SHELL=/bin/bash",
	}, env...), err
}

func piHome(dir, url string) ([]string, error) {
	model := object{"id": Model, "contextWindow": 128000, "maxTokens": 4096,
		"cost": object{"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 0}}
	provider := object{"baseUrl": url + "/v1", "api": "openai-completions", "apiKey": "none", "models": []any{model}}
	err := writeJSON(object{"providers": object{"scripted": provider}}, dir, ".pi", "agent", "models.json")
	if err != nil {
		return nil, err
	}
	settings := object{"defaultProvider": "scripted", "defaultModel": Model,
		"retry": object{"maxRetries": 1, "baseDelayMs": 100}}
	return []string{"PI_OFFLINE=1"}, writeJSON(settings, dir, ".pi", "agent", "settings.json")
}

func claudeHome(_, url string) ([]string, error) {
	return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=none", "CLAUDE_CODE_MAX_RETRIES=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"}, nil
}

// codexConfig leaves nothing on that Codex would look up elsewhere; the switches only work together.
const codexConfig = `model = %q
model_provider = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "%s/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 1
stream_max_retries = 1
[analytics]
enabled = false
[features]
plugins = false
apps = false
[otel]
exporter = "none"
trace_exporter = "none"
metrics_exporter = "none"
`

func codexHome(dir, url string) ([]string, error) {
	home := filepath.Join(dir, ".codex")
	return []string{"CODEX_HOME=" + home, "SCRIPTED_KEY=none"},
		write(fmt.Appendf(nil, codexConfig, Model, url), home, "config.toml")
}

func geminiHome(dir, url string) ([]string, error) {
	settings := object{
		"security": object{"auth": object{"selectedType": "gemini-api-key"}},
		"privacy":  object{"usageStatisticsEnabled": false},
		"general":  object{"enableAutoUpdate": false, "maxAttempts": 2},
	}
	return []string{"GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_CLI_NO_RELAUNCH=true",
		"GEMINI_CLI_TRUST_WORKSPACE=true"}, writeJSON(settings, dir, ".gemini", "settings.json")
}

func openCodeHome(dir, url string) ([]string, error) {
	model := object{"name": Model, "limit": object{"context": 128000, "output": 4096},
		"cost": object{"input": 1, "output": 2, "cache_read": 0.1}}
	provider := object{"npm": "@ai-sdk/openai-compatible", "name": "scripted",
		"options": object{"baseURL": url + "/v1", "apiKey": "none"}, "models": object{Model: model}}
	settings := object{"model": "scripted/" + Model, "small_model": "scripted/" + Model, "autoupdate": false,
		"share": "disabled", "provider": object{"scripted": provider}}
	return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1",
			"OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1"},
		writeJSON(settings, dir, ".config", "opencode", "opencode.json")
}

func writeJSON(v any, path ...string) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return write(b, path...)
}

func write(b []byte, path ...string) error {
	file := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o600)
}
