package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"text/tabwriter"
)

// table aligns lines of tab-separated cells on stdout. Nothing is printed
// before flush: the tab writer alone would write every cell by itself.
func table() (w io.Writer, flush func() error) {
	out := bufio.NewWriterSize(os.Stdout, 16<<10)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	return t, func() error { return errors.Join(t.Flush(), out.Flush()) }
}
