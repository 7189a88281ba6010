package cmdline

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/index/setting"
)

// FlagAdvice returns which flag was probably meant, or where all flags are listed.
func FlagAdvice(cmd *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if errors.As(err, &unknown) {
		if meant, ok := setting.Nearest(unknown.GetSpecifiedName(), names); ok {
			return "did you mean --" + meant + "?"
		}
	}
	return fmt.Sprintf("see `%s --help`", cmd.CommandPath())
}

// GroupCommand makes cmd a command that only holds others: without one it prints its help.
func GroupCommand(cmd *cobra.Command) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.SuggestionsMinimumDistance = 2
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		advice := fmt.Sprintf("see `%s --help`", cmd.CommandPath())
		if meant := cmd.SuggestionsFor(args[0]); len(meant) > 0 {
			advice = "did you mean " + strings.Join(meant, " or ") + "?"
		}
		return exit.Usage(fmt.Errorf("there is no command %q below %s; %s", args[0], cmd.CommandPath(), advice))
	}
	return cmd
}

// AtMost accepts up to n arguments, which names describes.
func AtMost(n int, names string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= n {
			return nil
		}
		if n == 0 {
			return exit.Usage(fmt.Errorf("%s takes no arguments, not %q", cmd.CommandPath(), args[0]))
		}
		return exit.Usage(errors.New(cmd.CommandPath() + " takes no more than " + names))
	}
}

// Exactly accepts as many arguments as there are names.
func Exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		return exit.Usage(fmt.Errorf("%s takes %s, as in `%s`; see `%s --help`", cmd.CommandPath(),
			strings.Join(names, " and "), cmd.UseLine(), cmd.CommandPath()))
	}
}

// LooksLikeFile says whether an argument has no blanks, and slashes as in a path, or an ending as in .txt.
func LooksLikeFile(arg string) bool {
	if strings.ContainsFunc(arg, unicode.IsSpace) {
		return false
	}
	ending := strings.TrimPrefix(filepath.Ext(arg), ".")
	notIn := func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	named := ending != "" && len(ending) <= longestEnding && !strings.ContainsFunc(ending, notIn) &&
		strings.ContainsFunc(ending, unicode.IsLetter)
	return named || strings.ContainsAny(arg, `/\`)
}

// longestEnding is how long the ending of a file's name is at most: that of .parquet.
const longestEnding = 7

// OpenInput opens a file that a flag names; - is standard input.
func OpenInput(cmd *cobra.Command, path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(cmd.InOrStdin()), nil
	}
	return os.Open(path)
}
