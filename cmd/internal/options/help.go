package options

import (
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Program is what help says of one.
type Program struct {
	Name, Usage string
	Forms       []string // how it is called
	Version     string
	Description string
	Options     []Option
}

// Help prints all there is to know.
func (p *Program) Help(w io.Writer) error {
	fmt.Fprintf(w, "NAME:\n   %s - %s\n\nUSAGE:\n%s\nVERSION:\n   %s\n\nDESCRIPTION:\n%s\nOPTIONS:\n",
		p.Name, p.Usage, indented(strings.Join(p.Forms, "\n")), p.Version, indented(p.Description))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, o := range p.Options {
		spelling, usage := o.spelling()
		fmt.Fprintf(table, "   %s\t%s\n", spelling, usage)
	}
	return table.Flush()
}

// spelling is how an option is written, and what it means.
func (o Option) spelling() (spelling, usage string) {
	value, usage := flag.UnquoteUsage(&flag.Flag{Name: o.Name, Usage: o.Usage})
	if value == "" || value == "value" {
		value = "TEXT"
	}
	spelling = "--" + o.Name
	switch {
	case o.kind == toggle && o.Short != "":
		spelling += ", -" + o.Short
	case o.kind == toggle:
	case o.kind == texts:
		spelling += " " + value + " [ " + spelling + " " + value + " ]"
	default:
		spelling += " " + value
	}
	return spelling, usage
}

func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString("   ")
		}
		b.WriteString(line)
	}
	if !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
	return b.String()
}
