//go:build linux && failpoint

package crash

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// settingsFile is the global one of the place.
func (p *place) settingsFile() string {
	return filepath.Join(p.dir, "config", "agent-runs", "settings.json")
}

// setBefore makes a file of settings that a person has written.
func (p *place) setBefore() {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.settingsFile()), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.settingsFile(), []byte(`{"limits":{"idle":"1h"}}`), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// setLimits are the limits in the file of settings.
func (p *place) setLimits() (limits struct {
	Idle  string
	Turns int
}, err error) {
	body, err := os.ReadFile(p.settingsFile())
	if err == nil {
		err = json.Unmarshal(body, &struct{ Limits any }{&limits})
	}
	return limits, err
}

// changedSettings reports whether the change was made and told.
func (p *place) changedSettings() bool {
	limits, err := p.setLimits()
	told, _ := os.ReadFile(p.home.Events()) // absent: not told yet
	return err == nil && limits.Turns == 7 && strings.Contains(string(told), `"settings":["limits.turns"]`)
}

// judgeSettings: the file is the old one or the new one, whoever was killed,
// and the new one unless it was the command itself.
func (c *matrixCase) judgeSettings() {
	if c.scene.name != "settings" {
		return
	}
	limits, err := c.setLimits()
	if err != nil || limits.Idle != "1h" || limits.Turns != 0 && limits.Turns != 7 {
		c.t.Errorf("P3: the settings are %+v, %v", limits, err)
	}
	if !victims[c.victim].caller && !c.changedSettings() {
		c.t.Error("P3: the change of the settings is lost")
	}
}
