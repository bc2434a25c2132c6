package launch

import (
	"os"

	"golang.org/x/sys/unix"
)

// socketPair returns two connected sockets that keep messages apart.
func socketPair() (pair [2]int, err error) {
	return unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
}

func sendMessage(fd int, body, rights []byte) error {
	return unix.Sendmsg(fd, body, rights, nil, unix.MSG_NOSIGNAL)
}

// maxMessage bounds an assignment and a report: a few short fields each.
const maxMessage = 16 << 10

// receiveMessage waits for one message. An empty body: the other end is closed.
func receiveMessage(fd int) (body, rights []byte, err error) {
	body, rights = make([]byte, maxMessage), make([]byte, unix.CmsgSpace(4))
	for {
		n, oobn, _, _, err := unix.Recvmsg(fd, body, rights, unix.MSG_CMSG_CLOEXEC)
		if err != unix.EINTR {
			return body[:max(n, 0)], rights[:max(oobn, 0)], err
		}
	}
}

// readMessage waits for one message without keeping a thread.
func readMessage(socket *os.File) ([]byte, error) {
	body := make([]byte, maxMessage)
	n, err := socket.Read(body)
	return body[:n], err
}
