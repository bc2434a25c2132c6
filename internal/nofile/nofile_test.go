package nofile_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/agent-runs/agent-runs/internal/nofile"
	"github.com/stretchr/testify/require"
)

func TestAtStartIsTheCallersLimit(t *testing.T) {
	if os.Getenv("NOFILE_CHILD") != "" {
		println("soft", nofile.AtStart)
		return
	}
	c := exec.Command("/bin/sh", "-c", `ulimit -S -n 123; exec "$0" -test.run=TestAtStart -test.v`, os.Args[0])
	c.Env = append(os.Environ(), "NOFILE_CHILD=1")
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	require.True(t, strings.Contains(string(out), "soft 123"), string(out))
}
