package ipc_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(rolePoll) != "" {
		os.Exit(pollMain())
	}
	goleak.VerifyTestMain(m)
}
