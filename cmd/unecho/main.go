package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/unecho/unecho/config"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitUndone = 2   // of a verb that looks: it could not, so that it says neither yes nor no
	exitPipe   = 141 // as a shell sees a program that wrote into head once too often
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run executes the command line and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	root := rootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return report(stderr, root.Execute())
}

// undoneError says that a verb which looks at something could not.
type undoneError struct{ error }

func (e undoneError) Unwrap() error { return e.error }

// undone marks an error so, if there is one.
func undone(err error) error {
	if err == nil {
		return nil
	}
	return undoneError{err}
}

// report writes err for a person and chooses the exit code.
func report(stderr io.Writer, err error) int {
	var (
		mistakes config.Mistakes
		usage    usageError
		undone   undoneError
	)
	switch {
	case err == nil:
		return exitDone
	case nobodyReads(err):
		return exitPipe
	case errors.As(err, &mistakes):
		fmt.Fprintln(stderr, mistakes.Error())
		fmt.Fprintln(stderr, "unecho: "+mistakes.Count()+" in the configuration")
		return exitUsage
	case errors.As(err, &usage):
		fmt.Fprintln(stderr, "unecho: "+err.Error())
		return exitUsage
	case errors.As(err, &undone):
		fmt.Fprintln(stderr, "unecho: "+err.Error())
		return exitUndone
	}
	fmt.Fprintln(stderr, "unecho: "+err.Error())
	return exitFailed
}

// nobodyReads says that nobody reads standard output any more. That is no failure, and there is nobody to tell.
func nobodyReads(err error) bool {
	var path *fs.PathError
	return errors.Is(err, syscall.EPIPE) && errors.As(err, &path) && path.Path == os.Stdout.Name()
}
