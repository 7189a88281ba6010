package cmdline

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/unecho/unecho/cmd/internal/terminal"
)

// Help is as wide as the terminal, within these bounds, in columns.
const (
	mostHelpColumns  = 100
	leastHelpColumns = 40
)

// manyFlags is the number of flags of a verb from which on they are shown in groups.
const manyFlags = 11

const usageTemplate = `Usage:{{if or (not .HasAvailableSubCommands) (index .Annotations "works")}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} COMMAND [flags]{{end}}{{with rest .Example}}

More examples:
{{.}}{{end}}{{$commands := .Commands}}{{range .Groups}}{{$id := .ID}}

{{.Title}}{{range $commands}}{{if and (eq .GroupID $id) (or .IsAvailableCommand (eq .Name "help"))}}
{{listed .}}{{end}}{{end}}{{end}}{{if and .HasAvailableSubCommands (not .Groups)}}

Commands:{{range $commands}}{{if .IsAvailableCommand}}
{{listed .}}{{end}}{{end}}{{end}}
{{flags .}}{{if .HasAvailableSubCommands}}
{{more .}}
{{end}}`

// Works marks a command that does something by itself although others are below it: its help shows both.
func Works(cmd *cobra.Command) *cobra.Command {
	cmd.Annotations = map[string]string{"works": "yes"}
	return cmd
}

// Execute runs a command line. A command and all below it have our own help: in columns that fit the terminal, with
// flags in groups. A word that is no command is an error even where help is asked for.
func Execute(root *cobra.Command) error {
	var unknown error
	columns := helpColumns(root.OutOrStdout())
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		return template.Must(template.New("usage").Funcs(template.FuncMap{
			"flags":  func(cmd *cobra.Command) string { return flagUsages(cmd, columns) },
			"rest":   func(all string) string { _, rest := examples(all); return rest },
			"listed": func(cmd *cobra.Command) string { return listed(cmd, columns) },
			"more": func(cmd *cobra.Command) string {
				return terminal.Wrapped("`"+cmd.CommandPath()+" COMMAND --help` says more about a command.", columns)
			},
		}).Parse(usageTemplate)).Execute(cmd.OutOrStderr(), cmd)
	})
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		if cmd.HasSubCommands() {
			if unknown = cmd.ValidateArgs(cmd.Flags().Args()); unknown != nil {
				return
			}
		}
		about := cmd.Long
		if about == "" {
			about = cmd.Short + "."
		}
		first, _ := examples(cmd.Example)
		if first != "" {
			first = "Examples:\n" + first + "\n\n"
		}
		// nobody to report an error to
		_, _ = io.WriteString(cmd.OutOrStdout(), first+terminal.Wrapped(about, columns)+"\n\n"+cmd.UsageString())
	})
	return errors.Join(root.Execute(), unknown)
}

// firstExamples is how many examples help begins with. The others stand below the usage.
const firstExamples = 3

func examples(all string) (first, rest string) {
	lines := strings.Split(all, "\n")
	n := min(len(lines), firstExamples)
	return strings.Join(lines[:n], "\n"), strings.Join(lines[n:], "\n")
}

func helpColumns(out io.Writer) int {
	file, ok := out.(*os.File)
	if !ok || !terminal.Is(file) {
		return mostHelpColumns
	}
	return min(max(terminal.WidthOf(file), leastHelpColumns), mostHelpColumns)
}

// listed is the line of a command in the help of the one above it; where it is broken, it goes on below its text.
func listed(cmd *cobra.Command, columns int) string {
	begin := fmt.Sprintf("  %-*s ", cmd.NamePadding(), cmd.Name())
	lines := terminal.Wrapped(cmd.Short, columns-len(begin))
	return begin + strings.ReplaceAll(lines, "\n", "\n"+strings.Repeat(" ", len(begin)))
}

// flagUsages returns the flags of a command, in groups if there are many.
func flagUsages(cmd *cobra.Command, columns int) string {
	titles := []string{"Flags"}
	for _, g := range groups() {
		titles = append(titles, string(g))
	}
	titles = append(titles, everywhere)
	sets := map[string]*pflag.FlagSet{}
	for _, title := range titles {
		sets[title] = pflag.NewFlagSet(title, pflag.ContinueOnError)
	}
	many := countShown(cmd.LocalFlags()) >= manyFlags
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		title := annotated(flag, groupAnnotation)
		switch {
		case !many:
			title = "Flags"
		case title == "":
			title = everywhere
		}
		sets[title].AddFlag(asShown(flag))
	})
	cmd.InheritedFlags().VisitAll(func(flag *pflag.Flag) { sets[everywhere].AddFlag(asShown(flag)) })
	var b strings.Builder
	for _, title := range titles {
		if countShown(sets[title]) > 0 {
			fmt.Fprintf(&b, "\n%s:\n%s", title, sets[title].FlagUsagesWrapped(columns))
		}
	}
	return b.String()
}

// everywhere is the heading of the flags that every command has.
const everywhere = "All commands"

func countShown(flags *pflag.FlagSet) (n int) {
	flags.VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			n++
		}
	})
	return n
}

// asShown returns a flag as help shows it: with the kind of its value, and its default without brackets and quotes.
func asShown(flag *pflag.Flag) *pflag.Flag {
	shown := *flag
	value := flag.DefValue
	if strings.HasPrefix(value, "[") {
		items := strings.Split(strings.Trim(value, "[]"), ",")
		for i, item := range items {
			if strings.Contains(item, ".") {
				items[i] = strings.TrimRight(item, "0")
			}
		}
		value = strings.Join(items, ",")
	}
	if value == "0s" {
		value = ""
	}
	shown.DefValue, shown.Value = value, kindOnly{flag.Value, Kind(flag)}
	return &shown
}

// Kind returns what help calls the value of a flag.
func Kind(flag *pflag.Flag) string {
	if kind := annotated(flag, kindAnnotation); kind != "" {
		return kind
	}
	switch kind := flag.Value.Type(); kind {
	case "float64Slice":
		return "floats"
	case "uint64":
		return "int"
	default:
		return kind
	}
}

// kindOnly is a value that reports another type name.
type kindOnly struct {
	pflag.Value
	kind string
}

// Type implements pflag.Value.
func (k kindOnly) Type() string { return k.kind }

func annotated(flag *pflag.Flag, key string) string {
	return strings.Join(flag.Annotations[key], "")
}
