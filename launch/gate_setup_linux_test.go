package launch

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestGateSetsUmaskLimitsAndCwd(t *testing.T) {
	eachGate(t, func(t *testing.T, start func(*prepared) (*Gated, error)) {
		for _, umask := range []int{0, 0o27, 0o777} {
			p, out := child(t, "/bin/sh", "-c", "umask")
			p.umask = umask
			require.Equal(t, fmt.Sprintf("%04o\n", umask), good(t, start, p, out))
		}
		p, out := child(t, "/bin/cat", "/proc/self/limits")
		p.limit = map[int]unix.Rlimit{unix.RLIMIT_NOFILE: {Cur: 12, Max: 34}, unix.RLIMIT_CORE: {}, unix.RLIMIT_FSIZE: {Cur: 1 << 20, Max: 1 << 21},
			unix.RLIMIT_AS: {Cur: 64 << 20, Max: 64 << 20}, unix.RLIMIT_STACK: {Cur: 1 << 20, Max: unix.RLIM_INFINITY}}
		text := strings.Join(strings.Fields(good(t, start, p, out)), " ")
		for _, want := range []string{"Max open files 12 34 files", "Max core file size 0 0 bytes", "Max file size 1048576 2097152 bytes",
			"Max address space 67108864 67108864 bytes", "Max stack size 1048576 unlimited bytes"} {
			require.Contains(t, text, want)
		}
		p, out = child(t, "/bin/pwd", "-P")
		p.dir = filepath.Join(p.dir, "with ünd space")
		require.NoError(t, os.Mkdir(p.dir, 0o700))
		require.Equal(t, p.dir+"\n", good(t, start, p, out))
	})
}

// TestGateKeepsSetUserID: exec under a tracer would drop it.
func TestGateKeepsSetUserID(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: a set-user-ID program of another user needs root to make it")
	}
	const nobody = 65534
	path := filepath.Join(roomy(t), "id")
	src, err := os.Open("/usr/bin/id")
	require.NoError(t, err)
	defer src.Close()
	dst, err := os.Create(path)
	require.NoError(t, err)
	_, err = io.Copy(dst, src)
	require.NoError(t, err)
	require.NoError(t, dst.Close())
	require.NoError(t, os.Chown(path, nobody, 0))
	require.NoError(t, os.Chmod(path, 0o755|os.ModeSetuid))
	var fs unix.Statfs_t
	require.NoError(t, unix.Statfs(path, &fs))
	if fs.Flags&unix.ST_NOSUID != 0 {
		t.Skip("NOT TESTED: the temporary directory is mounted nosuid")
	}
	eachGate(t, func(t *testing.T, start func(*prepared) (*Gated, error)) {
		p, out := child(t, path, "-u")
		require.Equal(t, fmt.Sprintln(nobody), good(t, start, p, out))
	})
}
