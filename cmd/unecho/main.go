package main

import (
	"errors"
	"io"
	"os"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run executes the command line and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	stderr = terminal.OnScreen(stderr)
	root := rootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := cmdline.Execute(root)
	if mistake := (*corpus.MistakeError)(nil); errors.As(err, &mistake) || errors.Is(err, corpus.ErrWritten) {
		err = exit.Usage(err)
	}
	return exit.Report(stderr, err, root.PersistentFlags().Lookup(cmdline.LogFormatFlag).Value.String())
}
