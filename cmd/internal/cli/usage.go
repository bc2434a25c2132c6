package cli

import (
	"context"

	urfave "github.com/urfave/cli/v3"
)

// UsageError turns what the flag library says into one line and our exit code.
func UsageError(_ context.Context, c *urfave.Command, err error, _ bool) error {
	return Fail(Usage, "%v", err).WithTry("%s --help", c.FullName())
}
