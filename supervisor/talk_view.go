package supervisor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// viewPause spaces the writing of a view that changes all the time.
const viewPause = 250 * time.Millisecond

// view is when conversation.json was written and is to be written again.
type view struct {
	dirty, urgent bool
	shown         time.Time
}

// show writes the view for those who inspect the run. It is not synced: it
// can be made anew from what was said and heard.
func (t *talk) show(now time.Time) {
	if !t.view.dirty || !t.view.urgent && now.Before(t.view.shown.Add(viewPause)) {
		return
	}
	urgent := t.view.urgent
	t.view = view{shown: now}
	v := t.c.State.View
	v.Heard, v.At = t.c.Heard, now.UTC()
	body, err := json.Marshal(v)
	path := t.r.s.home.File(t.r.id, journal.ConversationFile)
	temporary := filepath.Join(filepath.Dir(path), ".conversation")
	if err == nil {
		if err = os.WriteFile(temporary, body, 0o600); err == nil {
			err = os.Rename(temporary, path)
		}
	}
	if err != nil {
		t.r.s.log.Printf("run %s: %v", t.r.id, err)
	}
	if urgent {
		t.r.ring()
	}
}
