package launch

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// roleHolder makes the test binary a shim that brings a child to the gate,
// says its pid, and never opens it.
const roleHolder = "__holder"

func holderMain(args []string) int {
	gate, dir := args[0], args[1]
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 1
	}
	ran := filepath.Join(dir, "ran")
	path := filepath.Join(dir, "touch") // so that whoever stands at the gate bears the directory's name
	if err := os.Symlink("/usr/bin/touch", path); err != nil {
		return 1
	}
	p := &prepared{path: path, argv: []string{"touch", ran}, dir: dir, mark: filepath.Join(dir, "never-ran"), stdio: [3]*os.File{null, null, null}}
	g, err := gates[gate](p)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(g.PID)
	select {}
}

// TestKilledAtTheGate is P1 where it is most easily broken: the shim is
// killed while its child stands at the gate or is on its way there. The child
// must leave without having executed anything.
func TestKilledAtTheGate(t *testing.T) {
	for gate, rounds := range map[string]int{"fork": 200, "exec": 60} {
		t.Run(gate, func(t *testing.T) {
			for i := range rounds {
				dir := t.TempDir()
				c := exec.Command("/proc/self/exe", roleHolder, gate, dir)
				c.Stderr = os.Stderr
				out, err := c.StdoutPipe()
				require.NoError(t, err)
				require.NoError(t, c.Start())
				atGate := i%2 == 0
				if atGate {
					line, err := bufio.NewReader(out).ReadString('\n')
					require.NoError(t, err)
					_, err = strconv.Atoi(line[:len(line)-1])
					require.NoError(t, err)
				} else {
					// Somewhere on the way; where, the round decides.
					time.Sleep(time.Duration(i) * 50 * time.Microsecond)
				}
				require.NoError(t, c.Process.Kill())
				c.Wait()
				eventually(t, "the child to leave the gate", func() bool { return len(tagged(dir)) == 0 })
				require.NoFileExists(t, filepath.Join(dir, "ran"), "the program ran without its shim")
				if _, err := os.Lstat(filepath.Join(dir, "never-ran")); atGate {
					require.NoError(t, err, "it left the gate without its mark")
				}
			}
		})
	}
}
