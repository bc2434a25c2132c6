package settings

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/agent-runs/agent-runs/internal/span"
	units "github.com/docker/go-units"
)

// Value is what a setting is set to. The zero Value is none.
type Value struct {
	Number float64 // milliseconds, bytes, dollars or a count; of a Runtime 0
	Text   string  // as it is written: 30m, 10MB, 4, claude
}

// None reports whether there is no value.
func (v Value) None() bool { return v.Text == "" }

// JSON is the value as a file holds it; of none it is null.
func (k Key) JSON(v Value) json.RawMessage {
	switch {
	case v.None():
		return json.RawMessage("null")
	case k.isNumber():
		return json.RawMessage(v.Text)
	}
	b, err := json.Marshal(v.Text)
	if err != nil { // a string always can be
		return json.RawMessage(`""`)
	}
	return b
}

func (k Key) isNumber() bool { return k.Kind == Count || k.Kind == Dollars }

// Parse reads a value as a person types it. The error says what is accepted.
func (k Key) Parse(s string) (Value, error) {
	switch k.Kind {
	case Span:
		if d, ok := span.Parse(s); ok && d >= 0 {
			return k.within(float64(d.Milliseconds()), s)
		}
	case Size:
		if n, err := units.RAMInBytes(s); err == nil {
			return k.within(float64(n), s)
		}
	case Runtime:
		if k.isRuntime(s) {
			return Value{Text: s}, nil
		}
	default:
		if n, err := strconv.ParseFloat(s, 64); err == nil && (k.Kind == Dollars || n == math.Trunc(n)) {
			return k.within(n, strconv.FormatFloat(n, 'f', -1, 64))
		}
	}
	return Value{}, k.refuse()
}

func (k Key) within(n float64, text string) (Value, error) {
	if !(n >= k.Least && n <= k.Most) {
		return Value{}, k.refuse()
	}
	return Value{n, text}, nil
}

// fromJSON reads a value as a file holds it.
func (k Key) fromJSON(raw json.RawMessage) (Value, error) {
	if k.isNumber() {
		if c := raw[0]; c != '-' && (c < '0' || c > '9') {
			return Value{}, k.refuse()
		}
		return k.Parse(string(raw))
	}
	var s string
	if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return Value{}, k.refuse()
	}
	return k.Parse(s)
}

// maxName bounds the name of a runtime, in bytes, as the command line does.
const maxName = 200

func (k Key) isRuntime(s string) bool {
	for _, name := range RuntimeNames() {
		if s == name {
			return true
		}
	}
	command, ok := strings.CutPrefix(s, "acp:")
	return ok && strings.TrimSpace(command) != "" && strings.TrimSpace(s) == s && len(s) <= maxName &&
		utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

func (k Key) refuse() error { return refusal(k.Accepts()) }

// refusal says what would have been accepted.
type refusal string

func (r refusal) Error() string { return string(r) }

// Accepts says in words what the setting can be set to.
func (k Key) Accepts() string {
	switch k.Kind {
	case Span:
		return fmt.Sprintf("durations from %s to %s are accepted, such as 90s, 2h or 1d", k.Words(k.Least), k.Words(k.Most))
	case Size:
		least := "above zero"
		if k.Least > 1 {
			least = "from " + k.Words(k.Least)
		}
		return "sizes " + least + " are accepted, such as 2MB, 500MB or 1GiB"
	case Dollars:
		return "dollars above zero are accepted, such as 0.5"
	case Runtime:
		return strings.Join(RuntimeNames(), ", ") + " and acp:CMD are accepted"
	}
	return fmt.Sprintf("whole numbers from %.0f to %.0f are accepted", k.Least, k.Most)
}

// Words is a number as a person would write it for this setting.
func (k Key) Words(n float64) string {
	switch k.Kind {
	case Span:
		return spanWords(time.Duration(n) * time.Millisecond)
	case Size:
		return sizeWords(n)
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// spanWords writes whole days as such and leaves out empty units.
func spanWords(d time.Duration) string {
	if day := 24 * time.Hour; d > 0 && d%day == 0 {
		return strconv.Itoa(int(d/day)) + "d"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// sizeWords uses the largest unit that needs no fraction.
func sizeWords(n float64) string {
	unit := ""
	for _, u := range []string{"KB", "MB", "GB", "TB", "PB"} {
		if n < 1024 || math.Mod(n, 1024) != 0 {
			break
		}
		n, unit = n/1024, u
	}
	return strconv.FormatFloat(n, 'f', -1, 64) + unit
}
