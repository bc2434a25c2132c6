package launch

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// socketPair returns two connected stream sockets: macOS has no local ones
// that keep messages apart. Each message ends with a newline.
func socketPair() (pair [2]int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if pair, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0); err == nil {
		unix.CloseOnExec(pair[0])
		unix.CloseOnExec(pair[1])
	}
	return pair, err
}

// sendMessage relies on both sides' ignoring SIGPIPE.
func sendMessage(fd int, body, rights []byte) error {
	body = append(body, '\n')
	n, err := unix.SendmsgN(fd, body, rights, nil, 0)
	if err == nil && n < len(body) {
		err = fmt.Errorf("only %d of %d bytes could be sent", n, len(body))
	}
	return err
}

// receiveMessage waits for one message. An empty body: the other end is closed.
func receiveMessage(fd int) (body, rights []byte, err error) {
	for !bytes.HasSuffix(body, []byte("\n")) {
		part, oob := make([]byte, 64<<10), make([]byte, unix.CmsgSpace(4))
		n, oobn, _, _, err := unix.Recvmsg(fd, part, oob, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return nil, nil, err
		}
		body, rights = append(body, part[:n]...), append(rights, oob[:oobn]...)
	}
	return body, rights, nil
}

// readMessage waits for one message without keeping a thread. It reads no
// byte beyond it.
func readMessage(socket *os.File) ([]byte, error) {
	var body []byte
	for one := make([]byte, 1); ; body = append(body, one[0]) {
		if _, err := io.ReadFull(socket, one); err != nil {
			return nil, err
		}
		if one[0] == '\n' {
			return body, nil
		}
	}
}
