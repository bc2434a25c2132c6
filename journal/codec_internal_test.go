package journal

import (
	"encoding/json"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"testing/quick"
	"time"

	"github.com/stretchr/testify/require"
)

// fieldedKinds are the records that have a list of their fields.
var fieldedKinds = []any{Launch{}, Command{}, Admission{}, Process{}, Stop{}, Exit{}, Result{}, Event{}}

// TestCodecIsEncodingJSON fills every field of every record at random, so that
// one that a list forgets, or that has another place in it, is found.
func TestCodecIsEncodingJSON(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for _, kind := range fieldedKinds {
		of := reflect.TypeOf(kind)
		fast := 0
		for range 2000 {
			record := reflect.New(of)
			fill(record.Elem(), random)
			want, err := json.Marshal(record.Interface())
			require.NoError(t, err)
			for _, form := range []any{record.Interface(), record.Elem().Interface()} {
				got, err := Encode(form)
				require.NoError(t, err)
				require.Equal(t, string(want), string(got), "fields.go lists the fields of %v otherwise than its declaration", of)
			}
			if decodesAsJSON(t, append(want, '\n'), of) {
				fast++
			}
		}
		require.Greater(t, fast, 100, "%v is never read without encoding/json", of)
	}
}

// decodesAsJSON compares the two ways of reading, and reports whether the
// lists of fields were enough.
func decodesAsJSON(t *testing.T, body []byte, of reflect.Type) bool {
	want, got, alone := reflect.New(of), reflect.New(of), reflect.New(of)
	wantErr, gotErr := json.Unmarshal(body, want.Interface()), Decode(body, got.Interface())
	require.Equal(t, wantErr, gotErr, "%s", body)
	require.Equal(t, want.Interface(), got.Interface(), "%s", body)
	c := codec{b: body[:max(len(body)-1, 0)], reading: true}
	c.object(alone.Interface().(fielder))
	return !c.foreign
}

// fill gives v a random value, often the zero one and seldom one that takes
// more than copying.
func fill(v reflect.Value, r *rand.Rand) {
	if r.Intn(3) == 0 && v.Kind() != reflect.Struct {
		return
	}
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(r.Int63n(1<<34), r.Int63n(2)*r.Int63n(1e9)).UTC()))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), r)
		}
	case v.Kind() == reflect.Pointer:
		if r.Intn(3) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), r)
		}
	case v.Kind() == reflect.Slice:
		n := r.Intn(3)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(v.Index(i), r)
		}
	case v.Kind() == reflect.String:
		texts := []string{"a", "plain words", "/a/b-c_d.e", `"quoted" \ <&>`, "Grüße\u2028", "\x00\n\t", "\xff\xfe", "\x7f", "日本"}
		v.SetString(texts[min(r.Intn(2*len(texts)), r.Intn(len(texts)))])
	default:
		random, ok := quick.Value(v.Type(), r)
		if ok {
			v.Set(random)
		}
	}
}

// FuzzCodecReads: whatever is in a file, it means what encoding/json says.
func FuzzCodecReads(f *testing.F) {
	files, _ := filepath.Glob("../testdata/records/*.json")
	for _, path := range files {
		body, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(body)
	}
	for _, body := range []string{"", "{", "{}", "null", `{"version":1,"id":"a","id":"b"}`, `{"version":1.0}`, `{"version":-0}`, `{"version":01}`,
		`{"VERSION":1,"id":"x","action":"run","state":"s","at":null}`, `{"version":1,"id":"x","action":"run","state":"s","at":"2026-01-01T00:00:00Z"} `,
		`{"version":1,"id":"x","pid":99999999999999999999,"code":null}`, "{\"version\":1,\"id\":\"\xff\"}"} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, kind := range fieldedKinds {
			decodesAsJSON(t, body, reflect.TypeOf(kind))
		}
	})
}
