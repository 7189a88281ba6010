package cmdline

import (
	"bufio"
	"context"
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
	"github.com/unecho/unecho/cmd/internal/terminal"
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

// Confirmed asks a person, unless --yes says so already. Where nobody can be asked, nothing is done. Ctrl-C ends the
// question.
func Confirmed(ctx context.Context, cmd *cobra.Command, question string) (bool, error) {
	if Bool(cmd, "yes") {
		return true, nil
	}
	in, _ := cmd.InOrStdin().(*os.File)
	if in == nil || !terminal.Is(in) || !terminal.Is(cmd.ErrOrStderr()) {
		return false, exit.Usage(errors.New("there is no terminal to ask for confirmation: add --yes"))
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s [y/N] ", question)
	answered := make(chan string, 1) // who was not answered reads on until the program ends
	go func() {
		answer, _ := bufio.NewReader(in).ReadString('\n') // a terminal that is closed says no
		answered <- answer
	}()
	select {
	case answer := <-answered:
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "y", "yes":
			return true, nil
		}
		_, err := fmt.Fprintln(cmd.ErrOrStderr(), "nothing was removed")
		return false, err
	case <-ctx.Done():
		fmt.Fprintln(cmd.ErrOrStderr())
		return false, errors.New("nothing was removed")
	}
}
